import type { SessionKey } from '../../core/ids.ts';

/** A picture that somebody sent, kept with the transcripts that show it and gone with the last of their sessions. */
export interface StoredFile {
  /** SHA-256 of the bytes, in hex. */
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface FileReads {
  /** Those that exist, in any order. */
  get(ids: readonly string[]): Promise<readonly StoredFile[]>;
}

export interface FileWrites extends FileReads {
  /** Keeps it for that session. The same content twice is stored once. */
  put(sessionKey: SessionKey, file: StoredFile, now: number): Promise<void>;
}
