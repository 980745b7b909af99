/** The control interface of the fake Discord, as tests hold it. */
import type { Actor } from './actors.ts';
import type { CommandWrites } from './commands.ts';
import type { Faults } from './faults.ts';
import type { GatewayControl, GatewayDrop } from './gateway.ts';
import type { GuildControl } from './guild-control.ts';
import type { Journal } from './journal.ts';
import type { RateLimits } from './rate-limits.ts';
import type { SystemNotice } from './send-message.ts';
import type { Settings } from './settings.ts';
import type { Violation } from './violations.ts';
import type { Waits } from './waits.ts';
import type { Application, Message, User, World } from './world.ts';

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

export interface FakeDiscord extends GuildControl, Waits {
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

  setFlags(flags: number): void;
  /** The members of the team that owns the application, its owner first; none for an application of one person. */
  setTeam(members: readonly Actor[]): void;
  /** The token is worth nothing from now on: 401, and close code 4004. */
  revokeToken(): void;
  /** A message that Discord writes in somebody's name, such as a boost (8) or a join (7). */
  postSystemMessage(notice: Omit<SystemNotice, 'author'> & { author: Actor | User }): Message;

  /** The event of that message once more, as Discord sometimes sends one twice. */
  redeliver(message: Message): void;
  dropGateway(how?: GatewayDrop): void;
  /** Cuts the connections and takes none; what happens is told only to a session that is resumed later. */
  pauseGateway(): void;
  resumeGateway(): void;
  /** Ends everything; nothing is left behind. */
  stop(): Promise<void>;
}
