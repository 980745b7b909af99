/**
 * Messages of ours are edited in place. In an archived thread Discord allows none of it: for the last look of a card the
 * thread is woken and put to sleep again, unless people have locked it.
 */
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { isActive } from '../../../src/core/run.ts';
import { type AppError, asError } from '../../../src/errors.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { ChannelAdapter } from '../../../src/ports/channel.ts';
import type { Log } from '../../../src/ports/log.ts';
import { placeChannelId } from '../addresses.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { asChannelError, discordCode } from '../errors.ts';
import type { ExplainRefusal } from '../permissions/permission-advice.ts';
import type { ForumPosts } from './forum-posts.ts';
import { type DrawnPart, drawPart, messageBody } from './message-body.ts';
import type { Threads } from './threads.ts';

type Edit = ChannelAdapter['edit'];

export function createEdit(parts: {
  call: CallDiscord;
  threads: Threads;
  forums: ForumPosts;
  explain: ExplainRefusal;
  memory: AdapterMemory;
  log: Log;
}): Edit {
  const { call, threads, forums, explain, memory, log } = parts;

  async function patch(channelId: string, messageId: string, drawn: DrawnPart): Promise<void> {
    await call({
      what: 'edit',
      method: 'PATCH',
      route: Routes.channelMessage(channelId, messageId),
      body: messageBody(drawn),
      answer: anyAnswer,
    });
  }

  /** In the one order that Discord allows; afterwards the thread sleeps again. */
  async function patchAsleep(thread: string, messageId: string, drawn: DrawnPart): Promise<void> {
    await threads.wake(thread);
    await patch(thread, messageId, drawn);
    await threads.archive(thread).catch((thrown: unknown) => {
      log.warn({ thread, err: asError(thrown) }, 'a thread could not be archived again');
    });
  }

  /** Edits it in the one way that Discord may want instead. */
  async function editOtherwise(
    error: AppError,
    { address, messageId }: Parameters<Edit>[0],
    { card }: Parameters<Edit>[1],
    drawn: DrawnPart,
  ): Promise<void> {
    const { thread, conversation } = address;
    if (discordCode(error) === RESTJSONErrorCodes.InvalidActionOnArchivedThread) {
      // A card that will be drawn again is not worth waking anybody for.
      const isPassing = card && (card.state === 'opening' || isActive(card.state));
      if (!isPassing) await patchAsleep(thread ?? messageId, messageId, drawn);
      return;
    }
    const mayBePost =
      error.code === 'channel-not-found' && thread === undefined && !forums.isKnown(conversation);
    if (!mayBePost || address.chatType === 'direct' || !(await forums.isForum(conversation))) throw error;
    await patch(messageId, messageId, drawn);
  }

  return async (target, part) => {
    const { address, messageId } = target;
    try {
      const drawn = drawPart(part);
      for (const { key, value } of drawn.remember) await memory.set(key, value);
      const isPost = address.thread === undefined && forums.isKnown(address.conversation);
      try {
        await patch(isPost ? messageId : placeChannelId(address), messageId, drawn);
      } catch (thrown) {
        await editOtherwise(asChannelError(thrown, 'edit'), target, part, drawn);
      }
    } catch (thrown) {
      throw await explain(asChannelError(thrown, 'edit'), address, ['view']);
    }
  };
}
