/**
 * What exists on the fake Discord: plain state without rules. The rules are in the files that change it; tests may read
 * all of it and should change it through the control interface only, so that the gateway hears of it.
 */
import type { Snowflake } from './snowflakes.ts';

/** A JSON object as it goes over the wire. */
export type Json = Record<string, unknown>;

export interface User {
  readonly id: Snowflake;
  name: string;
  readonly isBot: boolean;
  /** False: refuses direct messages (50007). */
  takesDms: boolean;
}

export interface Role {
  readonly id: Snowflake;
  readonly name: string;
  permissions: bigint;
}

export interface Overwrite {
  /** A role's or a user's id. */
  readonly id: Snowflake;
  readonly kind: 'role' | 'member';
  readonly allow: bigint;
  readonly deny: bigint;
}

export interface Member {
  readonly user: User;
  readonly roles: Set<Snowflake>;
  readonly joinedAt: number;
  /** Until then the member may only look on. */
  timedOutUntil: number | undefined;
}

export interface Guild {
  readonly id: Snowflake;
  name: string;
  readonly ownerId: Snowflake;
  readonly roles: Map<Snowflake, Role>;
  readonly members: Map<Snowflake, Member>;
  isUnavailable: boolean;
}

/** Channel types by their numbers on the wire. */
export const CHANNEL_TYPES = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  'announcement-thread': 10,
  'public-thread': 11,
  'private-thread': 12,
  stage: 13,
  forum: 15,
  media: 16,
} as const;
export type ChannelType = keyof typeof CHANNEL_TYPES;

export interface ForumTag {
  readonly id: Snowflake;
  readonly name: string;
}

export interface ThreadState {
  readonly ownerId: Snowflake;
  readonly createdAt: number;
  isArchived: boolean;
  isLocked: boolean;
  autoArchiveMinutes: number;
  archiveChangedAt: number;
  tags: readonly Snowflake[];
  readonly members: Set<Snowflake>;
}

export interface Channel {
  readonly id: Snowflake;
  readonly type: ChannelType;
  readonly guildId?: Snowflake;
  readonly parentId?: Snowflake;
  name: string;
  topic: string | null;
  overwrites: readonly Overwrite[];
  /** The people of a direct channel, without the bot. */
  readonly recipients: readonly User[];
  readonly thread?: ThreadState;
  /** Forum and media channels. */
  readonly tags: readonly ForumTag[];
  readonly needsTag: boolean;
}

export interface Attachment {
  readonly id: Snowflake;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly description?: string;
}

export interface MessageReference {
  readonly messageId: Snowflake;
  readonly channelId: Snowflake;
}

export interface Message {
  readonly id: Snowflake;
  readonly channelId: Snowflake;
  readonly author: User;
  readonly at: number;
  /** The message type's number: 0 default, 19 reply, 20 answer to a command, 6 pin, 18 and 21 for threads. */
  readonly type: number;
  content: string;
  embeds: readonly Json[];
  components: readonly Json[];
  attachments: readonly Attachment[];
  flags: number;
  editedAt: number | null;
  isPinned: boolean;
  isTts: boolean;
  /** The users whom the message mentions with effect. */
  mentions: readonly User[];
  mentionedRoles: readonly Snowflake[];
  mentionsEveryone: boolean;
  readonly reference?: MessageReference;
  /** Emoji as in the path of the request, to who reacted. */
  readonly reactions: Map<string, Set<Snowflake>>;
  /** The interaction that it answers. */
  readonly interactionId?: Snowflake;
  /** Seen by this user only; such a message is in no channel's history. */
  readonly onlyFor?: Snowflake;
  isDeleted: boolean;
}

/** Whom one new message made a sound for. */
export interface Ping {
  readonly messageId: Snowflake;
  readonly channelId: Snowflake;
  readonly authorId: Snowflake;
  readonly users: readonly Snowflake[];
  readonly roles: readonly Snowflake[];
  readonly isEveryone: boolean;
}

export interface Application {
  readonly id: Snowflake;
  name: string;
  flags: number;
  ownerId: Snowflake;
  readonly teamId: Snowflake;
  /** Members of the owning team, the first one its owner; empty when one person owns the application. */
  teamMemberIds: readonly Snowflake[];
}

export interface Command {
  readonly id: Snowflake;
  readonly guildId?: Snowflake;
  /** As Discord answers it, all defaults filled in. */
  readonly definition: Json;
}

export interface InteractionAck {
  /** The callback's type: 4 answer, 5 deferred, 6 deferred update, 7 update, 8 choices, 9 modal. */
  readonly type: number;
  readonly at: number;
  readonly isEphemeral: boolean;
  readonly data: Json;
}

export interface Interaction {
  readonly id: Snowflake;
  readonly token: string;
  /** 2 command, 3 component, 4 autocomplete, 5 modal. */
  readonly type: number;
  readonly at: number;
  readonly user: User;
  readonly channelId: Snowflake;
  readonly guildId?: Snowflake;
  readonly data: Json;
  /** The message whose component was used. */
  readonly source?: Message;
  ack?: InteractionAck;
  original?: Message;
  readonly followups: Message[];
  /** True once the original has its words: at once, or by the edit after a deferred answer. */
  hasAnswer: boolean;
}

export interface Typing {
  readonly channelId: Snowflake;
  readonly userId: Snowflake;
  readonly at: number;
}

export interface World {
  readonly bot: User;
  readonly application: Application;
  readonly users: Map<Snowflake, User>;
  readonly guilds: Map<Snowflake, Guild>;
  readonly channels: Map<Snowflake, Channel>;
  /** By channel, oldest first. */
  readonly messages: Map<Snowflake, Map<Snowflake, Message>>;
  /** By the user who sees them, oldest first. */
  readonly ephemerals: Map<Snowflake, Message[]>;
  readonly attachments: Map<Snowflake, Attachment>;
  readonly commands: Map<Snowflake, Command>;
  readonly interactions: Map<Snowflake, Interaction>;
  readonly pings: Ping[];
  readonly typing: Typing[];
}

export function createWorld(bot: User, application: Application): World {
  return {
    bot,
    application,
    users: new Map([[bot.id, bot]]),
    guilds: new Map(),
    channels: new Map(),
    messages: new Map(),
    ephemerals: new Map(),
    attachments: new Map(),
    commands: new Map(),
    interactions: new Map(),
    pings: [],
    typing: [],
  };
}

export const isThread = (channel: Channel): channel is Channel & { readonly thread: ThreadState } =>
  channel.thread !== undefined;

export const messagesOf = (world: World, channelId: Snowflake): readonly Message[] => [
  ...(world.messages.get(channelId)?.values() ?? []),
];

export const channelsOf = (world: World, guildId: Snowflake): readonly Channel[] =>
  [...world.channels.values()].filter((channel) => channel.guildId === guildId);
