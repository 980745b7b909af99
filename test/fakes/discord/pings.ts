/** Whom a text mentions, and for whom of them it makes a sound. */
import { may } from './permissions.ts';
import type { Snowflake } from './snowflakes.ts';
import type { Channel, Json, User, World } from './world.ts';

export interface Mentions {
  readonly users: readonly User[];
  readonly roles: readonly Snowflake[];
  readonly isEveryone: boolean;
}

interface Allowed {
  readonly users: (id: Snowflake) => boolean;
  readonly roles: (id: Snowflake) => boolean;
  readonly everyone: boolean;
  readonly repliedUser: boolean;
}

const ALL_ALLOWED: Allowed = { users: () => true, roles: () => true, everyone: true, repliedUser: true };

function readAllowed(given: unknown): Allowed {
  if (given === undefined || given === null) return ALL_ALLOWED;
  const { parse, users, roles, replied_user: replied } = given as Json;
  const kinds = (parse ?? []) as readonly string[];
  const listed = (list: unknown) => (id: Snowflake) => ((list ?? []) as readonly string[]).includes(id);
  return {
    users: kinds.includes('users') ? () => true : listed(users),
    roles: kinds.includes('roles') ? () => true : listed(roles),
    everyone: kinds.includes('everyone'),
    repliedUser: replied === true,
  };
}

/** Code is left alone: what looks like a mention there is none. */
const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```/g, ' ').replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, ' ');

export function findMentions(
  world: World,
  channel: Channel,
  { author, content, allowed, replied }: { author: User; content: string; allowed: unknown; replied?: User },
): Mentions {
  const text = withoutCode(content);
  const rule = readAllowed(allowed);
  const ids = new Set([...text.matchAll(/<@!?(\d+)>/g)].map((match) => match[1]!).filter(rule.users));
  if (replied && rule.repliedUser) ids.add(replied.id);
  const guild = channel.guildId === undefined ? undefined : world.guilds.get(channel.guildId);
  const canAll = guild !== undefined && may(world, channel, author.id, 'mentionEveryone');
  const roles = [...text.matchAll(/<@&(\d+)>/g)].map((match) => match[1]!);
  return {
    users: [...ids].flatMap((id) => world.users.get(id) ?? []),
    roles: [...new Set(roles)].filter((id) => guild?.roles.has(id) && canAll && rule.roles(id)),
    isEveryone: /@(everyone|here)\b/.test(text) && canAll && rule.everyone,
  };
}
