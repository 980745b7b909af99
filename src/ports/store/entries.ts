import type { SessionKey } from '../../core/ids.ts';
import type { Entry, NewEntry } from '../../core/transcript.ts';

export interface SearchHit {
  readonly sessionKey: SessionKey;
  readonly seq: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly at: number;
}

export interface EntryReads {
  /** Oldest first; `afterSeq` exclusive (default 0). */
  list(sessionKey: SessionKey, options?: { afterSeq?: number; limit?: number }): Promise<readonly Entry[]>;
  /** The newest `limit` entries, oldest of them first; `beforeSeq` exclusive. */
  tail(sessionKey: SessionKey, limit: number, beforeSeq?: number): Promise<readonly Entry[]>;
  /**
   * Full text over what users and assistants said; newest first. `query` is plain text: every word of it must occur
   * (diacritics and case folded, CJK by substring); no character of it is syntax. A query without any word gives [].
   */
  search(
    query: string,
    options: { sessionKeys?: readonly SessionKey[]; limit: number },
  ): Promise<readonly SearchHit[]>;
}

export interface EntryWrites extends EntryReads {
  /** Appends in order, numbering on from the last entry, and indexes them for search. */
  append(sessionKey: SessionKey, entries: readonly NewEntry[], now: number): Promise<readonly Entry[]>;
  /**
   * Copies every entry of `from` to the (empty) transcript of `to`, marked as forked and stored at `now`. Returns how many.
   */
  fork(from: SessionKey, to: SessionKey, now: number): Promise<number>;
}
