/** All that goes out to Discord, put together: messages, threads, and the lossy signs of work. */
import { asError } from '../../../src/errors.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { ChannelAdapter } from '../../../src/ports/channel.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { CallDiscord } from '../calls.ts';
import { createLookups } from '../lookups.ts';
import { createDemandPermissions, createExplainRefusal } from '../permissions/permission-advice.ts';
import { createPreviews } from '../signs/preview.ts';
import { createQueuedSign } from '../signs/queued-sign.ts';
import { createTyping } from '../signs/typing.ts';
import { createEdit } from './edits.ts';
import { createForumPosts } from './forum-posts.ts';
import { createMessages } from './messages.ts';
import { createThreads } from './threads.ts';

export interface OutboundParts {
  readonly call: CallDiscord;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: AdapterMemory;
  /** Whether a reply that is still being written is shown. */
  readonly streaming: 'off' | 'partial';
}

type Out = 'send' | 'findSent' | 'openThread' | 'edit' | 'setTyping' | 'setQueued' | 'preview';

export interface DiscordOutbound extends Required<Pick<ChannelAdapter, Out>> {
  /** Removes what a crash has left standing; to be called once after connecting. Never rejects. */
  cleanUp(): Promise<void>;
  /** Ends the signs of work and waits until they are gone. The client may be destroyed afterwards. Idempotent. */
  stop(): Promise<void>;
}

export function createDiscordOutbound({
  call,
  clock,
  log,
  memory,
  streaming,
}: OutboundParts): DiscordOutbound {
  const lookups = createLookups(call, clock);
  const explain = createExplainRefusal(lookups, log);
  const demand = createDemandPermissions(lookups, clock, log);
  const threads = createThreads({ call, lookups, explain, demand });
  const forums = createForumPosts({ call, lookups, memory, clock });
  const messages = createMessages({ call, lookups, threads, forums, explain, memory, clock });
  const edit = createEdit({ call, threads, forums, explain, memory, log });
  const typing = createTyping({ call, clock, log });
  const queuedSign = createQueuedSign({ call, memory, clock, log });
  const previews = createPreviews({ call, selfId: lookups.selfId, memory, clock, log });

  return {
    async send(part) {
      const receipt = await messages.send(part);
      if (part.replyOf !== undefined) {
        typing.set(part.address, false, part.replyOf);
        previews.said(part.address, part.replyOf);
      }
      return receipt;
    },
    findSent: messages.findSent,
    edit,
    openThread: threads.openThread,
    setTyping(address, isWorking, runId) {
      typing.set(address, isWorking, runId);
      if (!isWorking) previews.workEnded(address, runId);
    },
    setQueued: queuedSign.set,
    preview(address, runId, text) {
      if (streaming === 'partial') previews.show(address, runId, text);
    },
    async cleanUp() {
      const left = (what: string) => (thrown: unknown) =>
        log.warn({ err: asError(thrown) }, `${what} of an earlier start could not be removed`);
      await previews.cleanUp();
      await queuedSign.cleanUp().catch(left('signs'));
      await forums.tidy().catch(left('notes'));
    },
    async stop() {
      typing.stop();
      await Promise.all([previews.stop(), queuedSign.stop()]);
    },
  };
}
