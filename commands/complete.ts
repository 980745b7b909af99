/** Completion of a command that is being typed, with what there is at that place, for those who may give it. */
import { judge } from '../src/access/judge.ts';
import { isOwner } from '../src/access/owner.ts';
import type { CommandSpec, CompletionChoice, CompletionSource } from '../src/core/command-grammar.ts';
import { type CompletionValue, completeCommand } from '../src/core/completion.ts';
import type { Inbound } from '../src/core/message.ts';
import type { ChannelDirectory } from '../src/delivery/directory.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Models } from '../src/ports/model.ts';
import type { Settings } from '../src/ports/settings.ts';
import type { StoreReads } from '../src/ports/store/index.ts';
import { activeSubagentsOf, interruptedRuns, sessionsAt, subagentsOf } from './complete-sessions.ts';

type Values = readonly CompletionValue[];

export function createCompletion(deps: {
  read: StoreReads;
  directory: ChannelDirectory;
  settings: Settings;
  models: Models;
  clock: Clock;
  specs: readonly CommandSpec[];
}) {
  const { read, directory, settings, models, clock, specs } = deps;

  async function mayCommand(typed: Inbound): Promise<boolean> {
    const binding = await read.bindings.live(typed.address);
    const access = await judge(read, { directory, settings }, typed, { binding, isCommand: true });
    return access.kind === 'allowed';
  }

  /** Codes of strangers, whom only owners are told of. */
  async function waiting({ address, sender }: Inbound): Promise<Values> {
    if (!isOwner(directory, settings, address, sender.id)) return [];
    return (await read.pairings.pending(clock.now())).map(({ code, name, channel }) => ({
      value: code,
      summary: `${name} on ${channel}`,
      alias: [name],
    }));
  }

  /** Agents that whoever answers there may spawn. */
  function spawnable(agentId = settings.agents[0]!): readonly string[] {
    return settings.subagents(agentId).allowedAgents;
  }

  async function valuesOf(source: CompletionSource, typed: Inbound): Promise<Values> {
    const { session, requesters } = await sessionsAt(read, settings, typed);
    switch (source) {
      case 'subagent':
        return subagentsOf(read, session ? [session] : []);
      case 'active-subagent':
        return session ? activeSubagentsOf(read, session) : [];
      case 'session':
        return subagentsOf(read, requesters);
      case 'interrupted-run':
        return session ? interruptedRuns(read, session) : [];
      case 'agent':
        return spawnable(session?.agentId).map((id) => ({ value: id, summary: '' }));
      case 'model':
        return models.known().map((ref) => ({ value: ref, summary: '', alias: namesIn(ref) }));
      case 'pairing':
        return waiting(typed);
      case 'command':
        return specs.map(({ name, summary }) => ({ value: name, summary }));
    }
  }

  return async function complete(typed: Inbound): Promise<readonly CompletionChoice[]> {
    const asked = new Set<CompletionSource>();
    const fixed = completeCommand(typed.text, specs, (source) => {
      asked.add(source);
      return [];
    });
    if (asked.size === 0 && fixed.length === 0) return [];
    if (!(await mayCommand(typed))) return [];
    const values = new Map<CompletionSource, Values>();
    for (const source of asked) values.set(source, await valuesOf(source, typed));
    return completeCommand(typed.text, specs, (source) => values.get(source) ?? []);
  };
}

/** `vendor/model` and `model` of `provider/vendor/model`. */
function namesIn(ref: string): readonly string[] {
  const parts = ref.split('/');
  return parts.slice(1).map((_, i) => parts.slice(i + 1).join('/'));
}
