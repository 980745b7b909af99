import { formatDuration } from '../src/core/duration.ts';
import { labelOf } from '../src/core/session-label.ts';
import { THINKING_LEVELS } from '../src/core/thinking.ts';
import { childrenOf } from '../src/subagents/children.ts';
import { defineCommand, say } from './command.ts';
import { findSubagent, latestRun, runWord, targetProblem } from './targets.ts';

const MAX_ROWS = 25;

export const subagentsList = defineCommand({
  name: 'subagents list',
  summary: 'Show the subagents of this session',
  options: {},
  isUsual: true,
  permission: 'authorized',
  where: 'anywhere',
  async run(_args, { tx, session, clock }) {
    const children = (await childrenOf(tx, session)).slice(-MAX_ROWS);
    if (children.length === 0) return say('No subagents here yet.');
    const rows: string[] = [];
    for (const child of children) {
      const run = await latestRun(tx, child);
      const tookMs = run?.startedAt === undefined ? 0 : (run.endedAt ?? clock.now()) - run.startedAt;
      rows.push(
        `#${child.ordinal} **${labelOf(child)}** ${run?.status.replace('_', ' ') ?? 'idle'} ${formatDuration(tookMs)} ${runWord(run)}`,
      );
    }
    return say(rows.join('\n'));
  },
});

export const subagentsKill = defineCommand({
  name: 'subagents kill',
  summary: 'Stop a subagent and everything below it, or all of them',
  options: {
    target: {
      summary: 'Number, label or run id, as /subagents list shows them, or all',
      type: 'text',
      isRequired: true,
      completes: 'active-subagent',
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ target: word }, { tx, after, session, stop }) {
    if (word.toLowerCase() === 'all') {
      let count = 0;
      for (const child of await childrenOf(tx, session)) count += await stop.stopSubagent(tx, after, child);
      return say(count === 0 ? 'Nothing was running.' : `Stopped ${subagentCount(count)}.`);
    }
    const target = await findSubagent(tx, session, word);
    if (target.kind !== 'found') return say(targetProblem(word, target));
    const count = await stop.stopSubagent(tx, after, target.session);
    const label = labelOf(target.session);
    if (count === 0) return say(`**${label}** was not running.`);
    return say(
      count === 1
        ? `Stopped **${label}**.`
        : `Stopped **${label}** and ${subagentCount(count - 1)} below it.`,
    );
  },
});

function subagentCount(count: number): string {
  return count === 1 ? '1 subagent' : `${count} subagents`;
}

export const subagentsSpawn = defineCommand({
  name: 'subagents spawn',
  summary: 'Give a task to a subagent in the background',
  options: {
    agentId: {
      summary: 'Which agent is to do it, such as main',
      type: 'word',
      isRequired: true,
      completes: 'agent',
    },
    task: { summary: 'What it is to do', type: 'text', isRequired: true },
    model: {
      summary: 'Model for this task, as provider/model',
      type: 'word',
      isFlag: true,
      completes: 'model',
    },
    thinking: {
      summary: 'How hard it thinks',
      type: 'word',
      isFlag: true,
      choices: THINKING_LEVELS,
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ agentId, task, model, thinking }, { tx, after, session, address, actor, key, spawn }) {
    const answer = await spawn(
      tx,
      after,
      // The result comes to where the command was given, wherever the session was last spoken to.
      { session: { ...session, route: address }, actor, key },
      {
        task,
        agentId,
        thread: false,
        mode: 'run',
        cleanup: 'keep',
        isAnnounced: true,
        ...(model !== undefined && { model }),
        ...(thinking !== undefined && { thinking }),
      },
    );
    if (answer.status !== 'accepted') return say(`Not started: ${answer.error}.`);
    const warning = answer.warnings ? ` (${answer.warnings.join('; ')})` : '';
    const child = await tx.sessions.get(answer.childSessionKey);
    const label = child ? `**${labelOf(child)}** ` : '';
    return say(`Started ${label}as \`${answer.runId}\`${warning}. The result will come here.`);
  },
});
