/** Randomness, as seen by everything above the adapters. */
export interface Ids {
  /** A new UUID (version 7: sorts by time). */
  uuid(): string;
  /** 256 random bits, base64url. For tokens. */
  secret(): string;
}
