/** What Discord says of the application behind the token: who owns it, and whether it may read what is not meant for it. */
import { ApplicationFlags, Routes } from 'discord.js';
import type { CallDiscord } from '../calls.ts';
import { type Application, applicationSchema, gatewaySchema } from '../schema.ts';

export interface ApplicationFacts {
  readonly readsContent: boolean;
  /** User ids of its owner, or of everybody who has accepted to be in its team. */
  readonly owners: readonly string[];
}

const CONTENT_FLAGS = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
const HAS_ACCEPTED = 2;

export function hasMessageContent({ flags }: Pick<Application, 'flags'>): boolean {
  return (flags & CONTENT_FLAGS) !== 0;
}

/** The person or, of a team, everybody who has accepted to be in it. */
export function ownersOf({
  owner,
  team,
}: Pick<Application, 'owner' | 'team'>): readonly { readonly id: string; readonly username: string }[] {
  if (!team) return owner ? [owner] : [];
  const accepted = team.members.filter(({ membership_state }) => membership_state === HAS_ACCEPTED);
  return accepted.map(({ user }) => user);
}

export async function askApplication(call: CallDiscord): Promise<ApplicationFacts> {
  const application = await call({
    what: 'look at the application',
    method: 'GET',
    route: Routes.currentApplication(),
    answer: applicationSchema,
  });
  return { readsContent: hasMessageContent(application), owners: ownersOf(application).map(({ id }) => id) };
}

/** How long to wait until Discord allows a connection, in milliseconds; 0 = go ahead. */
export async function askIdentifyWait(call: CallDiscord): Promise<number> {
  const { shards, session_start_limit: limit } = await call({
    what: 'ask for the gateway',
    method: 'GET',
    route: Routes.gatewayBot(),
    answer: gatewaySchema,
  });
  return limit.remaining < shards ? limit.reset_after : 0;
}
