/**
 * A message is written, by the bot or by a person: the same rules for both. Archived threads open again, enforced nonces
 * give back the message that is there, mentions are worked out, and the gateway is told.
 */
import { ApiError, refuse } from './api-error.ts';
import { storeUploads, type UploadedFile } from './attachments.ts';
import { publishMessageCreate } from './message-events.ts';
import { brokenMessage, formError } from './message-rules.ts';
import { keptComponents, keptEmbeds } from './normalise.ts';
import { demand, may } from './permissions.ts';
import { findMentions } from './pings.ts';
import type { Platform } from './platform.ts';
import { wakeThread } from './threads.ts';
import { FLAG_EPHEMERAL } from './wire-message.ts';
import { type Channel, isThread, type Json, type Message, type User } from './world.ts';

const TEXTLESS: ReadonlySet<Channel['type']> = new Set(['category', 'forum', 'media']);
/** Suppressed embeds, no notification, components v2. */
const SETTABLE_FLAGS = (1 << 2) | (1 << 12) | (1 << 15);

export interface NewMessage {
  readonly channel: Channel;
  readonly author: User;
  readonly body: Json;
  readonly files?: readonly UploadedFile[];
  /** The interaction that it answers; such messages need no permissions of their own. */
  readonly interactionId?: string;
  readonly extraFlags?: number;
  /** Default 0, or 19 for a reply. */
  readonly type?: number;
  readonly onlyFor?: string;
  /** Default: a new one. The first post of a forum thread has the thread's. */
  readonly id?: string;
}

export function demandWriting(platform: Platform, channel: Channel, userId: string): void {
  const { world } = platform;
  demand(world, channel, userId);
  if (TEXTLESS.has(channel.type)) throw refuse(50008);
  demand(world, channel, userId, isThread(channel) ? 'sendMessagesInThreads' : 'sendMessages');
  if (channel.recipients.some(({ takesDms }) => !takesDms)) throw refuse(50007);
  if (isThread(channel) && channel.thread.isLocked && !may(world, channel, userId, 'manageThreads'))
    throw refuse(channel.thread.isArchived ? 50083 : 160005);
}

function demandParts(platform: Platform, { channel, author, body, files = [] }: NewMessage): void {
  const embeds = (body.embeds ?? []) as readonly Json[];
  if (embeds.length > 0) demand(platform.world, channel, author.id, 'embedLinks');
  if (files.length > 0) demand(platform.world, channel, author.id, 'attachFiles');
}

export function checkBody(body: Json, files: readonly UploadedFile[]): void {
  const broken = brokenMessage(body)[0];
  if (broken) throw formError(broken);
  const parts = [body.embeds, body.components, body.sticker_ids].some(
    (value) => Array.isArray(value) && value.length > 0,
  );
  const hasText = typeof body.content === 'string' && body.content.trim() !== '';
  if (!hasText && !parts && files.length === 0 && !body.poll) throw refuse(50006);
}

