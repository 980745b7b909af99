import { mayControl } from '../src/core/thread-binding.ts';
import { endBinding } from '../src/threads/bind.ts';
import { type CommandContext, defineCommand, say } from './command.ts';

/** `/unfocus` and `/session unbind`. The notice in the thread is the answer. */
async function run(_args: object, context: CommandContext) {
  const { tx, after, settings, binding, actor, clock } = context;
  if (!binding) return say('Nothing is focused here. `/agents` shows what is where.');
  if (!mayControl(binding, actor)) {
    return say(`This thread was focused by ${binding.boundBy.name}. Only they or an owner can unfocus it.`);
  }
  await endBinding(tx, after, settings, binding, 'unfocused', clock.now(), actor);
  return undefined;
}

export const unfocus = defineCommand({
  name: 'unfocus',
  summary: 'Let this thread go back to its ordinary session',
  options: {},
  permission: 'binder',
  where: 'thread',
  run,
});

export const sessionUnbind = defineCommand({
  name: 'session unbind',
  summary: 'The same as /unfocus',
  options: {},
  permission: 'binder',
  where: 'thread',
  run,
});
