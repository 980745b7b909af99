/** The words of a typed command, for parsing and for completion alike. Positions are UTF-16 units of the whole text. */
const SIGIL = /^\s*[/!]/;
const NAME_WORD = /[^\s:]+/y;
/** Between the words of a name, and between the name and its arguments: `/send on`, `/send: on`, `/send:on`. */
const NAME_END = /:\s*|\s+:\s+|\s*/y;
const TOKEN = /"([^"]*)"|(\S+)/y;

/** A word, and where it stood, so that `text` options keep the original spacing. */
export interface Token {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** In quotes a word is always meant as it stands, never as a flag. */
  readonly isQuoted: boolean;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Words split at whitespace; double quotes hold several together. */
export function tokenize(text: string, from: number): Token[] {
  const tokens: Token[] = [];
  let at = from;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    const match = matchAt(TOKEN, text, at)!;
    const end = at + match[0].length;
    tokens.push({ value: match[1] ?? match[2]!, start: at, end, isQuoted: match[1] !== undefined });
    at = end;
  }
  return tokens;
}

/** How much of the text stands before a command's name; 0 when it is not written as a command. */
export function sigilLength(text: string): number {
  return SIGIL.exec(text)?.[0].length ?? 0;
}

/** A word of a command's name, in lower case, and where what follows it begins. */
export function nameWord(text: string, at: number): { readonly word: string; readonly next: number } {
  const word = matchAt(NAME_WORD, text, at)?.[0] ?? '';
  const end = at + word.length;
  return { word: word.toLowerCase(), next: end + (matchAt(NAME_END, text, end)?.[0].length ?? 0) };
}
