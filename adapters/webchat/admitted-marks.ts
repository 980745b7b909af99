/**
 * Remembers in the store which messages were handed over, several at a time. Nobody waits for it: a mark that a crash
 * loses makes the message be offered once more, which the handlers recognise.
 */
import { asError } from '../../src/errors.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';

const GATHER_MS = 100;

export interface AdmittedMarks {
  add(id: string): void;
  /** Stores what was gathered. */
  flush(): Promise<void>;
}

export function createAdmittedMarks(store: ChatStore, clock: Clock, log: Log): AdmittedMarks {
  let gathered: string[] = [];
  let cancel: (() => void) | undefined;

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    if (gathered.length === 0) return;
    const ids = gathered;
    gathered = [];
    try {
      await store.markAdmitted(ids);
    } catch (error) {
      log.warn({ err: asError(error) }, 'Messages that were handed over could not be marked');
    }
  }

  return {
    add(id) {
      gathered.push(id);
      cancel ??= clock.after(GATHER_MS, () => void flush());
    },
    flush,
  };
}
