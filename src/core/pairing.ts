/**
 * Letting strangers in: the code that one is given, for how long it holds, and what they are told. Pure. A code is told
 * once; whoever writes again while it holds reads it above.
 */

export const PAIRING_LIFE_MS = 3_600_000;
/** So many strangers may wait at one account; more are not heard until somebody has decided or a code has run out. */
export const MOST_PENDING = 3;

const CODE_LENGTH = 8;
/** 32 characters, none of which is taken for another. */
const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `secret`: random characters of base64url, at least eight. */
export function pairingCode(secret: string): string {
  const characters = [...secret.slice(0, CODE_LENGTH)].map(
    (character) => CODE_ALPHABET[BASE64URL.indexOf(character) % CODE_ALPHABET.length],
  );
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** A code as people type it, in the one spelling that is stored: `abcd2345` and `ABCD 2345` are `ABCD-2345`. */
export function readCode(typed: string): string {
  const plain = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return `${plain.slice(0, 4)}-${plain.slice(4)}`;
}

/** What was stored about somebody who is not let in yet. */
interface Asked {
  readonly status: 'pending' | 'approved' | 'denied';
  readonly expiresAt: number;
}

export type AskDecision = 'new-code' | 'told-before' | 'full';

/** `pending`: how many strangers wait at the account. */
export function decideAsk(earlier: Asked | undefined, pending: number, now: number): AskDecision {
  if (earlier?.status === 'pending' && earlier.expiresAt > now) return 'told-before';
  return pending < MOST_PENDING ? 'new-code' : 'full';
}

export function strangerText(code: string): string {
  return `I don't know you yet. Your code is ${code}; an owner can let you in with \`/pair approve ${code}\`.`;
}

export const WELCOME = 'You are in. Write to me.';
