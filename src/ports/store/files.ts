/** A picture that somebody sent, kept with the transcript that shows it. */
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
  /** The same content twice is stored once. */
  put(file: StoredFile, now: number): Promise<void>;
}
