/**
 * A tool call's arguments on their way in and out. What is not JSON stays the raw string, so that the loop can answer the
 * model with an error instead of losing the call.
 */

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Models that call a tool without arguments often send nothing at all. */
export function parseArguments(raw: string): unknown {
  if (raw.trim() === '') return {};
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

/** Servers refuse a history in which arguments are not an object; what the model wrote is kept inside one. */
export function replayableArguments(value: unknown): unknown {
  return isObject(value) ? value : { malformed: value ?? null };
}
