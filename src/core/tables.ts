/**
 * Markdown tables for platforms that do not draw them: laid out with aligned columns in a code block, or, where that would be
 * too wide to be read, as a list with one entry a row. Whatever is no table, and all code, stays as it is. Pure.
 */
import { displayWidth } from './display-width.ts';
import { fencedBlocks } from './fences.ts';

/** Wider code blocks are broken in the middle of their lines on a phone. */
const MAX_COLUMNS = 60;
const GAP = '  ';
/** A fence in a cell would end the block, or begin one. */
const FENCE_STAND_IN = "'''";

type Alignment = 'left' | 'right' | 'center';

interface Table {
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}

/** The text with each table outside of code laid out. */
export function layOutTables(text: string): string {
  let laidOut = '';
  let from = 0;
  for (const block of fencedBlocks(text)) {
    laidOut += inProse(text.slice(from, block.start)) + text.slice(block.start, block.end);
    from = block.end;
  }
  return laidOut + inProse(text.slice(from));
}

function inProse(text: string): string {
  if (!text.includes('|')) return text;
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const found = tableAt(lines, at);
    if (!found) {
      out.push(lines[at++]!);
      continue;
    }
    out.push(layOut(found.table));
    at = found.next;
    // What follows at once would be drawn onto the block.
    if (at < lines.length && lines[at]!.trim() !== '') out.push('');
  }
  return out.join('\n');
}

/** A header and a row of dashes with as many cells; the table goes on up to a line that is blank or begins something else. */
function tableAt(
  lines: readonly string[],
  at: number,
): { readonly table: Table; readonly next: number } | undefined {
  const [head, dashes] = [lines[at]!, lines[at + 1]];
  if (dashes === undefined || !head.includes('|') || isIndentedCode(head)) return undefined;
  const alignments = alignmentsOf(dashes);
  const header = cellsOf(head);
  if (!alignments || alignments.length !== header.length) return undefined;
  let next = at + 2;
  while (next < lines.length && isRow(lines[next]!)) next++;
  const rows = lines.slice(at + 2, next).map((line) => fitted(cellsOf(line), header.length));
  return { table: { header, alignments, rows }, next };
}

const isIndentedCode = (line: string): boolean => /^(?: {4}|\t)/.test(line);

function isRow(line: string): boolean {
  return line.includes('|') && !/^ {0,3}(?:[>#]|[-*+] |\d{1,9}[.)] )/.test(line);
}

function alignmentsOf(line: string): readonly Alignment[] | undefined {
  if (!/^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line) || !line.includes('|')) return undefined;
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => {
      const dashes = cell.trim();
      if (!dashes.endsWith(':')) return 'left';
      return dashes.startsWith(':') ? 'center' : 'right';
    });
}

/** Cells are parted by bars that no backslash stands before; an escaped bar is a bar. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = [''];
  for (const [piece] of line.trim().matchAll(/\\\||\||[^|\\]+|\\/g)) {
    if (piece === '|') cells.push('');
    else cells[cells.length - 1] += piece === '\\|' ? '|' : piece;
  }
  if (line.trim().startsWith('|')) cells.shift();
  if (cells.length > 1 && cells.at(-1)!.trim() === '') cells.pop();
  return cells.map((cell) => cell.trim().replace(/`{3,}|~{3,}/g, FENCE_STAND_IN));
}

/** Rows with too few cells are filled up; what is too much joins the last one, so that nothing is lost. */
function fitted(cells: readonly string[], count: number): readonly string[] {
  const kept = cells.slice(0, count);
  const more = cells.slice(count).filter((cell) => cell !== '');
  if (more.length > 0) kept[count - 1] = [kept[count - 1], ...more].join(' | ');
  return [...kept, ...Array.from({ length: count - kept.length }, () => '')];
}

/** Marks that a code block would show as they are. */
function plain(cell: string): string {
  return cell
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/(`+)(.+?)\1/g, '$2')
    .replace(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, '$1')
    .replace(/(?<![\p{L}\p{N}_])__(?=\S)(.+?)(?<=\S)__(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/~~(?=\S)(.+?)(?<=\S)~~/g, '$1')
    .replace(/(?<!\*)\*(?=[^\s*])([^*]+?)(?<=\S)\*(?!\*)/g, '$1')
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_]+?)(?<=\S)_(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/\[([^\]]+)\]\((\S+?)\)/g, (_link, label: string, target: string) =>
      label === target ? label : `${label} (${target})`,
    );
}

function layOut(table: Table): string {
  const lines = [table.header, ...table.rows].map((cells) => cells.map(plain));
  const widths = table.header.map((_, column) =>
    Math.max(1, ...lines.map((cells) => displayWidth(cells[column]!))),
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  return total > MAX_COLUMNS ? asList(table) : asBlock(lines, widths, table.alignments);
}

function asBlock(
  lines: readonly (readonly string[])[],
  widths: readonly number[],
  alignments: readonly Alignment[],
): string {
  const [header, ...rows] = lines.map((cells) =>
    cells
      .map((cell, column) => padded(cell, widths[column]!, alignments[column]!))
      .join(GAP)
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join(GAP);
  return ['```', header, rule, ...rows, '```'].join('\n');
}

function padded(cell: string, width: number, alignment: Alignment): string {
  const room = width - displayWidth(cell);
  if (alignment === 'right') return ' '.repeat(room) + cell;
  if (alignment === 'left') return cell + ' '.repeat(room);
  const before = Math.floor(room / 2);
  return ' '.repeat(before) + cell + ' '.repeat(room - before);
}

/** The first cell names the row, the others are given with their headers. */
function asList({ header, rows }: Table): string {
  if (rows.length === 0) return `- ${header.filter(Boolean).join(', ')}`;
  return rows
    .map((row) => {
      const pairs = row.flatMap((cell, column) => (cell === '' ? [] : [pair(header[column]!, cell)]));
      return pairs.map((text, i) => (i === 0 ? `- ${text}` : `  ${text}`)).join('\n') || '-';
    })
    .join('\n');
}

const pair = (header: string, cell: string): string => (header === '' ? cell : `${header}: ${cell}`);
