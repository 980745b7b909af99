/**
 * A Discord of our own, on this machine: it speaks the REST and gateway protocol, so that the real client library runs
 * against it, and is driven from tests by people (`addUser`) and by faults. It binds 127.0.0.1 and keeps nothing on disk.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Actor, createActor } from './actors.ts';
import { createApiServer } from './api-server.ts';
import { type CommandWrites, createCommandWrites } from './commands.ts';
import { createFaults, type Faults } from './faults.ts';
import { createGateway, type GatewayControl, type GatewayDrop } from './gateway.ts';
import { createJournal, type Journal } from './journal.ts';
import { type Permission, permissionBits } from './permissions.ts';
import {
  type ChannelSpec,
  joinGuild,
  makeChannel,
  makeGuild,
  makeOverwrites,
  makeRole,
  type OverwriteSpec,
  publishChannel,
  publishGuildCreate,
  publishMember,
  publishRole,
  removeBot,
  removeChannel,
  removeGuild,
  setUnavailable,
} from './places.ts';
import type { Platform } from './platform.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { type SystemNotice, systemMessage } from './send-message.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';
import { createSnowflakes } from './snowflakes.ts';
import type { Thread } from './threads.ts';
import { createViolationLog, type Violation } from './violations.ts';
import { textOf, type VisibleMessage, visibleMessage } from './visible.ts';
import { createWatch } from './watch.ts';
import { FLAG_LOADING } from './wire-message.ts';
import {
  type Application,
  type Channel,
  createWorld,
  type Guild,
  isThread,
  type Message,
  messagesOf,
  type Role,
  type User,
  type World,
} from './world.ts';

export type { Actor, ActorMessage, Choice } from './actors.ts';
export type { InteractionHandle } from './answer.ts';
export type { Faults, Gate } from './faults.ts';
export type { JournalEntry } from './journal.ts';
export type { ChannelSpec } from './places.ts';
export { APPLICATION_FLAGS } from './platform.ts';
export { snowflakeAt } from './snowflakes.ts';
export type { Thread } from './threads.ts';
export type { VisibleMessage } from './visible.ts';
export type { Channel, Guild, Message, Role, User, World } from './world.ts';

export interface FakeDiscordOptions extends Partial<Settings> {
  /** Default 0: a free one. */
  readonly port?: number;
  /** Epoch ms; ids, nonce windows and interaction deadlines go by it. Default: the real time. */
  readonly now?: () => number;
  /** The application's flags, see APPLICATION_FLAGS. Default 0: no privileged intent is granted. */
  readonly flags?: number;
  /** Default `skein`. */
  readonly botName?: string;
}

export interface ReplyWait {
  /** Only messages after this one. */
  readonly after?: Message;
  /** A part of the visible text, a pattern, or a question. */
  readonly matching?: string | RegExp | ((message: Message) => boolean);
  /** Default `bot`. */
  readonly from?: 'bot' | 'anyone';
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

export interface ThreadWait {
  readonly parent?: Channel;
  /** A part of its name, or a pattern. */
  readonly named?: string | RegExp;
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

export interface FakeDiscord {
  /** For the client's `rest.api`; ends in `/api`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly botUser: User;
  readonly application: Application;
  /** The owner of the application and of the guilds. */
  readonly owner: Actor;
  readonly world: World;
  readonly settings: Settings;
  readonly journal: Journal;
  /** What the bot's requests broke; empty at the end of a good test. */
  readonly violations: readonly Violation[];
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly gateway: GatewayControl;
  /** Writes of application commands, and the new ones of the day. */
  readonly commandWrites: CommandWrites;

  /** With a channel `general` unless others are named; the owner and the bot are in it. The bot is told. */
  addGuild(spec: {
    name: string;
    id?: string;
    channels?: readonly (ChannelSpec | string)[];
    owner?: Actor;
    /** A role of the bot's own with these permissions, beside what everyone may do. */
    botPermissions?: readonly Permission[];
  }): Guild;
  addChannel(guild: Guild, spec: ChannelSpec): Channel;
  /** By its name; throws when there is none. */
  channel(guild: Guild, name: string): Channel;
  addRole(guild: Guild, spec: { name: string; permissions?: readonly Permission[] }): Role;
  /** A member of all guilds that there are, unless `guilds` names others. */
  addUser(spec: { name: string; isBot?: boolean; guilds?: readonly Guild[]; roles?: readonly Role[] }): Actor;
  /** Joins, or gets more roles. The bot's own joining and roles are told to it always. */
  addMember(guild: Guild, user: Actor | User, roles?: readonly Role[]): void;
  /** Until that time (epoch ms) the member may only look on; undefined ends it. The world does not end it by itself. */
  timeOut(guild: Guild, user: Actor | User, untilAt: number | undefined): void;
  removeMember(guild: Guild, user: Actor | User): void;
  /** The channel's overwrites become these; the bot is told. */
  setOverwrites(channel: Channel, overwrites: readonly OverwriteSpec[]): void;
  /** What everyone may do in the guild becomes this. */
  setEveryone(guild: Guild, permissions: readonly Permission[]): void;
  deleteChannel(channel: Channel): void;
  /** The bot leaves the guild. */
  removeBot(guild: Guild): void;
  deleteGuild(guild: Guild): void;
  setUnavailable(guild: Guild, isUnavailable: boolean): void;
  setFlags(flags: number): void;
  /** The members of the team that owns the application, its owner first; none for an application of one person. */
  setTeam(members: readonly Actor[]): void;
  /** The token is worth nothing from now on: 401, and close code 4004. */
  revokeToken(): void;
  /** A message that Discord writes in somebody's name, such as a boost (8) or a join (7). */
  postSystemMessage(notice: Omit<SystemNotice, 'author'> & { author: Actor | User }): Message;

