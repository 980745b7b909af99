/** What one look at the surroundings has shown: the words of `skein doctor` and of the checks at a start. */

export type CheckStatus = 'ok' | 'warn' | 'fail';

export interface Check {
  /** What was looked at, such as `state folder` or `discord server Tea`. */
  readonly name: string;
  /** `fail`: something that is wanted does not work. `warn`: it works, but hardly as it is meant. */
  readonly status: CheckStatus;
  /** A sentence. */
  readonly found: string;
  /** What to do about it, in sentences. */
  readonly advice?: string;
}

export function ok(name: string, found: string, advice?: string): Check {
  return { name, status: 'ok', found, ...(advice !== undefined && { advice }) };
}

export function warn(name: string, found: string, advice: string): Check {
  return { name, status: 'warn', found, advice };
}

export function fail(name: string, found: string, advice: string): Check {
  return { name, status: 'fail', found, advice };
}
