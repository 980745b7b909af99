/**
 * Words by which a model says that it has nothing to say. They are for the runtime alone: people never see one that was
 * meant as such, and always see one that is merely written about.
 */
import { fencedBlocks } from './fences.ts';

export const SILENCE_TOKENS = ['NO_REPLY', 'ANNOUNCE_SKIP', 'REPLY_SKIP'] as const;
export type SilenceToken = (typeof SILENCE_TOKENS)[number];

export type Reply =
  | { readonly kind: 'silent'; readonly token: SilenceToken }
  | { readonly kind: 'text'; readonly text: string };

/**
 * A token that is the whole reply, whitespace aside, makes it silent. One that is alone on the last line is cut off and
 * the rest is the reply. Anywhere else (inside a sentence, in code, before other text) it is kept.
 */
export function readReply(text: string): Reply {
  let rest = text.trimEnd();
  for (;;) {
    const lineStart = rest.lastIndexOf('\n') + 1;
    const token = asToken(rest.slice(lineStart).trim());
    const before = rest.slice(0, lineStart);
    if (token === undefined || isInCode(before)) break;
    if (before.trim() === '') return { kind: 'silent', token };
    rest = before.trimEnd();
  }
  return { kind: 'text', text: rest.length === text.trimEnd().length ? text : rest };
}

/**
 * As much of a reply that is still being written as may be shown: a last line that may yet turn out to be a token is held
 * back, and so is white space alone.
 */
export function shownSoFar(text: string): string {
  let rest = text;
  for (;;) {
    const lineStart = rest.trimEnd().lastIndexOf('\n') + 1;
    const line = rest.slice(lineStart).trim();
    const before = rest.slice(0, lineStart);
    if (line === '') return '';
    const mayBeToken = rest === text ? isBeginningOfToken(line) : asToken(line) !== undefined;
    if (!mayBeToken || isInCode(before)) return rest;
    rest = before;
  }
}

function isBeginningOfToken(line: string): boolean {
  return SILENCE_TOKENS.some((token) => token.startsWith(line));
}

function asToken(line: string): SilenceToken | undefined {
  return SILENCE_TOKENS.find((token) => token === line);
}

/** Whether what follows `before` is inside a fenced block. */
function isInCode(before: string): boolean {
  return fencedBlocks(before).at(-1)?.isClosed === false;
}