  dropGateway(how?: GatewayDrop): void;
  /** Cuts the connections and takes none; what happens is told only to a session that is resumed later. */
  pauseGateway(): void;
  resumeGateway(): void;
  /** Resolves when so many sessions (default 1) are connected. */
  waitForGateway(connections?: number, timeoutMs?: number): Promise<void>;

  /** The first message that fits. The object is live: it changes with edits. */
  waitForReply(channel: Channel, wait?: ReplyWait): Promise<Message>;
  waitForThread(wait?: ThreadWait): Promise<Thread>;
  /** Resolves with the first answer that is not undefined, asked after each change of the world. */
  waitFor<T>(what: string, probe: () => T | undefined, timeoutMs?: number): Promise<T>;
  /** The stored messages, oldest first, live. */
  messages(channel: Channel): readonly Message[];
  /** The same as people see them, without what Discord writes itself. */
  visible(channel: Channel): readonly VisibleMessage[];
  /** Ends everything; nothing is left behind. */
  stop(): Promise<void>;
}

const userOf = (user: Actor | User): User => ('user' in user ? user.user : user);

function tokenFor(id: string): string {
  const letters = Array.from({ length: 38 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
  return `${Buffer.from(id).toString('base64url')}.Gfakes.${letters}`;
}

/** Written by Discord itself: a rename, a pin, the beginning of a thread. */
const isNotice = ({ type }: Message): boolean => type !== 0 && type !== 19 && type !== 20;

function fits(message: Message, { after, matching, from = 'bot' }: ReplyWait, botId: string): boolean {
  if (from === 'bot' && message.author.id !== botId) return false;
  if (message.flags & FLAG_LOADING || isNotice(message)) return false;
  if (after && BigInt(message.id) <= BigInt(after.id)) return false;
  if (matching === undefined) return true;
  if (typeof matching === 'function') return matching(message);
  const text = textOf(message);
  return typeof matching === 'string' ? text.includes(matching) : matching.test(text);
}

export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const { port = 0, now = Date.now, flags = 0, botName = 'skein', ...changed } = options;
  const settings: Settings = { ...DEFAULT_SETTINGS, ...changed };
  const newId = createSnowflakes(now);
  const newUser = (name: string, isBot: boolean): User => ({ id: newId(), name, isBot, takesDms: true });
  const bot = newUser(botName, true);
  const ownerUser = newUser('owner', false);
  const application: Application = {
    id: bot.id,
    name: botName,
    flags,
    ownerId: ownerUser.id,
    teamMemberIds: [],
  };
  const world = createWorld(bot, application);
  world.users.set(ownerUser.id, ownerUser);
  const watch = createWatch();
  const token = tokenFor(bot.id);
  let isRevoked = false;
  const isToken = (given: unknown) => given === token && !isRevoked;

  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fake Discord has no port');
  const host = `127.0.0.1:${address.port}`;

  const platform: Platform = {
    world,
    settings,
    now,
    newId,
    fileUrl: () => `http://${host}`,
    publish: (event) => gateway.publish(event),
    changed: () => watch.changed(),
  };
  const gateway = createGateway({ platform, server, url: () => `ws://${host}/gateway`, isToken });
  const nonces = new Map();
  const commandWrites = createCommandWrites();
  const journal = createJournal();
  const faults = createFaults();
  const rateLimits = createRateLimits(now);
  const violations = createViolationLog();
  const side = { platform, nonces, commandWrites, gatewayInfo: gateway.info };
  server.on('request', createApiServer({ side, journal, faults, rateLimits, violations, isToken }));

  const actorFor = (user: User) => createActor({ platform, nonces, watch }, user);
  const owner = actorFor(ownerUser);
  const isStopped = { yes: false };

  return {
    apiUrl: `http://${host}/api`,
    token,
    botUser: bot,
    application,
    owner,
    world,
    settings,
    journal,
    violations: violations.list,
    faults,
    rateLimits,
    gateway,
    commandWrites,
    addGuild: ({ channels = ['general'], owner: ownedBy = owner, botPermissions, ...spec }) => {
      const guild = makeGuild(platform, { ...spec, owner: ownedBy.user });
      if (botPermissions) {
        const role = makeRole(platform, guild, {
          name: botName,
          permissions: permissionBits(botPermissions),
        });
        joinGuild(platform, guild, bot, [role]);
      }
      for (const channel of channels)
        makeChannel(platform, guild, typeof channel === 'string' ? { name: channel } : channel);
      publishGuildCreate(platform, guild);
      return guild;
    },
    addChannel: (guild, spec) => {
      const channel = makeChannel(platform, guild, spec);
      publishChannel(platform, 'CHANNEL_CREATE', channel);
      return channel;
    },
    channel: (guild, name) => {
      const found = [...world.channels.values()].find(
        (each) => each.guildId === guild.id && each.name === name,
      );
      if (!found) throw new Error(`there is no channel ${name} in ${guild.name}`);
      return found;
    },
    addRole: (guild, { name, permissions = [] }) => {
      const role = makeRole(platform, guild, { name, permissions: permissionBits(permissions) });
      publishRole(platform, 'GUILD_ROLE_CREATE', guild, role);
      return role;
    },
    addUser: ({ name, isBot = false, guilds = [...world.guilds.values()], roles = [] }) => {
      const user = newUser(name, isBot);
      world.users.set(user.id, user);
      for (const guild of guilds) {
        const own = roles.filter(({ id }) => guild.roles.has(id));
        joinGuild(platform, guild, user, own);
      }
      return actorFor(user);
    },
    addMember: (guild, user, roles = []) => {
      const isNew = !guild.members.has(userOf(user).id);
      const member = joinGuild(platform, guild, userOf(user), roles);
      publishMember(platform, guild, member, isNew);
    },
    timeOut: (guild, user, untilAt) => {
      const member = guild.members.get(userOf(user).id);
      if (!member) throw new Error(`${user.name} is not in ${guild.name}`);
      member.timedOutUntil = untilAt;
      publishMember(platform, guild, member, false);
    },
    removeMember: (guild, user) => {
      guild.members.delete(userOf(user).id);
      watch.changed();
    },
    setOverwrites: (channel, overwrites) => {
      const guild = world.guilds.get(channel.guildId ?? '');
      if (!guild) throw new Error(`${channel.name} is in no guild`);
      channel.overwrites = makeOverwrites(guild, overwrites);
      publishChannel(platform, 'CHANNEL_UPDATE', channel);
    },
    setEveryone: (guild, permissions) => {
      const everyone = guild.roles.get(guild.id);
      if (!everyone) return;
      everyone.permissions = permissionBits(permissions);
      publishRole(platform, 'GUILD_ROLE_UPDATE', guild, everyone);
    },
    deleteChannel: (channel) => removeChannel(platform, channel),
    removeBot: (guild) => removeBot(platform, guild),
    deleteGuild: (guild) => removeGuild(platform, guild),
    setUnavailable: (guild, isUnavailable) => setUnavailable(platform, guild, isUnavailable),
    setFlags: (next) => {
      application.flags = next;
    },
    setTeam: (members) => {
      application.teamMemberIds = members.map(({ id }) => id);
    },
    revokeToken: () => {
      isRevoked = true;
      gateway.drop({ code: 4004, isResumable: false });
    },
    postSystemMessage: ({ author, ...notice }) =>
      systemMessage(platform, { ...notice, author: userOf(author) }),
    dropGateway: gateway.drop,
    pauseGateway: gateway.pause,
    resumeGateway: gateway.resume,
    waitForGateway: async (connections = 1, timeoutMs) => {
      await watch.until(() => gateway.connections >= connections || undefined, {
        what: `${connections} gateway connections`,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    },
    waitForReply: (channel, wait = {}) =>
      watch.until(() => messagesOf(world, channel.id).find((message) => fits(message, wait, bot.id)), {
        what: `a message ${wait.matching === undefined ? '' : `matching ${wait.matching} `}in ${channel.name}`,
        ...(wait.timeoutMs === undefined ? {} : { timeoutMs: wait.timeoutMs }),
        seen: () => messagesOf(world, channel.id).map(visibleMessage),
      }),
    waitForThread: ({ parent, named, timeoutMs } = {}) =>
      watch.until(
        () =>
          [...world.channels.values()]
            .filter(isThread)
            .find(
              ({ parentId, name }) =>
                (parent === undefined || parentId === parent.id) &&
                (named === undefined ||
                  (typeof named === 'string' ? name.includes(named) : named.test(name))),
            ),
        {
          what: `a thread ${named === undefined ? '' : `named ${named}`}`,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          seen: () => [...world.channels.values()].filter(isThread).map(({ name }) => name),
        },
      ),
    waitFor: (what, probe, timeoutMs) =>
      watch.until(probe, { what, ...(timeoutMs === undefined ? {} : { timeoutMs }) }),
    messages: (channel) => messagesOf(world, channel.id),
    visible: (channel) =>
      messagesOf(world, channel.id)
        .filter((message) => !isNotice(message))
        .map(visibleMessage),
    stop: async () => {
      if (isStopped.yes) return;
      isStopped.yes = true;
      faults.openGates();
      await gateway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
