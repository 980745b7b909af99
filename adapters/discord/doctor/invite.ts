/** The address that brings the bot into a server, with the permissions that it needs and no others. */
import { type REST, Routes } from 'discord.js';
import { INVITE_PERMISSIONS } from '../permissions/needed-permissions.ts';
import { applicationSchema } from '../schema.ts';
import { ask } from './ask.ts';

const AUTHORIZE = 'https://discord.com/oauth2/authorize';

export interface Invite {
  readonly applicationId: string;
  readonly address: string;
  /** Why Discord did not tell the id, so that it was read from the token. */
  readonly problem?: string;
}

export function inviteAddress(applicationId: string): string {
  return `${AUTHORIZE}?client_id=${applicationId}&scope=bot+applications.commands&permissions=${INVITE_PERMISSIONS}`;
}

/** Never rejects; `undefined` when neither Discord nor the token tells the application's id. */
export async function inviteOf(rest: Pick<REST, 'get'>, token: string): Promise<Invite | undefined> {
  const application = await ask(rest, Routes.currentApplication(), applicationSchema);
  if (application.kind === 'answer') return invite(application.value.id);
  const id = applicationIdOfToken(token);
  if (id === undefined) return undefined;
  const problem = 'problem' in application ? application.problem : 'Discord does not know this token';
  return { ...invite(id), problem };
}

function invite(applicationId: string): Invite {
  return { applicationId, address: inviteAddress(applicationId) };
}

/**
 * The id in the token's first part. It is the bot's user id, which is the application's id for all but the oldest bots.
 * `undefined` when it is no bot token.
 */
export function applicationIdOfToken(token: string): string | undefined {
  const [first = ''] = token.split('.');
  const id = Buffer.from(first, 'base64url').toString('latin1');
  return /^\d{15,22}$/.test(id) ? id : undefined;
}
