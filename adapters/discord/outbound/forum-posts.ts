/**
 * Forum and media channels take no messages, only posts: a part that goes to one becomes a post, that is a thread whose first
 * message it is and whose id both share. Discord gives posts no nonce, so what was begun is written down first and looked for
 * before it is tried again.
 */
import { ChannelFlags, ChannelType, Routes } from 'discord.js';
import { z } from 'zod';
import { threadTitle } from '../../../src/core/title.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { OutboundPart } from '../../../src/ports/channel.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { CallDiscord } from '../calls.ts';
import type { Lookups } from '../lookups.ts';
import { activeThreadsSchema, type DiscordChannel, sentSchema } from '../schema.ts';
import { CLOCK_SKEW_MS, snowflakeTime } from '../snowflake.ts';
import { drawPart, messageBody, uploads } from './message-body.ts';
import { AUTO_ARCHIVE_MINUTES } from './threads.ts';

const MEMORY_PREFIX = 'post:';
/** A part that is older is not tried again. */
const REMEMBERED_MS = 24 * 60 * 60_000;
/** https://docs.discord.com/developers/resources/channel#start-thread-in-forum-or-media-channel */
const MAX_TITLE_LENGTH = 100;

const entrySchema = z.object({
  name: z.string(),
  begunAt: z.number(),
  id: z.string().optional(),
});
type Entry = z.infer<typeof entrySchema>;

export interface ForumPosts {
  /** Whether the channel is known to take posts only, without asking. */
  isKnown(channelId: string): boolean;
  /** Asks Discord whether the channel takes posts only. */
  isForum(channelId: string): Promise<boolean>;
  /** Writes the part as a new post, unless it is there. Returns its id. */
  create(part: OutboundPart): Promise<string>;
  find(part: OutboundPart): Promise<string | undefined>;
  /** Forgets what is too old to be tried again. */
  tidy(): Promise<void>;
}

export function createForumPosts(parts: {
  call: CallDiscord;
  lookups: Lookups;
  memory: AdapterMemory;
  clock: Clock;
}): ForumPosts {
  const { call, lookups, memory, clock } = parts;
  const forums = new Set<string>();

  /** Those that may be tried again. Older ones are forgotten on the way, since nobody else takes them away. */
  async function remembered(): Promise<ReadonlyMap<string, Entry>> {
    const known = new Map<string, Entry>();
    for (const { key, value } of await memory.list(MEMORY_PREFIX)) {
      const entry = entrySchema.parse(JSON.parse(value));
      if (clock.now() - entry.begunAt > REMEMBERED_MS) await memory.remove(key);
      else known.set(key, entry);
    }
    return known;
  }

  async function find(part: OutboundPart): Promise<string | undefined> {
    const known = await remembered();
    const entry = known.get(keyOf(part));
    if (!entry || entry.id !== undefined) return entry?.id;
    const others = new Set([...known.values()].map(({ id }) => id));
    const forum = await lookups.channel(part.address.conversation);
    const posts = await activePosts(forum);
    return posts.find(
      ({ id, name }) =>
        name === entry.name && !others.has(id) && snowflakeTime(id) >= entry.begunAt - CLOCK_SKEW_MS,
    )?.id;
  }

  /** The bot's own, oldest first. */
  async function activePosts({ id: forum, guild_id: guild }: DiscordChannel): Promise<DiscordChannel[]> {
    if (guild === undefined) return [];
    const self = await lookups.selfId();
    const { threads } = await call({
      what: 'look for a post',
      method: 'GET',
      route: Routes.guildActiveThreads(guild),
      answer: activeThreadsSchema,
    });
    return threads
      .filter(({ parent_id, owner_id }) => parent_id === forum && owner_id === self)
      .sort((a, b) => snowflakeTime(a.id) - snowflakeTime(b.id));
  }

  async function write(part: OutboundPart, name: string): Promise<string> {
    const forum = await lookups.channel(part.address.conversation);
    const drawn = drawPart(part);
    for (const { key, value } of drawn.remember) await memory.set(key, value);
    const files = uploads(part.file);
    const { id } = await call({
      what: 'write a post',
      method: 'POST',
      route: Routes.threads(forum.id),
      body: {
        name,
        auto_archive_duration: AUTO_ARCHIVE_MINUTES,
        ...requiredTag(forum),
        message: messageBody(drawn),
      },
      ...(files.length > 0 && { files }),
      answer: sentSchema,
    });
    return id;
  }

  return {
    isKnown: (channelId) => forums.has(channelId),
    async isForum(channelId) {
      const { type } = await lookups.channel(channelId);
      const isForum = type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
      if (isForum) forums.add(channelId);
      return isForum;
    },
    find,
    async create(part) {
      const found = await find(part);
      const name = threadTitle(
        part.card?.title ?? part.card?.label,
        part.text,
        MAX_TITLE_LENGTH,
        (text) => text,
      );
      const entry: Entry = { name, begunAt: clock.now() };
      if (found === undefined) await memory.set(keyOf(part), JSON.stringify(entry));
      const id = found ?? (await write(part, name));
      await memory.set(keyOf(part), JSON.stringify({ ...entry, id }));
      return id;
    },
    async tidy() {
      await remembered();
    },
  };
}

const keyOf = ({ id }: OutboundPart): string => MEMORY_PREFIX + id;

/** The first tag that anybody may set, where the forum wants one. */
function requiredTag({ flags = 0, available_tags: tags = [] }: DiscordChannel) {
  if ((flags & ChannelFlags.RequireTag) === 0) return {};
  const tag = tags.find(({ moderated }) => !moderated) ?? tags[0];
  return tag ? { applied_tags: [tag.id] } : {};
}
