/**
 * Shows replies while they are being written, in one message a place, edited not too often, and gone once the reply is
 * there. A preview is never the reply, and nothing depends on it.
 *
 *   text → streamed for a while? → posted → edited now and then → deleted
 */
import type { Address } from '../../../src/core/address.ts';
import { asError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { placeChannelId } from '../addresses.ts';
import { retry } from '../retry.ts';
import {
  createPreviewMessage,
  leftovers,
  type PreviewContext,
  type PreviewMessage,
  removeLeftover,
} from './preview-message.ts';
import { previewText } from './preview-text.ts';

/** Short answers are not previewed. */
const SHOWN_AFTER_MS = 1_500;
const EDIT_INTERVAL_MS = 2_000;
/** The end of the writing may go unheard. */
const SILENT_MS = 2 * 60_000;
/** How long it stays after the work, so that the reply comes before it goes. */
const GRACE_MS = 3_000;
/** Nobody is to take what stays for an answer that is still being written. */
const REMOVAL_PACE = { firstMs: 2_000, longestMs: 60_000 };
const REMOVED_WITHIN_MS = 30 * 60_000;

export interface Previews {
  show(address: Address, runId: string, text: string): void;
  /** The reply of that run stands there now. */
  said(address: Address, runId: string): void;
  workEnded(address: Address, runId: string): void;
  /** Deletes what processes that are gone have left. Never rejects. */
  cleanUp(): Promise<void>;
  /** Deletes what is shown; resolves when it is gone. */
  stop(): Promise<void>;
}

interface Preview {
  readonly runId: string;
  readonly message: PreviewMessage;
  newest: string;
  newestAt: number;
  drawn: string | undefined;
  /** The call under way, if any. Never rejects. */
  call: Promise<void>;
  cancelTimer: () => void;
}

export function createPreviews(parts: PreviewContext & { clock: Clock; log: Log }): Previews {
  const { memory, clock, log } = parts;
  /** By channel. */
  const written = new Map<string, Preview>();
  const leaving = new Map<string, Preview>();
  const removals = new Set<Promise<void>>();
  const stopping = new AbortController();

  const unseen = (thrown: unknown) =>
    log.debug({ err: asError(thrown) }, 'a preview could not be shown or removed');

  function begin(channelId: string, runId: string): Preview {
    const startedAt = clock.now();
    const preview: Preview = {
      runId,
      message: createPreviewMessage(parts, channelId, startedAt),
      newest: '',
      newestAt: startedAt,
      drawn: undefined,
      call: Promise.resolve(),
      cancelTimer: clock.after(SHOWN_AFTER_MS, () => draw(channelId, preview)),
    };
    written.set(channelId, preview);
    return preview;
  }

  function draw(channelId: string, preview: Preview): void {
    if (clock.now() - preview.newestAt >= SILENT_MS) {
      written.delete(channelId);
      remove(preview);
      return;
    }
    preview.call = drawOnce(preview)
      .catch(unseen)
      .finally(() => {
        if (written.get(channelId) !== preview) return;
        preview.cancelTimer = clock.after(EDIT_INTERVAL_MS, () => draw(channelId, preview));
      });
  }

  async function drawOnce(preview: Preview): Promise<void> {
    const content = previewText(preview.newest);
    if (content === undefined || content === preview.drawn) return;
    await preview.message.show(content);
    preview.drawn = content;
  }

  /** What cannot be deleted before everything stops is left to the next start. */
  async function removeInTheEnd({ message }: Preview): Promise<void> {
    const pace = { ...REMOVAL_PACE, until: clock.now() + REMOVED_WITHIN_MS };
    await retry(() => message.remove(), pace, { clock, signal: stopping.signal });
  }

  function remove(preview: Preview): void {
    preview.cancelTimer();
    const removal = preview.call
      .then(() => removeInTheEnd(preview))
      .catch(unseen)
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  /** Without a run: whosever it is. */
  function take(from: Map<string, Preview>, channelId: string, runId?: string): Preview | undefined {
    const preview = from.get(channelId);
    if (runId !== undefined && preview?.runId !== runId) return undefined;
    from.delete(channelId);
    return preview;
  }

  function removeAt(channelId: string, runId?: string): void {
    for (const from of [written, leaving]) {
      const preview = take(from, channelId, runId);
      if (preview) remove(preview);
    }
  }

  function leave(channelId: string, preview: Preview): void {
    const before = take(leaving, channelId);
    if (before) remove(before);
    preview.cancelTimer();
    leaving.set(channelId, preview);
    preview.cancelTimer = clock.after(GRACE_MS, () => {
      leaving.delete(channelId);
      remove(preview);
    });
  }

  return {
    show(address, runId, text) {
      if (stopping.signal.aborted) return;
      const channelId = placeChannelId(address);
      const known = written.get(channelId);
      if (known && known.runId !== runId) removeAt(channelId, known.runId);
      const preview = written.get(channelId) ?? begin(channelId, runId);
      preview.newest = text;
      preview.newestAt = clock.now();
    },
    said: (address, runId) => removeAt(placeChannelId(address), runId),
    workEnded(address, runId) {
      const channelId = placeChannelId(address);
      const preview = take(written, channelId, runId);
      if (preview) leave(channelId, preview);
    },
    async cleanUp() {
      try {
        for (const leftover of await leftovers(memory)) await removeLeftover(parts, leftover).catch(unseen);
      } catch (thrown) {
        unseen(thrown);
      }
    },
    async stop() {
      stopping.abort();
      for (const channelId of [...written.keys(), ...leaving.keys()]) removeAt(channelId);
      while (removals.size > 0) await Promise.all(removals);
    },
  };
}
