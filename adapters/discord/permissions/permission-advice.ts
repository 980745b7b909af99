/**
 * Turns "missing permissions" into the name of the right and of the place. In a thread the rights of its parent count, and
 * "Send Messages" does not.
 */
import { RESTJSONErrorCodes } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import { AppError, asError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { discordCode, withHint } from '../errors.ts';
import type { Lookups } from '../lookups.ts';
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

/** How long a permission that was there is taken to be there still. */
const GRANTED_MS = 60_000;

/**
 * Rejects with `channel-permission-denied` and the hint if one of `keys` is missing at `address`. What cannot be found out is
 * left to the call itself.
 */
export type DemandPermissions = (
  what: string,
  address: Address,
  keys: readonly PermissionKey[],
) => Promise<void>;

export function createDemandPermissions(lookups: Lookups, clock: Clock, log: Log): DemandPermissions {
  /** When the permissions were last seen to be there, by channel and keys. */
  const grantedAt = new Map<string, number>();

  async function hintFor(channel: string, keys: readonly PermissionKey[]): Promise<string | undefined> {
    try {
      return await missingAt(lookups, channel, keys);
    } catch (thrown) {
      log.debug({ channel, err: asError(thrown) }, 'permissions could not be looked at');
      return undefined;
    }
  }

  return async (what, { conversation }, keys) => {
    const place = [conversation, ...keys].join(' ');
    const now = clock.now();
    if (now - (grantedAt.get(place) ?? Number.NEGATIVE_INFINITY) < GRANTED_MS) return;
    const hint = await hintFor(conversation, keys);
    if (hint !== undefined)
      throw new AppError('channel-permission-denied', `“${what}” was not tried: ${hint}`, { hint });
    grantedAt.set(place, now);
  };
}

async function advice(lookups: Lookups, channelId: string, keys: readonly PermissionKey[]): Promise<string> {
  return (await missingAt(lookups, channelId, keys)) ?? unexplained(`<#${channelId}>`);
}

/** In words, which of `keys` is missing there. */
async function missingAt(
  lookups: Lookups,
  channelId: string,
  keys: readonly PermissionKey[],
): Promise<string | undefined> {
  const channel = await lookups.channel(channelId);
  if (channel.guild_id === undefined) return undefined;
  const facts = await lookups.permissionFacts(channel, channel.guild_id);
  if (facts.isTimedOut) return 'I am timed out in this server; remove the time-out.';
  const missing = missingPermissions(facts, neededPermissions(keys));
  const place = channel.name ? `#${channel.name}` : `<#${channelId}>`;
  return missing.length > 0 ? permissionHint(missing, place) : undefined;
}

const unexplained = (place: string) =>
  `Discord does not let me do that in ${place}; look at the permissions of my role there.`;
