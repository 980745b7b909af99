/** The three ways to open a thread, with what Discord checks and says in each. */
import { refuse } from './api-error.ts';
import type { UploadedFile } from './attachments.ts';
import { publishMessageCreate, publishMessageUpdate } from './message-events.ts';
import { brokenThreadName, formError } from './message-rules.ts';
import { demand, type Permission } from './permissions.ts';
import type { Platform } from './platform.ts';
import { checkBody, systemMessage, writeMessage } from './send-message.ts';
import { addThread, FORUMS, publishThread, THREADABLE, type Thread } from './threads.ts';
import { FLAG_HAS_THREAD } from './wire-message.ts';
import type { Channel, ChannelType, Json, Message, User } from './world.ts';

const THREAD_CREATED = 18;
const THREAD_STARTER = 21;

const TYPES_BY_NUMBER: Record<number, ChannelType> = {
  10: 'announcement-thread',
  11: 'public-thread',
  12: 'private-thread',
};

interface Opening {
  readonly parent: Channel;
  readonly user: User;
  readonly body: Json;
}

function checkName(body: Json): string {
  const broken = brokenThreadName(body.name)[0];
  if (broken) throw formError(broken);
  return String(body.name);
}

const autoArchive = (body: Json) =>
  typeof body.auto_archive_duration === 'number' ? { autoArchiveMinutes: body.auto_archive_duration } : {};

/** The thread has the message's id, so a message holds only one. */
export function openFromMessage(
  platform: Platform,
  { parent, user, body }: Opening,
  message: Message,
): Thread {
  const { world } = platform;
  demand(world, parent, user.id);
  if (!THREADABLE.has(parent.type)) throw refuse(50024);
  demand(world, parent, user.id, 'createPublicThreads', 'readMessageHistory');
  const name = checkName(body);
  if (world.channels.has(message.id)) throw refuse(160004);
  const thread = addThread(platform, {
    id: message.id,
    parent,
    name,
    ownerId: user.id,
    ...autoArchive(body),
  });
  message.flags |= FLAG_HAS_THREAD;
  publishThread(platform, 'THREAD_CREATE', thread);
  publishMessageUpdate(platform, message);
  systemMessage(platform, {
    channel: thread,
    author: message.author,
    type: THREAD_STARTER,
    replied: message,
  });
  return thread;
}

/** A thread that hangs on no message; the channel shows a line about it. */
export function openPlain(platform: Platform, { parent, user, body }: Opening): Thread {
  const { world } = platform;
  demand(world, parent, user.id);
  if (!THREADABLE.has(parent.type)) throw refuse(50024);
  const type = TYPES_BY_NUMBER[Number(body.type ?? 12)];
  if (!type) throw refuse(50024);
  const needed: Permission = type === 'private-thread' ? 'createPrivateThreads' : 'createPublicThreads';
  demand(world, parent, user.id, needed);
  const name = checkName(body);
  const thread = addThread(platform, {
    id: platform.newId(),
    parent,
    name,
    ownerId: user.id,
    type,
    ...autoArchive(body),
  });
  publishThread(platform, 'THREAD_CREATE', thread);
  if (type !== 'private-thread')
    systemMessage(platform, { channel: parent, author: user, type: THREAD_CREATED, content: name });
  return thread;
}

/** A post: the thread and its first message are made together and share one id. */
export function openPost(
  platform: Platform,
  { parent, user, body, files = [] }: Opening & { files?: readonly UploadedFile[] },
): { thread: Thread; message: Message } {
  const { world } = platform;
  demand(world, parent, user.id, 'sendMessages');
  if (!FORUMS.has(parent.type)) throw refuse(50024);
  const name = checkName(body);
  const tags = (body.applied_tags ?? []) as readonly string[];
  if (parent.needsTag && tags.length === 0) throw refuse(40067);
  const first = (body.message ?? {}) as Json;
  checkBody(first, files);
  const id = platform.newId();
  const thread = addThread(platform, { id, parent, name, ownerId: user.id, tags, ...autoArchive(body) });
  const message = writeMessage(platform, { channel: thread, author: user, body: first, files, id });
  publishThread(platform, 'THREAD_CREATE', thread);
  publishMessageCreate(platform, message);
  return { thread, message };
}
