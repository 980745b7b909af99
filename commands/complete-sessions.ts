/** Subagents and their runs as values to choose from, found by number, label or run id. */
import { parentAddress } from '../src/core/address.ts';
import type { CompletionValue } from '../src/core/completion.ts';
import type { SessionKey } from '../src/core/ids.ts';
import type { Inbound } from '../src/core/message.ts';
import { keyForAddress } from '../src/core/session-key.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { Settings } from '../src/ports/settings.ts';
import type { Run, Session, StoreReads } from '../src/ports/store/index.ts';
import { interruptedOperation } from '../src/runs/interrupted-note.ts';
import { childrenOf, countActive } from '../src/subagents/children.ts';

/** As many of a session's newest runs are looked at. */
const RECENT_RUNS = 5;

export interface SessionsAt {
  /** That of the place, the bound one in a bound thread; absent before anything was said there. */
  readonly session: Session | undefined;
  /** Whose subagents may be meant there: the session's or its requester's, and in a thread also the channel's. */
  readonly requesters: readonly Session[];
}

export async function sessionsAt(
  read: StoreReads,
  settings: Settings,
  { address, sender }: Inbound,
): Promise<SessionsAt> {
  const keyAt = (place: typeof address) =>
    keyForAddress(settings.agents[0]!, place, sender.id, settings.dmScope);
  const binding = await read.bindings.live(address);
  const session = await read.sessions.get(binding?.sessionKey ?? keyAt(address));
  const requester = session?.spawnedBy === undefined ? session : await read.sessions.get(session.spawnedBy);
  const channel =
    address.thread === undefined ? undefined : await read.sessions.get(keyAt(parentAddress(address)));
  const byKey = new Map<SessionKey, Session>();
  for (const each of [requester, channel]) if (each) byKey.set(each.key, each);
  return { session, requesters: [...byKey.values()] };
}

/** Those of the first requester by their numbers; another's number would mean somebody else there. */
export async function subagentsOf(
  read: StoreReads,
  [first, ...others]: readonly Session[],
): Promise<readonly CompletionValue[]> {
  const own = first ? await childrenOf(read, first) : [];
  const values = await Promise.all(own.map((child) => choiceOf(read, child, String(child.ordinal ?? ''))));
  for (const other of others) {
    for (const child of await childrenOf(read, other))
      values.push(await choiceOf(read, child, labelOf(child)));
  }
  return values;
}

/** Those that can be stopped, or have one below them that can, and all of them together. */
export async function activeSubagentsOf(
  read: StoreReads,
  session: Session,
): Promise<readonly CompletionValue[]> {
  const values: CompletionValue[] = [];
  for (const child of await childrenOf(read, session)) {
    const tree = [child, ...(await read.sessions.descendants(child.key))];
    if ((await countActive(read, tree)) > 0)
      values.push(await choiceOf(read, child, String(child.ordinal ?? '')));
  }
  return values.length === 0 ? [] : [...values, { value: 'all', summary: 'every one of them' }];
}

async function choiceOf(read: StoreReads, child: Session, value: string): Promise<CompletionValue> {
  const runs = await read.runs.ofSession(child.key, RECENT_RUNS);
  return {
    value,
    summary: labelOf(child),
    alias: [`#${value}`, labelOf(child), ...runs.map(({ id }) => id)],
  };
}

/** Runs of the session and of those below it that somebody has yet to decide about. */
export async function interruptedRuns(
  read: StoreReads,
  session: Session,
): Promise<readonly CompletionValue[]> {
  const values: CompletionValue[] = [];
  for (const each of [session, ...(await read.sessions.descendants(session.key))]) {
    for (const run of await read.runs.ofSession(each.key, RECENT_RUNS)) {
      if (await isUndecided(read, run)) values.push({ value: run.id, summary: labelOf(each) });
    }
  }
  return values;
}

async function isUndecided(read: StoreReads, { id, status }: Run): Promise<boolean> {
  if (status !== 'interrupted') return false;
  return (await read.operations.get(interruptedOperation(id, 'settled'))) === undefined;
}
