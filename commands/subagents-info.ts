import { formatDuration, formatMinute } from '../src/core/duration.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { Announce, Run, Session } from '../src/ports/store/index.ts';
import { childrenOf, countActive } from '../src/subagents/children.ts';
import { type CommandContext, defineCommand } from './command.ts';
import { findSubagent, latestRun, targetProblem } from './targets.ts';
import { threadWords } from './thread-words.ts';

/** How far back a run is looked for whose end is announced. */
const MAX_RUNS = 100;

export const subagentsInfo = defineCommand({
  name: 'subagents info',
  summary: 'Show all that is known about a subagent',
  options: {
    target: {
      summary: 'Number, label or run id, as /subagents list shows them',
      type: 'text',
      isRequired: true,
      completes: 'subagent',
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ target: word }, context) {
    const { tx, session } = context;
    const target = await findSubagent(tx, session, word);
    const text =
      target.kind === 'found' ? await describe(context, target.session) : targetProblem(word, target);
    return { text, isPrivate: true };
  },
});

async function describe(context: CommandContext, child: Session): Promise<string> {
  const { tx, directory } = context;
  const run = await latestRun(tx, child);
  const bindings = await tx.bindings.ofSession(child.key);
  const threads = bindings.map(({ address, state }) => {
    const place =
      address.thread === undefined ? address.conversation : threadWords(directory, address, address.thread);
    return state === 'dormant' ? `${place} (archived; a message wakes it)` : place;
  });
  return [
    `**${labelOf(child)}** (#${child.ordinal ?? '-'})`,
    ...(run ? runLines(run, context) : ['Status: idle']),
    `Agent: ${child.agentId}, model: ${modelOf(context, child, run)}`,
    `Tokens: ${child.usage.inputTokens} in, ${child.usage.outputTokens} out`,
    await childrenLine(context, child),
    `Thread: ${threads.join(', ') || 'unbound'}`,
    `Mode: ${child.mode ?? 'run'}, cleanup: ${child.cleanup}`,
    `Session: \`${child.key}\``,
    `Session id: \`${child.id}\`, transcript: \`session:${child.id}\``,
    announceLine(await announceOf(context, child)),
  ]
    .filter(Boolean)
    .join('\n');
}

function runLines(run: Run, { clock }: CommandContext): readonly string[] {
  const took =
    run.startedAt === undefined ? '' : `, ${formatDuration((run.endedAt ?? clock.now()) - run.startedAt)}`;
  const times = [
    `asked for ${formatMinute(run.createdAt)}`,
    ...(run.startedAt === undefined ? [] : [`started ${formatMinute(run.startedAt)}`]),
    ...(run.endedAt === undefined ? [] : [`ended ${formatMinute(run.endedAt)}`]),
  ];
  return [`Status: ${run.status.replace('_', ' ')}${took} (\`${run.id}\`)`, `Times: ${times.join(', ')}`];
}

function modelOf({ settings, defaultModel }: CommandContext, child: Session, run: Run | undefined): string {
  const chosen = run?.model ?? child.model ?? settings.model(child.agentId);
  return chosen ?? defaultModel()?.ref ?? 'the default one';
}

async function childrenLine({ tx }: CommandContext, child: Session): Promise<string> {
  const children = await childrenOf(tx, child);
  const active = await countActive(tx, children);
  return children.length === 0 ? 'Subagents: none' : `Subagents: ${active} active, ${children.length} in all`;
}

/** That of the newest run whose end somebody is to be told of. */
async function announceOf({ tx }: CommandContext, child: Session): Promise<Announce | undefined> {
  for (const run of await tx.runs.ofSession(child.key, MAX_RUNS)) {
    const announce = await tx.announces.get(run.id);
    if (announce) return announce;
  }
  return undefined;
}

const ANNOUNCED: Record<Announce['status'], string> = {
  handed: 'handed to whoever asked for it',
  delivering: 'being delivered',
  delivered: 'delivered',
  suppressed: 'not announced',
  undelivered: 'undelivered',
};

function announceLine(announce: Announce | undefined): string {
  if (!announce) return '';
  const reason = announce.reason === undefined ? '' : ` (${announce.reason})`;
  const kept = announce.status === 'undelivered' ? '. It is kept' : '';
  return `Result: ${ANNOUNCED[announce.status]}${reason}${kept}`;
}
