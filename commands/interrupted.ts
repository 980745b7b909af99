import { inputId, runId } from '../src/core/ids.ts';
import { noticeText } from '../src/core/prompt-blocks.ts';
import type { Run } from '../src/ports/store/index.ts';
import { enqueueInput } from '../src/runs/enqueue.ts';
import { interruptedOperation } from '../src/runs/interrupted-note.ts';
import { type CommandContext, defineCommand, say } from './command.ts';

const options = {
  run: {
    summary: 'The run that was interrupted',
    type: 'word',
    isRequired: true,
    completes: 'interrupted-run',
  },
} as const;

/** An interrupted run of the session of this place, or of a subagent below it. */
async function interruptedRun({ tx, session }: CommandContext, word: string): Promise<Run | undefined> {
  const run = await tx.runs.get(runId(word));
  if (run?.status !== 'interrupted') return undefined;
  if (run.sessionKey === session.key) return run;
  const below = await tx.sessions.descendants(session.key);
  return below.some(({ key }) => key === run.sessionKey) ? run : undefined;
}

const UNKNOWN = 'There is no such interrupted run here.';
const SETTLED = 'This was resumed or dropped already.';

/** Whether somebody has decided about it. */
async function isSettled({ tx }: CommandContext, run: Run): Promise<boolean> {
  return (await tx.operations.get(interruptedOperation(run.id, 'settled'))) !== undefined;
}

/** The note loses its buttons, so that nobody presses them again. */
async function settleNote({ tx, after, clock }: CommandContext, run: Run, text: string): Promise<void> {
  const note = await tx.operations.get(interruptedOperation(run.id));
  if (!note) return;
  await tx.operations.insert(
    [
      {
        id: interruptedOperation(run.id, 'settled'),
        address: note.address,
        call: { kind: 'edit', target: note.id, text },
        purpose: { kind: 'notice' },
      },
    ],
    clock.now(),
  );
  after.publish({ type: 'operations', channel: note.address.channel, account: note.address.account });
}

export const resume = defineCommand({
  name: 'resume',
  summary: 'Go on with work that was interrupted',
  options,
  permission: 'authorized',
  where: 'anywhere',
  async run({ run: word }, context) {
    const { tx, after, ids, clock } = context;
    const run = await interruptedRun(context, word);
    const session = run && (await tx.sessions.get(run.sessionKey));
    if (!session || session.archivedAt !== undefined) return say(UNKNOWN);
    if (await isSettled(context, run)) return say(SETTLED);
    const notice =
      'The work above was interrupted. Go on with it. What was begun last may or may not have had its effect.';
    const id = inputId(`resume:${run.id}`);
    await enqueueInput(
      tx,
      after,
      ids,
      {
        session,
        inputId: id,
        text: noticeText(notice),
        provenance: { kind: 'runtime' },
        // Somebody waits for it, whatever began the run.
        trigger: run.trigger === 'completion' ? 'message' : run.trigger,
        origin: run.origin,
        mode: 'followup',
      },
      clock.now(),
    );
    await settleNote(context, run, 'This was interrupted and goes on.');
    return undefined;
  },
});

export const drop = defineCommand({
  name: 'drop',
  summary: 'Leave work that was interrupted as it is',
  options,
  permission: 'authorized',
  where: 'anywhere',
  async run({ run: word }, context) {
    const run = await interruptedRun(context, word);
    if (!run) return say(UNKNOWN);
    if (await isSettled(context, run)) return say(SETTLED);
    await settleNote(context, run, 'This was interrupted and was dropped.');
    return undefined;
  },
});
