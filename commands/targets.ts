/**
 * What people mean by `<id|#>` and by the target of `/focus`. A target that fits more than one thing is never guessed: the
 * answer lists what it could be.
 */
import type { SessionKey } from '../src/core/ids.ts';
import { asSessionKey } from '../src/core/session-key.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { Run, Session, StoreTx } from '../src/ports/store/index.ts';
import { childrenOf } from '../src/subagents/children.ts';

export type Target =
  | { readonly kind: 'found'; readonly session: Session }
  | { readonly kind: 'unknown'; readonly candidates: readonly Session[] }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Session[] };

const MIN_PREFIX_LENGTH = 4;
const MAX_RUNS = 10;
/** `run_` and as much of its id as nobody mixes up. */
const SHORT_RUN_LENGTH = 12;

function oneOf(found: readonly Session[]): Target | undefined {
  if (found.length === 0) return undefined;
  return found.length === 1
    ? { kind: 'found', session: found[0]! }
    : { kind: 'ambiguous', candidates: found };
}

function sameLabel(session: Session, word: string): boolean {
  const wanted = word.toLowerCase();
  return (
    session.label?.toLowerCase() === wanted ||
    session.taskName === wanted ||
    labelOf(session).toLowerCase() === wanted
  );
}

/** A subagent of the session: by number, run id or its beginning, key, or label. */
export async function findSubagent(tx: StoreTx, session: Session, word: string): Promise<Target> {
  const children = await childrenOf(tx, session);
  const number = /^#?(\d{1,6})$/.exec(word)?.[1];
  const byNumber = number === undefined ? [] : children.filter((child) => child.ordinal === Number(number));
  const found =
    oneOf(byNumber) ??
    oneOf(children.filter((child) => child.key === word)) ??
    oneOf(await childrenOfRuns(tx, children, word)) ??
    oneOf(children.filter((child) => sameLabel(child, word)));
  return found ?? { kind: 'unknown', candidates: children };
}

async function childrenOfRuns(
  tx: StoreTx,
  children: readonly Session[],
  word: string,
): Promise<readonly Session[]> {
  const keys = new Set(await sessionsOfRuns(tx, word));
  return children.filter((child) => keys.has(child.key));
}

/** Whose runs begin like that. */
async function sessionsOfRuns(tx: StoreTx, word: string): Promise<readonly SessionKey[]> {
  if (word.length < MIN_PREFIX_LENGTH) return [];
  const prefix = word.startsWith('run_') ? word : `run_${word}`;
  return [...new Set((await tx.runs.withPrefix(prefix, MAX_RUNS)).map((run) => run.sessionKey))];
}

/**
 * A subagent's label or number, then a session key, a session id, and any other session's label or run. Subagents are those of
 * `sessions`: a target that the first one does not have is looked for in the next. Another session counts only if
 * `isVisible` says so; the answer for one that is not visible is that for one that does not exist.
 */
export async function findFocusTarget(
  tx: StoreTx,
  sessions: readonly Session[],
  word: string,
  isVisible: (session: Session) => Promise<boolean>,
): Promise<Target> {
  const candidates: Session[] = [];
  for (const session of sessions) {
    const children = await childrenOf(tx, session);
    const labelled = oneOf(children.filter((child) => sameLabel(child, word)));
    const subagent = labelled ?? (await findSubagent(tx, session, word));
    if (subagent.kind !== 'unknown') return subagent;
    candidates.push(...children);
  }
  const key = asSessionKey(word);
  const exact = (key && (await tx.sessions.get(key))) ?? (await tx.sessions.getById(word));
  if (exact && exact.archivedAt === undefined && (await isVisible(exact)))
    return { kind: 'found', session: exact };
  const others = new Map((await tx.sessions.withLabel(word)).map((session) => [session.key, session]));
  for (const owner of await sessionsOfRuns(tx, word)) {
    const session = await tx.sessions.get(owner);
    if (session && session.archivedAt === undefined) others.set(owner, session);
  }
  const visible: Session[] = [];
  for (const session of others.values()) if (await isVisible(session)) visible.push(session);
  return oneOf(visible) ?? { kind: 'unknown', candidates };
}

/** Each session counts its own: numbers of several would only mislead. */
function haveOneRequester(candidates: readonly Session[]): boolean {
  return new Set(candidates.map(({ spawnedBy }) => spawnedBy)).size === 1;
}

function candidatesText(candidates: readonly Session[]): string {
  const isNumbered = haveOneRequester(candidates);
  return candidates
    .map((child) => (isNumbered ? `#${child.ordinal ?? '-'} ${labelOf(child)}` : labelOf(child)))
    .join(', ');
}

export function targetProblem(word: string, target: Exclude<Target, { kind: 'found' }>): string {
  const names = candidatesText(target.candidates);
  if (target.kind === 'ambiguous') {
    const better = haveOneRequester(target.candidates)
      ? 'Use the number.'
      : 'Use the run id, as /agents shows it.';
    return `"${word}" fits more than one: ${names}. ${better}`;
  }
  return names === ''
    ? `There is no "${word}", and no subagent here.`
    : `There is no "${word}" here. There is: ${names}.`;
}

/** The beginning of its id, which is enough to name it; empty without a run. */
export function runWord(run: Pick<Run, 'id'> | undefined): string {
  return run === undefined ? '' : `\`${run.id.slice(0, SHORT_RUN_LENGTH)}\``;
}

/** The child's newest run. */
export async function latestRun(tx: StoreTx, child: Session): Promise<Run | undefined> {
  return (await tx.runs.active(child.key))[0] ?? (await tx.runs.ofSession(child.key, 1))[0];
}
