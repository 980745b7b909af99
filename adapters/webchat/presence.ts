/**
 * What is happening just now: who is working on an answer and what it says so far. Nothing here is stored; all of it may
 * be lost. It is kept for a while so that a page that was just opened sees it too, and forgotten when nobody confirms it,
 * so that a worker that died does not seem to work for ever.
 */
import type { Clock } from '../../src/ports/clock.ts';
import type { Place } from './addresses.ts';

/** Texts are shown at most this often per run; the newest one wins. */
const PREVIEW_EVERY_MS = 60;
/** A sign of work that is not renewed for this long no longer counts. */
const FORGET_AFTER_MS = 10 * 60_000;

export type Signal =
  | {
      readonly type: 'typing';
      readonly conversation: string;
      readonly thread?: string;
      readonly working: boolean;
    }
  | {
      readonly type: 'delta';
      readonly conversation: string;
      readonly thread?: string;
      readonly runId: string;
      readonly text: string;
    }
  /** A person's message waits for its turn, or no longer does. */
  | {
      readonly type: 'queued';
      readonly conversation: string;
      readonly thread?: string;
      readonly id: string;
      readonly queued: boolean;
    };

export interface Presence {
  typing(place: Place, isWorking: boolean): void;
  preview(place: Place, runId: string, text: string): void;
  queued(place: Place, id: string, isQueued: boolean): void;
  /** A message took the place of the previews there. */
  said(place: Place): void;
  /** All that holds now, for somebody who has just come. */
  snapshot(): readonly Signal[];
  stop(): void;
}

interface Preview {
  signal: Extract<Signal, { type: 'delta' }>;
  isFresh: boolean;
  cancelPause?: () => void;
}

interface Happening {
  readonly place: Place;
  isWorking: boolean;
  readonly previews: Map<string, Preview>;
  cancelForget: () => void;
}

export function createPresence(clock: Clock, emit: (signal: Signal) => void): Presence {
  const happenings = new Map<string, Happening>();

  const waiting = new Map<string, { readonly signal: Signal; readonly cancelForget: () => void }>();

  function touch(place: Place): Happening {
    const key = keyOf(place);
    const found = happenings.get(key);
    const happening = found ?? {
      place,
      isWorking: false,
      previews: new Map(),
      cancelForget: () => undefined,
    };
    happening.cancelForget();
    happening.cancelForget = clock.after(FORGET_AFTER_MS, () => end(happening));
    happenings.set(key, happening);
    return happening;
  }

  function end(happening: Happening): void {
    clearPreviews(happening);
    happening.cancelForget();
    happenings.delete(keyOf(happening.place));
    emit({ type: 'typing', ...plain(happening.place), working: false });
  }

  /** Sends the text, then rests; if a newer one came meanwhile, again. */
  function show(preview: Preview): void {
    preview.isFresh = false;
    emit(preview.signal);
    preview.cancelPause = clock.after(PREVIEW_EVERY_MS, () => {
      delete preview.cancelPause;
      if (preview.isFresh) show(preview);
    });
  }

  return {
    typing(place, isWorking) {
      const known = happenings.get(keyOf(place));
      if (!isWorking) {
        if (known) end(known);
        else emit({ type: 'typing', ...plain(place), working: false });
        return;
      }
      const happening = touch(place);
      happening.isWorking = true;
      if (!known?.isWorking) emit({ type: 'typing', ...plain(place), working: true });
    },
    preview(place, runId, text) {
      const { previews } = touch(place);
      const signal = { type: 'delta', ...plain(place), runId, text } as const;
      const preview = previews.get(runId);
      if (preview) {
        preview.signal = signal;
        preview.isFresh = true;
        if (!preview.cancelPause) show(preview);
        return;
      }
      const first: Preview = { signal, isFresh: true };
      previews.set(runId, first);
      show(first);
    },
    queued(place, id, isQueued) {
      const known = waiting.get(id);
      known?.cancelForget();
      waiting.delete(id);
      if (!isQueued && !known) return;
      const signal = { type: 'queued', ...plain(place), id, queued: isQueued } as const;
      if (isQueued) {
        const cancelForget = clock.after(FORGET_AFTER_MS, () => waiting.delete(id));
        waiting.set(id, { signal, cancelForget });
      }
      emit(signal);
    },
    said(place) {
      const happening = happenings.get(keyOf(place));
      if (happening) clearPreviews(happening);
    },
    snapshot() {
      const queued = [...waiting.values()].map(({ signal }) => signal);
      const working = [...happenings.values()].flatMap(({ place, isWorking, previews }) => [
        ...(isWorking ? [{ type: 'typing', ...plain(place), working: true } as const] : []),
        ...[...previews.values()].map((preview) => preview.signal),
      ]);
      return [...queued, ...working];
    },
    stop() {
      for (const happening of happenings.values()) {
        clearPreviews(happening);
        happening.cancelForget();
      }
      happenings.clear();
      for (const { cancelForget } of waiting.values()) cancelForget();
      waiting.clear();
    },
  };
}

function clearPreviews(happening: Happening): void {
  for (const preview of happening.previews.values()) preview.cancelPause?.();
  happening.previews.clear();
}

function keyOf({ conversation, thread }: Place): string {
  return thread === undefined ? conversation : `${conversation}/${thread}`;
}

function plain({ conversation, thread }: Place): { conversation: string; thread?: string } {
  return { conversation, ...(thread !== undefined && { thread }) };
}
