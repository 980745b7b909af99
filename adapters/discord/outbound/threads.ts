/**
 * Threads of messages. A thread opened from a message has that message's id, so a repeated call finds the one that is there;
 * a second thread is never made. A post of a forum is a thread already.
 */
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { AppError } from '../../../src/errors.ts';
import type { ChannelAdapter } from '../../../src/ports/channel.ts';
import { placeChannelId } from '../addresses.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { asChannelError, discordCode, withHint } from '../errors.ts';
import type { Lookups } from '../lookups.ts';
import type { PermissionKey } from '../permissions/needed-permissions.ts';
import type { DemandPermissions, ExplainRefusal } from '../permissions/permission-advice.ts';
import { sentSchema } from '../schema.ts';

/** A week, the longest there is: threads go on for as long as their binding, and a sleeping one is woken by a message. */
export const AUTO_ARCHIVE_MINUTES = 10_080;
const GONE = 'The channel, or the message that it was to hang on, is gone, or I cannot see it.';
const OPENING: readonly PermissionKey[] = ['view', 'open-threads', 'send-in-threads', 'history'];

export interface Threads {
  openThread: ChannelAdapter['openThread'];
  /** Wakes an archived thread. One that people have locked is left alone: rejects with `channel-permission-denied`. */
  wake(thread: string): Promise<void>;
  archive(thread: string): Promise<void>;
}

export function createThreads(parts: {
  call: CallDiscord;
  lookups: Lookups;
  explain: ExplainRefusal;
  demand: DemandPermissions;
}): Threads {
  const { call, lookups, explain, demand } = parts;

  /** The thread of that message, where Discord says that it cannot be opened from it. */
  async function existing(messageId: string, parentId: string): Promise<string | undefined> {
    try {
      const channel = await lookups.channel(messageId);
      return channel.parent_id === parentId && channel.thread_metadata ? channel.id : undefined;
    } catch (thrown) {
      const error = asChannelError(thrown, 'look at a thread');
      if (error.isRetryable) throw error;
      return undefined;
    }
  }

  async function setArchived(thread: string, archived: boolean): Promise<void> {
    await call({
      what: archived ? 'archive a thread' : 'wake a thread',
      method: 'PATCH',
      route: Routes.channel(thread),
      body: { archived },
      answer: anyAnswer,
    });
  }

  return {
    async openThread({ address, messageId }, title) {
      if (address.chatType === 'direct') {
        const hint = 'Direct messages have no threads; ask me in a channel of a server.';
        throw new AppError('channel-invalid', 'Discord has no threads in direct messages.', { hint });
      }
      // Discord opens threads for those who may not write in them.
      await demand('open a thread', address, ['send-in-threads']);
      try {
        const { id } = await call({
          what: 'open a thread',
          method: 'POST',
          route: Routes.threads(placeChannelId(address), messageId),
          body: { name: title, auto_archive_duration: AUTO_ARCHIVE_MINUTES },
          answer: sentSchema,
        });
        return { thread: id };
      } catch (thrown) {
        const error = asChannelError(thrown, 'open a thread');
        if (discordCode(error) === RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage) {
          return { thread: messageId };
        }
        const isElsewhere = error.code === 'channel-not-found' || error.code === 'channel-invalid';
        const thread = isElsewhere ? await existing(messageId, address.conversation) : undefined;
        if (thread !== undefined) return { thread };
        if (error.code === 'channel-not-found') throw withHint(error, GONE);
        throw await explain(error, address, OPENING);
      }
    },

    async wake(thread) {
      const { thread_metadata: state } = await lookups.channel(thread);
      if (state?.locked) {
        throw new AppError('channel-permission-denied', `The thread ${thread} is archived and locked.`, {
          hint: 'The thread was archived and locked. Unlock it, or go on in another thread.',
        });
      }
      if (state?.archived) await setArchived(thread, false);
    },

    archive: (thread) => setArchived(thread, true),
  };
}
