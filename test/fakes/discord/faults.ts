/** What goes wrong on purpose: rules that meet calls on their way in or their answers on the way out. */
import type { JournalEntry } from './journal.ts';
import type { Json } from './world.ts';

/** A pattern for `METHOD /path`, or a question to the whole request. */
export type CallMatch = RegExp | ((call: JournalEntry) => boolean);

export interface Failure {
  /** Default 500. */
  readonly status?: number;
  readonly code?: number;
  readonly message?: string;
  /** The whole body instead; a text goes out as HTML, as from a proxy. */
  readonly body?: Json | string;
}

/** `close`: the line ends in order; `reset`: it breaks, which discord.js tries again by itself. */
export type CutKind = 'close' | 'reset';

export interface Gate {
  /** Resolves when the first call stands at the gate. */
  readonly reached: Promise<JournalEntry>;
  /** Lets the calls through, those that wait and those to come. */
  release(): void;
}

/** All take how many calls they meet, `times`; left out, they stay until `clear`. */
export interface Faults {
  delay(match: CallMatch, delayMs: number, times?: number): void;
  /** Answers with an error; the call is not performed. */
  fail(match: CallMatch, failure?: Failure, times?: number): void;
  /** The connection ends before the call is performed. */
  cutBefore(match: CallMatch, times?: number, kind?: CutKind): void;
  /** The call is performed, and the connection ends before its answer. */
  cutAfter(match: CallMatch, times?: number, kind?: CutKind): void;
  /** The call waits, unperformed, until the gate is released. */
  holdBefore(match: CallMatch, times?: number): Gate;
  /** The call is performed, and its answer waits until the gate is released. */
  holdAfter(match: CallMatch, times?: number): Gate;
  clear(): void;
}

type Action =
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'fail'; readonly failure: Failure }
  | { readonly kind: 'cut'; readonly how: CutKind }
  | { readonly kind: 'hold'; readonly arrive: (call: JournalEntry) => void; readonly opened: Promise<void> };

interface Rule {
  readonly match: CallMatch;
  readonly phase: 'before' | 'after';
  readonly action: Action;
  left: number;
}

export type ActiveFaults = Faults & {
  /** The actions for this call, each counted as used. */
  take(call: JournalEntry, phase: Rule['phase']): readonly Action[];
  /** Opens all gates, for the end. */
  openGates(): void;
};

const isMatch = (match: CallMatch, call: JournalEntry): boolean =>
  typeof match === 'function' ? match(call) : match.test(`${call.method} ${call.path}`);

export function createFaults(): ActiveFaults {
  const rules: Rule[] = [];
  const releases: (() => void)[] = [];
  const add = (match: CallMatch, phase: Rule['phase'], action: Action, times = Number.POSITIVE_INFINITY) => {
    rules.push({ match, phase, action, left: times });
  };
  const hold = (match: CallMatch, phase: Rule['phase'], times?: number): Gate => {
    const reached = Promise.withResolvers<JournalEntry>();
    const opened = Promise.withResolvers<void>();
    releases.push(opened.resolve);
    add(match, phase, { kind: 'hold', arrive: reached.resolve, opened: opened.promise }, times);
    return { reached: reached.promise, release: opened.resolve };
  };
  return {
    delay: (match, delayMs, times) => add(match, 'before', { kind: 'delay', delayMs }, times),
    fail: (match, failure = {}, times) => add(match, 'before', { kind: 'fail', failure }, times),
    cutBefore: (match, times, how = 'close') => add(match, 'before', { kind: 'cut', how }, times),
    cutAfter: (match, times, how = 'close') => add(match, 'after', { kind: 'cut', how }, times),
    holdBefore: (match, times) => hold(match, 'before', times),
    holdAfter: (match, times) => hold(match, 'after', times),
    clear: () => {
      rules.length = 0;
    },
    take: (call, phase) => {
      const meeting = rules.filter(
        (rule) => rule.phase === phase && rule.left > 0 && isMatch(rule.match, call),
      );
      for (const rule of meeting) rule.left -= 1;
      return meeting.map(({ action }) => action);
    },
    openGates: () => {
      for (const release of releases) release();
    },
  };
}
