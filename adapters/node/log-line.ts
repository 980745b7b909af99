/** A log line for a terminal: time, level, message, fields. */
const COLOURS: Readonly<Record<string, string>> = {
  debug: '\x1b[2m',
  info: '\x1b[36m',
  warn: '\x1b[33m',
  error: '\x1b[31m',
};
const DIM = '\x1b[2m';
const RESET = '\x1b[0m';

/** `line`: one JSON object. Anything else is handed back as it is. */
export function formatForPeople(line: string): string {
  const record = parse(line);
  if (record === undefined) return line;
  const { time, level, msg, pid: _, ...fields } = record;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const name = String(level);
  const { stack, rest } = apart(fields);
  const details = Object.entries(rest).map(([key, value]) => `${key}=${valueText(value)}`);
  const tail = details.length > 0 ? ` ${DIM}${details.join(' ')}${RESET}` : '';
  const trace = stack === undefined ? '' : `\n${DIM}${stack}${RESET}`;
  return `${DIM}${clock}${RESET} ${COLOURS[name] ?? ''}${name.padEnd(5)}${RESET} ${String(msg)}${tail}${trace}\n`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The stack of an error stands below the line, its message in it. */
function apart(fields: Record<string, unknown>): { stack?: string; rest: Record<string, unknown> } {
  const { error, ...others } = fields;
  if (typeof error !== 'object' || error === null) return { rest: fields };
  const { message, stack, code } = error as Record<string, unknown>;
  return {
    rest: { ...others, error: message, ...(code !== undefined && { code }) },
    ...(typeof stack === 'string' && { stack }),
  };
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}
