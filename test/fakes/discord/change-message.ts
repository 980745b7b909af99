/** Messages are edited, deleted, pinned and reacted to. */
import { refuse } from './api-error.ts';
import { storeUploads, type UploadedFile } from './attachments.ts';
import { publishMessageDelete, publishMessageUpdate, publishReaction } from './message-events.ts';
import { brokenMessage, formError } from './message-rules.ts';
import { keptComponents, keptEmbeds } from './normalise.ts';
import { demand, may } from './permissions.ts';
import { findMentions } from './pings.ts';
import type { Platform } from './platform.ts';
import { FLAG_LOADING } from './wire-message.ts';
import { type Channel, isThread, type Json, type Message, type User } from './world.ts';

const EDITABLE_FLAGS = 1 << 2;

function demandOpen(channel: Channel): void {
  if (isThread(channel) && channel.thread.isArchived) throw refuse(50083);
}

/** Only the author edits, and nobody in an archived thread. Throws ApiError. */
export function editMessage(
  platform: Platform,
  channel: Channel,
  edit: { message: Message; user: User; body: Json; files?: readonly UploadedFile[] },
): void {
  demand(platform.world, channel, edit.user.id);
  if (edit.message.author.id !== edit.user.id) throw refuse(50005);
  demandOpen(channel);
  applyEdit(platform, edit);
  publishMessageUpdate(platform, edit.message);
}

/** Changes the fields that the body names; what it leaves out stays. */
export function applyEdit(
  platform: Platform,
  { message, body, files = [] }: { message: Message; body: Json; files?: readonly UploadedFile[] },
): void {
  const broken = brokenMessage(body)[0];
  if (broken) throw formError(broken);
  const next = {
    content: 'content' in body ? String(body.content ?? '').trim() : message.content,
    embeds: 'embeds' in body ? keptEmbeds(body.embeds) : message.embeds,
    components: 'components' in body ? keptComponents(body.components) : message.components,
    attachments: [...keptAttachments(message, body), ...storeUploads(platform, files, body)],
  };
  const isEmpty =
    next.content === '' &&
    next.embeds.length === 0 &&
    next.components.length === 0 &&
    next.attachments.length === 0;
  if (isEmpty) throw refuse(50006);
  Object.assign(message, next);
  if ('flags' in body)
    message.flags = (message.flags & ~EDITABLE_FLAGS) | (Number(body.flags) & EDITABLE_FLAGS);
  message.flags &= ~FLAG_LOADING;
  message.editedAt = platform.now();
  remention(platform, message, body);
  platform.changed();
}

function keptAttachments(message: Message, body: Json): Message['attachments'] {
  if (!Array.isArray(body.attachments)) return message.attachments;
  const kept = new Set((body.attachments as readonly Json[]).map(({ id }) => String(id)));
  return message.attachments.filter(({ id }) => kept.has(id));
}

/** An edit changes who is mentioned; it makes no sound. */
function remention(platform: Platform, message: Message, body: Json): void {
  const channel = platform.world.channels.get(message.channelId);
  if (!channel || !('content' in body)) return;
  const replied = message.reference
    ? platform.world.messages.get(message.reference.channelId)?.get(message.reference.messageId)
    : undefined;
  const wasPinged = replied && message.mentions.includes(replied.author);
  const mentions = findMentions(platform.world, channel, {
    author: message.author,
    content: message.content,
    allowed: body.allowed_mentions,
    ...(wasPinged ? { replied: replied.author } : {}),
  });
  message.mentions = mentions.users;
  message.mentionedRoles = mentions.roles;
  message.mentionsEveryone = mentions.isEveryone;
}

export function deleteMessage(platform: Platform, channel: Channel, message: Message, user: User): void {
  demand(platform.world, channel, user.id);
  if (message.author.id !== user.id) demand(platform.world, channel, user.id, 'manageMessages');
  removeMessage(platform, message);
}

export function removeMessage(platform: Platform, message: Message): void {
  message.isDeleted = true;
  if (message.onlyFor === undefined) {
    platform.world.messages.get(message.channelId)?.delete(message.id);
    publishMessageDelete(platform, message);
  } else {
    const left = (platform.world.ephemerals.get(message.onlyFor) ?? []).filter((each) => each !== message);
    platform.world.ephemerals.set(message.onlyFor, left);
  }
  platform.changed();
}

interface Reacting {
  readonly message: Message;
  readonly user: User;
  readonly emoji: string;
}

export function addReaction(platform: Platform, channel: Channel, { message, user, emoji }: Reacting): void {
  const { world } = platform;
  demand(world, channel, user.id, 'readMessageHistory');
  demandOpen(channel);
  const users = message.reactions.get(emoji) ?? new Set<string>();
  if (users.size === 0 && !may(world, channel, user.id, 'addReactions')) throw refuse(50013);
  if (users.has(user.id)) return;
  message.reactions.set(emoji, users.add(user.id));
  publishReaction(platform, 'MESSAGE_REACTION_ADD', { message, user, emoji });
  platform.changed();
}

export function removeReaction(
  platform: Platform,
  channel: Channel,
  { message, user, emoji }: Reacting,
): void {
  demand(platform.world, channel, user.id);
  demandOpen(channel);
  const users = message.reactions.get(emoji);
  if (!users?.delete(user.id)) return;
  if (users.size === 0) message.reactions.delete(emoji);
  publishReaction(platform, 'MESSAGE_REACTION_REMOVE', { message, user, emoji });
  platform.changed();
}

export function setPinned(
  platform: Platform,
  channel: Channel,
  { message, user, isPinned }: { message: Message; user: User; isPinned: boolean },
): void {
  const { world } = platform;
  demand(world, channel, user.id);
  if (!may(world, channel, user.id, 'pinMessages')) demand(world, channel, user.id, 'manageMessages');
  demandOpen(channel);
  message.isPinned = isPinned;
  publishMessageUpdate(platform, message);
  platform.changed();
}
