/**
 * Fenced code blocks, as chat platforms read them: a line that begins with three or more backticks or tildes opens one, and
 * the next line that begins with at least as many of the same closes it, whatever follows on that line.
 */
export interface FencedBlock {
  /** Start of the opening line. */
  readonly start: number;
  /** Start of the code: behind the line break of the opening line, or the end of the text. */
  readonly codeStart: number;
  /** Start of the closing line, or the end of the text. */
  readonly codeEnd: number;
  /** Behind the closing marker; what follows on its line is no longer code. */
  readonly end: number;
  /** The marker with its indentation. */
  readonly marker: string;
  /** The opening line without its line break: marker and info string. */
  readonly opening: string;
  readonly isClosed: boolean;
}

/**
 * Only a line feed begins a line here, hence the look-behind in place of `^`. A backtick fence's info string holds no
 * backtick; with one the line is inline code.
 */
const OPENING = /(?<![^\n])([ \t]*(?:`{3,}(?=[^`\n]*(?![^\n]))|~{3,}))[^\n]*/g;

/** In order; linear in the length of the text. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const opening = new RegExp(OPENING);
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const marker = match[1]!;
    const start = match.index;
    const codeStart = Math.min(start + match[0].length + 1, text.length);
    const close = closingOf(marker.trimStart(), text, codeStart);
    const codeEnd = close ? close.index : text.length;
    const end = close ? close.index + close[0].length : text.length;
    blocks.push({ start, codeStart, codeEnd, end, marker, opening: match[0], isClosed: close !== null });
    opening.lastIndex = end;
  }
  return blocks;
}

function closingOf(marker: string, text: string, from: number): RegExpExecArray | null {
  const closing = new RegExp(`(?<![^\\n])[ \\t]*${marker[0]}{${marker.length},}`, 'g');
  closing.lastIndex = from;
  return closing.exec(text);
}
