import { formatDuration, formatMinute } from '../src/core/duration.ts';
import { labelOf } from '../src/core/session-label.ts';
import { timeLeft } from '../src/core/thread-binding.ts';
import { childrenOf, countActive } from '../src/subagents/children.ts';
import { type CommandContext, defineCommand, say } from './command.ts';

const MAX_FINDINGS = 3;

export const status = defineCommand({
  name: 'status',
  summary: 'Show the session of this place: model, use, work under way',
  options: {},
  permission: 'authorized',
  where: 'anywhere',
  async run(_args, context) {
    const { tx, session, clock } = context;
    const active = await tx.runs.active(session.key);
    const { inputTokens, outputTokens } = session.usage;
    return say(
      [
        `**${placeName(context)}** (agent ${session.agentId})`,
        modelLine(context),
        `Tokens: ${inputTokens} in, ${outputTokens} out`,
        `Work: ${active.length === 0 ? 'idle' : active.map((run) => run.status).join(', ')}`,
        await subagentLine(context),
        bindingLine(context),
        await undeliveredLine(context),
        ...findingLines(context),
        `Time: ${formatMinute(clock.now())}`,
      ]
        .filter(Boolean)
        .join('\n'),
    );
  },
});

/** A place has a name that people know; a subagent has its own wherever it is. */
function placeName({ session, message }: CommandContext): string {
  return (session.spawnedBy === undefined ? message.place?.name : undefined) ?? labelOf(session);
}

function modelLine({ session, settings, models, defaultModel }: CommandContext): string {
  const wanted = session.model ?? settings.model(session.agentId);
  const model = (wanted === undefined ? undefined : models.describe(wanted)) ?? defaultModel();
  if (!model) return 'Model: the default one, not used yet';
  return model.isOffline
    ? 'Model: none. The built-in offline stand-in answers; put a key into .env to connect a real one'
    : `Model: ${model.ref}`;
}

async function subagentLine({ tx, session }: CommandContext): Promise<string> {
  const children = await childrenOf(tx, session);
  const active = await countActive(tx, children);
  return children.length === 0 ? '' : `Subagents: ${active} active, ${children.length} in all`;
}

/** Whoever runs the bot should know that something could not be said. */
async function undeliveredLine({ tx, actor }: CommandContext): Promise<string> {
  if (actor.role !== 'owner') return '';
  const { failed } = await tx.operations.counts();
  return failed === 0
    ? ''
    : `Undelivered: ${failed} ${failed === 1 ? 'message' : 'messages'}. The log says why`;
}

/** Whoever runs the bot should know what is set up wrongly; `npx skein doctor` says what to do. */
function findingLines({ findings, actor }: CommandContext): readonly string[] {
  if (actor.role !== 'owner') return [];
  const all = findings();
  const shown = all.slice(0, MAX_FINDINGS).map(({ name, found }) => `Attention: ${name}: ${found}`);
  return all.length === 0 ? [] : [...shown, '`npx skein doctor` says what to do.'];
}

function bindingLine({ binding, clock }: CommandContext): string {
  if (!binding) return '';
  const { idleLeftMs, maxAgeLeftMs } = timeLeft(binding, clock.now());
  const parts = [
    idleLeftMs === undefined ? 'no idle limit' : `ends in ${formatDuration(idleLeftMs)} if nobody writes`,
    maxAgeLeftMs === undefined ? 'no maximum age' : `at most ${formatDuration(maxAgeLeftMs)} more`,
  ];
  return `Thread: focused by ${binding.boundBy.name}, ${parts.join(', ')}`;
}
