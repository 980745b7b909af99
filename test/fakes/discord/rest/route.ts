/** What a REST route is: a method, a path with named parts, and what it does. */
import { refuse } from '../api-error.ts';
import type { UploadedFile } from '../attachments.ts';
import type { CommandWrites } from '../commands.ts';
import type { Platform } from '../platform.ts';
import type { NonceMemory } from '../send-message.ts';
import type { Channel, Guild, Json, Message, User } from '../world.ts';

export interface ApiRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

export interface ApiAnswer {
  readonly status: number;
  /** Nothing for 204. */
  readonly body?: unknown;
}

/** The state of the REST side beside the world. */
export interface RestSide {
  readonly platform: Platform;
  readonly nonces: NonceMemory;
  readonly commandWrites: CommandWrites;
  /** For `GET /gateway/bot`. */
  readonly gatewayInfo: () => Json;
}

export interface Route {
  readonly method: string;
  /** Such as `/channels/:channel/messages`. */
  readonly path: string;
  /** Calls with a token in their path come without an Authorization header. */
  readonly isOpen?: boolean;
  readonly run: (side: RestSide, request: ApiRequest) => ApiAnswer;
}

export const ok = (body: unknown, status = 200): ApiAnswer => ({ status, body });
export const nothing: ApiAnswer = { status: 204 };

export const bodyOf = ({ body }: ApiRequest): Json =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Json) : {};

/** The channel of the path. Throws 10003. */
export function channelOf({ platform }: RestSide, { params }: ApiRequest): Channel {
  const channel = platform.world.channels.get(params.channel ?? '');
  if (!channel) throw refuse(10003);
  return channel;
}

/** The message of the path. Throws 10008. */
export function messageOf({ platform }: RestSide, { params }: ApiRequest): Message {
  const message = platform.world.messages.get(params.channel ?? '')?.get(params.message ?? '');
  if (!message) throw refuse(10008);
  return message;
}

/** A guild that the bot is in. Throws 10004. */
export function guildOf({ platform }: RestSide, { params }: ApiRequest): Guild {
  const guild = platform.world.guilds.get(params.guild ?? '');
  if (!guild?.members.has(platform.world.bot.id)) throw refuse(10004);
  return guild;
}

export function userOf({ platform }: RestSide, { params }: ApiRequest): User {
  const { world } = platform;
  const user = params.user === '@me' ? world.bot : world.users.get(params.user ?? '');
  if (!user) throw refuse(10013);
  return user;
}
