/**
 * One message that shows a reply while it is being written. That it is about to be posted is written down before, and its id
 * after, so that one that outlives its process is found and deleted.
 */
import { Routes } from 'discord.js';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { asChannelError } from '../errors.ts';
import { nonceOf } from '../outbound/nonce.ts';
import { messagesSchema, sentSchema } from '../schema.ts';
import { CLOCK_SKEW_MS, snowflakeAt, snowflakeTime } from '../snowflake.ts';
import { isPreviewText } from './preview-text.ts';

const MEMORY_PREFIX = 'preview:';
/** The post is made right after it is written down. */
const POSTED_WITHIN_MS = 60_000;

export interface PreviewContext {
  readonly call: CallDiscord;
  readonly selfId: () => Promise<string>;
  readonly memory: AdapterMemory;
}

/** Calls must follow each other. Both reject with whatever fails. */
export interface PreviewMessage {
  /** Posts it, or changes what it says. Once that was refused for good, nothing more is tried. */
  show(content: string): Promise<void>;
  /** Deletes it, if there is one. */
  remove(): Promise<void>;
}

export function createPreviewMessage(
  context: PreviewContext,
  channelId: string,
  startedAt: number,
): PreviewMessage {
  const { call, memory } = context;
  const key = `${MEMORY_PREFIX}${channelId}:${startedAt}`;
  let isBegun = false;
  let isRefused = false;
  let id: string | undefined;

  async function post(content: string): Promise<string> {
    if (!isBegun) await memory.set(key, '');
    isBegun = true;
    const sent = await call({
      what: 'show a preview',
      method: 'POST',
      route: Routes.channelMessages(channelId),
      body: { content, allowed_mentions: { parse: [] }, nonce: nonceOf(key), enforce_nonce: true },
      answer: sentSchema,
      isLossy: true,
    });
    await memory.set(key, sent.id);
    return sent.id;
  }

  async function change(message: string, content: string): Promise<void> {
    await call({
      what: 'go on with a preview',
      method: 'PATCH',
      route: Routes.channelMessage(channelId, message),
      body: { content, allowed_mentions: { parse: [] } },
      answer: anyAnswer,
      isLossy: true,
    });
  }

  return {
    async show(content) {
      if (isRefused) return;
      try {
        if (id === undefined) id = await post(content);
        else await change(id, content);
      } catch (thrown) {
        isRefused = !asChannelError(thrown, 'show a preview').isRetryable;
        throw thrown;
      }
    },
    async remove() {
      if (!isBegun) return;
      await removeLeftover(context, { key, value: id ?? '' });
      isBegun = false;
    },
  };
}

/** What processes that are gone may have left standing. */
export function leftovers(memory: AdapterMemory) {
  return memory.list(MEMORY_PREFIX);
}

/** Deletes it from the channel, then from the memory; without an id it is looked for. */
export async function removeLeftover(
  { call, selfId, memory }: PreviewContext,
  { key, value }: { readonly key: string; readonly value: string },
): Promise<void> {
  const [channelId = '', startedAt = ''] = key.slice(MEMORY_PREFIX.length).split(':');
  try {
    const id = value || (await findPosted(call, await selfId(), channelId, Number(startedAt)));
    if (id !== undefined) {
      await call({
        what: 'remove a preview',
        method: 'DELETE',
        route: Routes.channelMessage(channelId, id),
        answer: anyAnswer,
      });
    }
  } catch (thrown) {
    const error = asChannelError(thrown, 'remove a preview');
    // What may pass is tried again at the next start; a message or channel that is gone needs nothing more.
    if (error.isRetryable) throw error;
  }
  await memory.remove(key);
}

async function findPosted(
  call: CallDiscord,
  self: string,
  channelId: string,
  startedAt: number,
): Promise<string | undefined> {
  const messages = await call({
    what: 'look for a preview',
    method: 'GET',
    route: Routes.channelMessages(channelId),
    query: { limit: '50', after: snowflakeAt(startedAt - CLOCK_SKEW_MS) },
    answer: messagesSchema,
  });
  return messages.find(
    ({ id, author, content }) =>
      author.id === self && isPreviewText(content) && snowflakeTime(id) <= startedAt + POSTED_WITHIN_MS,
  )?.id;
}