/** The message replied to; without it, an error or a plain message, as the request asks. */
function findReference(platform: Platform, { channel, author, body }: NewMessage): Message | undefined {
  const given = body.message_reference as Json | null | undefined;
  if (!given) return undefined;
  if (!may(platform.world, channel, author.id, 'readMessageHistory')) throw refuse(160002);
  const target = platform.world.messages.get(channel.id)?.get(String(given.message_id));
  if (!target && given.fail_if_not_exists !== false)
    throw new ApiError(400, 50035, 'Invalid Form Body', {
      message_reference: {
        _errors: [{ code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' }],
      },
    });
  return target;
}

/** The message that the same author sent with that nonce a moment ago. */
export type NonceMemory = Map<string, { readonly message: Message; readonly at: number }>;

const nonceKey = ({ author, body }: NewMessage): string => `${author.id}/${String(body.nonce)}`;

function rememberedBy(platform: Platform, nonces: NonceMemory, request: NewMessage): Message | undefined {
  if (request.body.enforce_nonce !== true) return undefined;
  const known = nonces.get(nonceKey(request));
  if (!known || known.message.isDeleted) return undefined;
  return platform.now() - known.at <= platform.settings.nonceWindowMs ? known.message : undefined;
}

/** Writes it, or gives back the one that its enforced nonce stands for. Throws ApiError. */
export function sendMessage(platform: Platform, nonces: NonceMemory, request: NewMessage): Message {
  const { channel, author, body, files = [] } = request;
  demandWriting(platform, channel, author.id);
  demandParts(platform, request);
  checkBody(body, files);
  const known = rememberedBy(platform, nonces, request);
  if (known) return known;
  const replied = findReference(platform, request);
  if (isThread(channel)) wakeThread(platform, channel);
  const message = writeMessage(platform, request, replied);
  const { nonce } = body as { nonce?: string | number | null };
  if (nonce !== undefined && nonce !== null) nonces.set(nonceKey(request), { message, at: platform.now() });
  publishMessageCreate(platform, message, nonce ?? undefined);
  return message;
}

/** Puts a message into the world without asking whether it may be there, and without telling the gateway. */
export function writeMessage(platform: Platform, request: NewMessage, replied?: Message): Message {
  const { world } = platform;
  const { channel, author, body, files = [] } = request;
  const content = typeof body.content === 'string' ? body.content.trim() : '';
  const mentions = findMentions(world, channel, {
    author,
    content,
    allowed: body.allowed_mentions,
    ...(replied ? { replied: replied.author } : {}),
  });
  const message: Message = {
    id: request.id ?? platform.newId(),
    channelId: channel.id,
    author,
    at: platform.now(),
    type: request.type ?? (replied ? 19 : 0),
    content,
    embeds: keptEmbeds(body.embeds),
    components: keptComponents(body.components),
    attachments: storeUploads(platform, files, body),
    flags: (Number(body.flags ?? 0) & SETTABLE_FLAGS) | (request.extraFlags ?? 0),
    editedAt: null,
    isPinned: false,
    isTts: body.tts === true,
    mentions: mentions.users,
    mentionedRoles: mentions.roles,
    mentionsEveryone: mentions.isEveryone,
    ...(replied ? { reference: { messageId: replied.id, channelId: replied.channelId } } : {}),
    reactions: new Map(),
    ...(request.interactionId === undefined ? {} : { interactionId: request.interactionId }),
    ...(request.onlyFor === undefined ? {} : { onlyFor: request.onlyFor }),
    isDeleted: false,
  };
  keepMessage(platform, message);
  if (mentions.users.length > 0 || mentions.roles.length > 0 || mentions.isEveryone)
    world.pings.push({
      messageId: message.id,
      channelId: channel.id,
      authorId: author.id,
      users: mentions.users.map(({ id }) => id),
      roles: mentions.roles,
      isEveryone: mentions.isEveryone,
    });
  if (isThread(channel) && message.onlyFor === undefined) channel.thread.members.add(author.id);
  platform.changed();
  return message;
}

function keepMessage(platform: Platform, message: Message): void {
  const { world } = platform;
  if (message.onlyFor !== undefined || message.flags & FLAG_EPHEMERAL) {
    const key = message.onlyFor ?? '';
    world.ephemerals.set(key, [...(world.ephemerals.get(key) ?? []), message]);
    return;
  }
  const inChannel = world.messages.get(message.channelId) ?? new Map<string, Message>();
  inChannel.set(message.id, message);
  world.messages.set(message.channelId, inChannel);
}

/** A notice that Discord itself writes in a person's name, such as a pin. */
export function systemMessage(
  platform: Platform,
  { channel, author, type, content = '', replied }: SystemNotice,
): Message {
  const message = writeMessage(
    platform,
    { channel, author, body: { content, allowed_mentions: { parse: [] } }, type },
    replied,
  );
  publishMessageCreate(platform, message);
  return message;
}

export interface SystemNotice {
  readonly channel: Channel;
  readonly author: User;
  readonly type: number;
  readonly content?: string;
  readonly replied?: Message;
}
