/** Whether the bot can do its work in one server, in words: which right is missing where, and where to change it. Pure. */
import { type Check, type CheckStatus, fail, ok } from '../../../src/core/check.ts';
import { type CheckedAccount, namedChannels } from './account.ts';
import {
  type ChannelRights,
  channelRights,
  isTextChannel,
  isTimedOut,
  type Membership,
} from './missing-rights.ts';
import type { ChannelAnswer } from './schema.ts';

/** More channels of one server are not looked at. */
const MAX_CHANNELS = 50;
const MAX_LISTED = 5;

/** Looks at the channels that the configuration names, else at all those with text. */
export function guildCheck(
  label: string,
  membership: Membership,
  channels: readonly ChannelAnswer[],
  account: CheckedAccount,
): Check {
  const { guild } = membership;
  const name = `${label} server ${guild.name}`;
  if (isTimedOut(membership)) {
    return fail(
      name,
      `The bot is timed out until ${membership.member.communication_disabled_until} and cannot say anything.`,
      'Click the bot in the member list and remove its timeout.',
    );
  }
  const named = namedChannels(account, guild.id);
  const unknown = named.filter((id) => channels.every((channel) => channel.id !== id));
  const looked = (
    named.length > 0 ? channels.filter(({ id }) => named.includes(id)) : channels.filter(isTextChannel)
  ).slice(0, MAX_CHANNELS);
  const rights = looked.map((channel) => channelRights(membership, channel));
  return summary(name, rights, { isNamed: named.length > 0, unknown });
}

interface Looked {
  /** The configuration names the channels, so all of them are to work. */
  readonly isNamed: boolean;
  /** Named, but not in the server or not to be seen. */
  readonly unknown: readonly string[];
}

function summary(name: string, rights: readonly ChannelRights[], looked: Looked): Check {
  const seen = looked.isNamed ? rights : rights.filter((channel) => !isHidden(channel));
  if (seen.length === 0 && looked.unknown.length === 0) return nothingSeen(name, rights.length);
  const gaps = gapsOf(seen);
  const unknown = looked.unknown.map((id) => `channel ${id} of guilds is not there`);
  const hidden = rights.length - seen.length;
  const count = `${seen.length} ${seen.length === 1 ? 'channel' : 'channels'} looked at`;
  const asides = hidden > 0 ? [`${hidden} more hidden from the bot`] : [];
  if (gaps.length === 0 && unknown.length === 0) {
    return ok(name, `Nothing is missing: ${[count, ...asides].join(', ')}.`);
  }
  const worst = unknown.length > 0 ? 'fail' : worstOf(seen, looked.isNamed);
  return {
    name,
    status: worst,
    found: `${[...gaps.map((gap) => gap.found), ...unknown].join('; ')} (${[count, ...asides].join(', ')}).`,
    advice: [
      ...new Set(gaps.map((gap) => gap.advice)),
      ...(unknown.length > 0 ? ['Correct the channel id, or take it out of guilds.'] : []),
    ].join(' '),
  };
}

function nothingSeen(name: string, hidden: number): Check {
  return fail(
    name,
    hidden === 0 ? 'There is no channel with text.' : 'The bot can see none of the channels.',
    'In Server Settings → Roles turn on “View Channels” for the role of the bot, or in a channel: Edit Channel → Permissions → add the bot.',
  );
}

function isHidden({ missing }: ChannelRights): boolean {
  return missing.some(({ permission }) => permission.key === 'view');
}

/**
 * A channel that the bot may only read is often meant to be so. One that it may write to but not open threads in, or not
 * read back, makes it fail at its work.
 */
function worstOf(rights: readonly ChannelRights[], isNamed: boolean): CheckStatus {
  const isBroken = ({ missing }: ChannelRights) => {
    const isReadOnly = missing.some(({ permission }) => permission.key === 'send');
    return (isNamed || !isReadOnly) && missing.some(({ permission }) => !permission.isOptional);
  };
  const isUseless = rights.every(({ missing }) =>
    missing.some(({ permission }) => permission.key === 'send'),
  );
  return isUseless || rights.some(isBroken) ? 'fail' : 'warn';
}

interface Gap {
  readonly found: string;
  readonly advice: string;
}

/** One for each right and each reason why it is missing, with the channels. */
function gapsOf(rights: readonly ChannelRights[]): readonly Gap[] {
  const groups = new Map<
    string,
    { readonly right: ChannelRights['missing'][number]; readonly channels: string[] }
  >();
  for (const { channel, missing } of rights) {
    for (const right of missing) {
      const key = `${right.permission.key} ${right.deniedTo.join('\0')}`;
      const group = groups.get(key) ?? { right, channels: [] };
      group.channels.push(`#${channel.name}`);
      groups.set(key, group);
    }
  }
  return [...groups.values()].map(({ right: { permission, deniedTo }, channels }) => {
    const where = listed(channels);
    if (deniedTo.length === 0) {
      return {
        found: `“${permission.name}” is missing in ${where}, since no role of the bot has it`,
        advice: 'Server Settings → Roles → the role of the bot: turn on what is missing.',
      };
    }
    return {
      found: `“${permission.name}” is missing in ${where}, where it is denied to ${deniedTo.join(' and ')}`,
      advice:
        'Edit Channel → Permissions, in the channel itself, also for threads: allow what is missing to the bot.',
    };
  });
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
