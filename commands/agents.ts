import { formatDuration } from '../src/core/duration.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { Session } from '../src/ports/store/index.ts';
import { type CommandContext, defineCommand, say } from './command.ts';
import { latestRun, runWord } from './targets.ts';
import { threadWords } from './thread-words.ts';

/**
 * Active runs of this place, and whatever is bound to a thread of it. They may be subagents of several sessions, each of
 * which counts its own: so none is shown by its number here, but by its run, which says who is meant everywhere.
 */
export const agents = defineCommand({
  name: 'agents',
  summary: 'Show what is at work here and which thread it is in',
  options: {},
  permission: 'authorized',
  where: 'anywhere',
  async run(_args, context) {
    const rows = await collect(context);
    if (rows.length === 0) return say('Nothing is at work here, and no thread is focused.');
    return say(rows.join('\n'));
  },
});

async function collect({
  tx,
  address,
  session,
  directory,
  clock,
}: CommandContext): Promise<readonly string[]> {
  const bindings = await tx.bindings.ofConversation(address);
  const bound = new Map(bindings.map((binding) => [binding.sessionKey, binding]));
  const top =
    session.spawnedBy === undefined ? session : ((await tx.sessions.get(session.spawnedBy)) ?? session);
  const shown = new Map<string, Session>();
  for (const child of await tx.sessions.descendants(top.key)) {
    if (child.archivedAt !== undefined) continue;
    if (bound.has(child.key) || (await tx.runs.active(child.key)).length > 0) shown.set(child.key, child);
  }
  for (const binding of bindings) {
    const other = await tx.sessions.get(binding.sessionKey);
    if (other) shown.set(other.key, other);
  }
  const rows: string[] = [];
  for (const child of shown.values()) {
    const run = await latestRun(tx, child);
    const thread = bound.get(child.key)?.address.thread;
    const tookMs = run ? (run.endedAt ?? clock.now()) - (run.startedAt ?? run.createdAt) : 0;
    const took = run ? formatDuration(tookMs) : '';
    const place = thread === undefined ? 'unbound' : threadWords(directory, address, thread);
    const status = run?.status.replace('_', ' ') ?? 'idle';
    const words = [`**${labelOf(child)}**`, status, took, runWord(run), place].filter(Boolean);
    rows.push('  '.repeat(Math.max(0, child.depth - 1)) + words.join(' '));
  }
  return rows;
}
