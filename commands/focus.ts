import { labelOf } from '../src/subagents/card.ts';
import { defineCommand, say } from './command.ts';
import { findFocusTarget, targetProblem } from './targets.ts';

export const focus = defineCommand({
  name: 'focus',
  summary: 'Let this thread (or a new one) talk to a subagent or session',
  options: {
    target: {
      summary: 'Label, number, session key or id',
      type: 'word',
      isRequired: true,
      completes: 'session',
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ target: word }, context) {
    const { tx, after, actor, address, key } = context;
    const target = await findFocusTarget(tx, await ordinarySession(context), word);
    if (target.kind !== 'found') return say(targetProblem(word, target));
    const label = labelOf(target.session);
    const answer = await context.focus.focus(tx, after, {
      session: target.session,
      label,
      address,
      actor,
      key,
    });
    switch (answer.kind) {
      case 'bound':
        return undefined;
      case 'opening':
        return say(`Opening a thread for **${label}**.`);
      case 'held':
        return say(`This thread was focused by ${answer.by}. Only they or an owner can change that.`);
      case 'refused':
        return say(
          answer.why === 'bindings-off'
            ? 'Threads are not bound here: session.threadBindings.enabled is off.'
            : 'There are no threads here.',
        );
    }
  },
});

/** In a bound thread, targets are looked for where the thread hangs: among the subagents of its requester. */
async function ordinarySession({ tx, session }: Parameters<typeof focus.run>[1]) {
  if (session.spawnedBy === undefined) return session;
  return (await tx.sessions.get(session.spawnedBy)) ?? session;
}
