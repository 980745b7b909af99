import { parentAddress } from '../src/core/address.ts';
import { keyForAddress } from '../src/core/session-key.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { Session } from '../src/ports/store/index.ts';
import { type CommandContext, defineCommand, say } from './command.ts';
import { findFocusTarget, targetProblem } from './targets.ts';
import { belongsTo } from './visible.ts';

export const focus = defineCommand({
  name: 'focus',
  summary: 'Let this thread (or a new one) talk to a subagent or session',
  options: {
    target: {
      summary:
        'A subagent (number or label, as /subagents list shows them), or the key or label of a session',
      type: 'text',
      isRequired: true,
      completes: 'session',
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ target: word }, context) {
    const { tx, after, actor, address, key } = context;
    const searched = await searchedSessions(context);
    const isVisible = async (session: Session) =>
      actor.role === 'owner' ||
      searched.some(({ key }) => key === session.key) ||
      (await belongsTo(tx, session, address));
    const target = await findFocusTarget(tx, searched, word, isVisible);
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
        // Whoever typed it sees in the channel that a thread is being opened.
        return context.message.source === 'command'
          ? say(`A thread for **${label}** is opening here.`)
          : undefined;
      case 'held':
        return say(`This thread was focused by ${answer.by}. Only they or an owner can change that.`);
      case 'refused':
        return say(
          answer.why === 'bindings-off'
            ? `Threads are not bound here: session.threadBindings.enabled or channels.${address.channel}.threadBindings.enabled is off.`
            : 'There are no threads here.',
        );
    }
  },
});

/**
 * Whose subagents are meant: those of this place, and in a thread those of its channel. In a bound thread, "this place" is
 * the requester of the subagent that is there.
 */
async function searchedSessions(context: CommandContext): Promise<readonly Session[]> {
  const { tx, session, address, settings, actor } = context;
  const requester = session.spawnedBy === undefined ? undefined : await tx.sessions.get(session.spawnedBy);
  const here = requester ?? session;
  if (address.thread === undefined) return [here];
  const channelKey = keyForAddress(settings.agents[0]!, parentAddress(address), actor.id, settings.dmScope);
  const channel = channelKey === here.key ? undefined : await tx.sessions.get(channelKey);
  return channel ? [here, channel] : [here];
}
