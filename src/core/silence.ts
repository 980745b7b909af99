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

/** Whether a reply that is still being written may yet turn out to be silence; such a text is not shown. */
export function mayBecomeSilent(text: string): boolean {
  const begun = text.trim();
  return SILENCE_TOKENS.some((token) => token.startsWith(begun));
}

function asToken(line: string): SilenceToken | undefined {
  return SILENCE_TOKENS.find((token) => token === line);
}

/** Whether what follows `before` is inside a fenced block. */
function isInCode(before: string): boolean {
  return fencedBlocks(before).at(-1)?.isClosed === false;
}
