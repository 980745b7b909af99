/** A figure: one measured quantity with its values, and how it is printed. */

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  /** What the median is held against. */
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
  /** What the 95th percentile is held against. */
  readonly p95Target?: number;
}

/** `share` between 0 and 1, by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function printHeading(text: string): void {
  process.stdout.write(`\n${text}\n${row(['', 'unit', 'runs', 'min', 'median', 'p95', 'max', 'target'])}`);
}

export function printFigure(figure: Figure): void {
  const { name, unit, values } = figure;
  const stats = [0, 0.5, 0.95, 1].map((share) => shown(percentile(values, share)));
  process.stdout.write(row([name, unit, String(values.length), ...stats, verdict(figure)]));
}

export function printNote(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

function row(cells: readonly string[]): string {
  const widths = [50, 8, 6, 9, 9, 9, 9, 0];
  return `  ${cells.map((cell, i) => (i < 2 || i === 7 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' ')}\n`;
}

function shown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function verdict({ values, target, p95Target }: Figure): string {
  const median = percentile(values, 0.5);
  const words: string[] = [];
  if (target && 'atMost' in target) words.push(judged(`median <= ${target.atMost}`, median <= target.atMost));
  if (target && 'atLeast' in target) {
    words.push(judged(`median >= ${target.atLeast}`, median >= target.atLeast));
  }
  if (p95Target !== undefined) {
    words.push(judged(`p95 <= ${p95Target}`, percentile(values, 0.95) <= p95Target));
  }
  return words.length === 0 ? '' : ` ${words.join(', ')}`;
}

function judged(target: string, isMet: boolean): string {
  return `${target} ${isMet ? 'met' : 'MISSED'}`;
}
