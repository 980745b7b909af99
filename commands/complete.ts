/** Completion of a command that is being typed, with what there is at that place. */
import type { Address } from '../src/core/address.ts';
import type { CommandSpec, CompletionChoice, CompletionSource } from '../src/core/command-grammar.ts';
import { completeCommand } from '../src/core/completion.ts';
import { keyForAddress } from '../src/core/session-key.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { Settings } from '../src/ports/settings.ts';
import type { Session, StoreReads } from '../src/ports/store/index.ts';

interface Value {
  readonly value: string;
  readonly summary: string;
}

export function createCompletion(deps: {
  read: StoreReads;
  settings: Settings;
  specs: readonly CommandSpec[];
}) {
  const { read, settings, specs } = deps;

  async function sessionAt(address: Address): Promise<Session | undefined> {
    const binding = await read.bindings.live(address);
    const key = binding?.sessionKey ?? keyForAddress(settings.agents[0]!, address, '', settings.dmScope);
    return read.sessions.get(key);
  }

  async function children(session: Session | undefined): Promise<readonly Value[]> {
    if (!session) return [];
    return (await read.sessions.children(session.key))
      .filter((child) => child.archivedAt === undefined)
      .map((child) => ({ value: String(child.ordinal ?? ''), summary: labelOf(child) }));
  }

  return async function complete(address: Address, text: string): Promise<readonly CompletionChoice[]> {
    const session = await sessionAt(address);
    const requester = session?.spawnedBy === undefined ? session : await read.sessions.get(session.spawnedBy);
    const values: Record<CompletionSource, readonly Value[]> = {
      subagent: await children(session),
      session: await children(requester),
      agent: settings.agents.map((id) => ({ value: id, summary: 'agent' })),
      model: [],
      command: specs.map((spec) => ({ value: spec.name, summary: spec.summary })),
    };
    return completeCommand(text, specs, (source) => values[source]);
  };
}
