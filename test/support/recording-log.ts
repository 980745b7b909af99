/** A log that keeps its lines for the test to look at. */
import type { Log } from '../../src/ports/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export function createRecordingLog(): { log: Log; lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const note = (level: LogLine['level']) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, message, fields });
  const log: Log = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
    child: () => log,
  };
  return { log, lines };
}
