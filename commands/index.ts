/** Every chat command, and what happens when one is given. */
import type { CommandRunner } from '../src/runs/admit.ts';
import { agents } from './agents.ts';
import { type Command, type CommandServices, say } from './command.ts';
import { focus } from './focus.ts';
import { createHelp } from './help.ts';
import { drop, resume } from './interrupted.ts';
import { missed } from './missed.ts';
import { pairApprove, pairDeny, pairList } from './pair.ts';
import { queue } from './queue.ts';
import { sessionIdle, sessionMaxAge } from './session-limits.ts';
import { status } from './status.ts';
import { steer, tell } from './steer.ts';
import { stop } from './stop.ts';
import { subagentsKill, subagentsList, subagentsSpawn } from './subagents.ts';
import { subagentsInfo } from './subagents-info.ts';
import { sessionUnbind, unfocus } from './unfocus.ts';

const COMMANDS: readonly Command[] = [
  focus,
  unfocus,
  sessionIdle,
  sessionMaxAge,
  sessionUnbind,
  agents,
  subagentsList,
  subagentsInfo,
  subagentsSpawn,
  subagentsKill,
  stop,
  steer,
  tell,
  queue,
  resume,
  drop,
  missed,
  pairList,
  pairApprove,
  pairDeny,
  status,
];

export function createCommands(services: CommandServices): CommandRunner {
  const specs: readonly Command[] = [...COMMANDS, createHelp(COMMANDS)];
  return {
    specs,
    async run(tx, after, parsed, { message, actor, route }) {
      const command = parsed.spec as Command;
      if ('problem' in parsed) return say(parsed.problem);
      if (command.permission === 'owner' && actor.role !== 'owner') return say('Only an owner may do that.');
      const { address, eventId } = message;
      return command.run(parsed.args, {
        ...services,
        tx,
        after,
        actor,
        address,
        message,
        session: route.session,
        key: `command:${address.channel}:${address.account}:${eventId}`,
        ...(route.binding && { binding: route.binding }),
      });
    },
  };
}
