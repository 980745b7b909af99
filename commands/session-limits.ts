import { formatDuration, formatMinute } from '../src/core/duration.ts';
import { type Binding, expiryOf, mayControl } from '../src/core/thread-binding.ts';
import { setBindingLimit } from '../src/threads/bind.ts';
import { type CommandContext, defineCommand, say } from './command.ts';

type Limit = 'idleMs' | 'maxAgeMs';
const WORDS = { idleMs: 'Idle limit', maxAgeMs: 'Maximum age' } as const;

function describe(binding: Binding, limit: Limit): string {
  const ms = binding[limit];
  if (ms === 0) return `${WORDS[limit]}: off.`;
  const since = limit === 'idleMs' ? binding.lastActivityAt : binding.boundAt;
  const expiry = expiryOf({ ...binding, idleMs: 0, maxAgeMs: ms, boundAt: since });
  return `${WORDS[limit]}: ${formatDuration(ms)}. Ends ${formatMinute(expiry!.at)}${limit === 'idleMs' ? ' unless somebody writes here' : ''}.`;
}

async function run(limit: Limit, duration: number | undefined, context: CommandContext) {
  const { tx, after, binding, actor, clock } = context;
  if (!binding)
    return say('This works only in a thread that is focused on something. `/focus <target>` does that.');
  if (duration === undefined) return say(describe(binding, limit));
  if (!mayControl(binding, actor)) {
    return say(
      `This thread was focused by ${binding.boundBy.name}. Only they or an owner can change its timers.`,
    );
  }
  const stored = await setBindingLimit(tx, after, binding, { [limit]: duration }, clock.now());
  return say(stored ? describe(stored, limit) : 'Nothing is focused here any more.');
}

const duration = { summary: '30m, 2h, 1d or off; a bare number means hours', type: 'duration' } as const;

export const sessionIdle = defineCommand({
  name: 'session idle',
  summary: 'Show or set how long this thread may be silent before it is unfocused',
  options: { duration },
  permission: 'binder',
  where: 'thread',
  run: (args, context) => run('idleMs', args.duration, context),
});

export const sessionMaxAge = defineCommand({
  name: 'session max-age',
  summary: 'Show or set how long this thread stays focused in any case',
  options: { duration },
  permission: 'binder',
  where: 'thread',
  run: (args, context) => run('maxAgeMs', args.duration, context),
});
