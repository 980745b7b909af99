/**
 * Turns "missing permissions" into the name of the right and of the place. In a thread the rights of its parent count, and
 * "Send Messages" does not.
 */
import { RESTJSONErrorCodes } from 'discord.js';
import type { Address } from '../../src/core/address.ts';
import { type AppError, asError } from '../../src/errors.ts';
import type { Log } from '../../src/ports/log.ts';
import { discordCode, withHint } from './errors.ts';
import type { Lookups } from './lookups.ts';
import { neededPermissions, type PermissionKey } from './needed-permissions.ts';
import { missingPermissions, permissionHint } from './permissions.ts';

const UNEXPLAINED: ReadonlySet<number | undefined> = new Set([
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
]);

/** The error again; where Discord named no right, with the hint which of `keys` is missing at `address`. */
export type ExplainRefusal = (
  error: AppError,
  address: Address,
  keys: readonly PermissionKey[],
) => Promise<AppError>;

export function createExplainRefusal(lookups: Lookups, log: Log): ExplainRefusal {
  return async (error, address, keys) => {
    if (!UNEXPLAINED.has(discordCode(error)) || address.chatType === 'direct') return error;
    try {
      return withHint(error, await advice(lookups, address.conversation, keys));
    } catch (thrown) {
      log.debug({ channel: address.conversation, err: asError(thrown) }, 'a refusal could not be explained');
      return withHint(error, permissionHint(neededPermissions(['view']), `<#${address.conversation}>`));
    }
  };
}

async function advice(lookups: Lookups, channelId: string, keys: readonly PermissionKey[]): Promise<string> {
  const channel = await lookups.channel(channelId);
  const place = channel.name ? `#${channel.name}` : `<#${channelId}>`;
  if (channel.guild_id === undefined) return unexplained(place);
  const facts = await lookups.permissionFacts(channel, channel.guild_id);
  if (facts.isTimedOut) return 'I am timed out in this server; remove the time-out.';
  const missing = missingPermissions(facts, neededPermissions(keys));
  return missing.length > 0 ? permissionHint(missing, place) : unexplained(place);
}

const unexplained = (place: string) =>
  `Discord does not let me do that in ${place}; look at the permissions of my role there.`;
