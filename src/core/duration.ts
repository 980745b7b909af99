/**
 * Durations as people write them (`90m`, `1.5h`, `2d`, a bare number meaning hours, `off` or `0` meaning none), and
 * durations and moments as people read them.
 */
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Whole milliseconds; 0 = off; `undefined` = not a duration, or too long to count. */
export function parseDuration(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'off') return 0;
  const match = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(word);
  if (!match) return undefined;
  const exact = Number(match[1]) * UNIT_MS[(match[2] ?? 'h') as keyof typeof UNIT_MS];
  // Too short to count is still not `off`.
  const ms = exact > 0 ? Math.max(1, Math.round(exact)) : 0;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** `1d 2h`, `45m`, `12s`: the largest unit that is not zero and the one below it, rounded down; 0 gives `0s`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.floor(ms / 1_000));
  const parts: string[] = [];
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0s';
}

/** `2026-11-30 22:42 UTC` */
export function formatMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
