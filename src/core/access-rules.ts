/**
 * Who may speak where, as it is configured for one channel account, and which of these rules count at a place. Pure. A rule
 * given for a channel beats that of its server.
 */
import type { Address } from './address.ts';
import type { PlaceFacts } from './message.ts';

/** In lists of ids, this stands for everybody. */
export const EVERYBODY = '*';

/** What is absent is inherited from the level above. */
export interface PlaceRules {
  readonly requireMention?: boolean;
  /** In threads only a mention counts, neither a reply to the bot nor that the thread is its own. */
  readonly threadRequireExplicitMention?: boolean;
  /** Only these people and holders of these roles are heard; both absent: everybody. */
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
}

export interface ChannelRules extends PlaceRules {
  readonly allow?: boolean;
}

/** Of a server or workspace. */
export interface SpaceRules extends PlaceRules {
  /** By id, or `*` for all that are not named. Absent: all of them, without rules of their own. */
  readonly channels?: Readonly<Record<string, ChannelRules>>;
}

export interface AccessRules {
  readonly direct: 'pairing' | 'allowlist' | 'open' | 'disabled';
  readonly groups: 'open' | 'allowlist' | 'disabled';
  /** Heard everywhere, by the platform's user ids. */
  readonly allowFrom: readonly string[];
  readonly allowsBots: boolean;
  /** By id, or `*` for all that are not named. */
  readonly spaces: Readonly<Record<string, SpaceRules>>;
  /** The only people, apart from owners, who may give commands. Absent: whoever is heard. */
  readonly commandsFrom?: readonly string[];
}

/** The rules that count at one place. */
export interface EffectiveRules {
  /** The place is named, by itself or by `*`. */
  readonly isListed: boolean;
  /** The place is closed by name. */
  readonly isClosed: boolean;
  readonly requiresMention: boolean;
  readonly requiresExplicitMention: boolean;
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
}

export function rulesAt(
  rules: AccessRules,
  { conversation }: Pick<Address, 'conversation'>,
  place: PlaceFacts | undefined,
): EffectiveRules {
  const space = entryFor(rules.spaces, place?.space);
  const channel = space?.channels && entryFor(space.channels, conversation);
  const isFiltered = channel?.users !== undefined || channel?.roles !== undefined;
  const { users, roles } = (isFiltered ? channel : space) ?? {};
  return {
    isListed: space !== undefined && (space.channels === undefined || channel !== undefined),
    isClosed: channel?.allow === false,
    requiresMention: channel?.requireMention ?? space?.requireMention ?? true,
    requiresExplicitMention:
      channel?.threadRequireExplicitMention ?? space?.threadRequireExplicitMention ?? false,
    ...(users && { users }),
    ...(roles && { roles }),
  };
}

/** What is said for that id, else for all that are not named. */
export function entryFor<T>(entries: Readonly<Record<string, T>>, id: string | undefined): T | undefined {
  if (id !== undefined && Object.hasOwn(entries, id)) return entries[id];
  return Object.hasOwn(entries, EVERYBODY) ? entries[EVERYBODY] : undefined;
}

export function isNamed(list: readonly string[], id: string): boolean {
  return list.includes(id) || list.includes(EVERYBODY);
}

/** Whether somebody with these roles passes the filters of a place. */
export function passesFilters(
  { users, roles }: Pick<EffectiveRules, 'users' | 'roles'>,
  id: string,
  held: readonly string[],
): boolean {
  if (users === undefined && roles === undefined) return true;
  return isNamed(users ?? [], id) || (roles ?? []).some((role) => held.includes(role));
}
