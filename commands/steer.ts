import { admitMessage } from '../src/runs/admit-message.ts';
import { type CommandContext, defineCommand, say } from './command.ts';

const options = { message: { summary: 'What to say', type: 'text', isRequired: true } } as const;

/** Joins the run that is at work here; with nothing at work it is the next message. */
async function run({ message: text }: { readonly message: string }, context: CommandContext) {
  const { tx, after, settings, ids, session, message, actor, clock } = context;
  const isBusy = (await tx.runs.active(session.key)).some(({ status }) => status === 'running');
  const given = { session, message, actor, text, mode: 'steer' } as const;
  const { receipt, reply } = await admitMessage(tx, after, { settings, ids }, given, clock.now());
  if (receipt.status === 'dropped') return reply;
  const done = isBusy
    ? 'Passed on to the answer that is being worked out.'
    : 'Nothing was at work, so this is answered now.';
  return say(reply ? `${done}\n\n${reply.text}` : done);
}

export const steer = defineCommand({
  name: 'steer',
  summary: 'Say something to the answer that is being worked out',
  options,
  permission: 'authorized',
  where: 'anywhere',
  run,
});

export const tell = defineCommand({
  name: 'tell',
  summary: 'The same as /steer',
  options,
  permission: 'authorized',
  where: 'anywhere',
  run,
});
