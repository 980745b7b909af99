/** Completion of a command that is being typed, with what there is at that place. */
import { isOwner } from '../src/access/owner.ts';
import type { Address } from '../src/core/address.ts';
import type { CommandSpec, CompletionChoice, CompletionSource } from '../src/core/command-grammar.ts';
import { completeCommand } from '../src/core/completion.ts';
import { keyForAddress } from '../src/core/session-key.ts';
import { labelOf } from '../src/core/session-label.ts';
import type { ChannelDirectory } from '../src/delivery/directory.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Settings } from '../src/ports/settings.ts';
import type { Session, StoreReads } from '../src/ports/store/index.ts';

interface Value {
  readonly value: string;
  readonly summary: string;
}

export function createCompletion(deps: {
  read: StoreReads;
  directory: ChannelDirectory;
  settings: Settings;
  clock: Clock;
  specs: readonly CommandSpec[];
}) {
  const { read, directory, settings, clock, specs } = deps;

  async function sessionAt(address: Address, by: string | undefined): Promise<Session | undefined> {
    const binding = await read.bindings.live(address);
    const key =
      binding?.sessionKey ?? keyForAddress(settings.agents[0]!, address, by ?? '', settings.dmScope);
    return read.sessions.get(key);
  }

  async function children(session: Session | undefined): Promise<readonly Value[]> {
    if (!session) return [];
    return (await read.sessions.children(session.key))
      .filter((child) => child.archivedAt === undefined)
      .map((child) => ({ value: String(child.ordinal ?? ''), summary: labelOf(child) }));
  }

  /** Codes of strangers, whom only owners are told of. */
  async function waiting(address: Address, by: string | undefined): Promise<readonly Value[]> {
    if (by === undefined || !isOwner(directory, settings, address, by)) return [];
    return (await read.pairings.pending(clock.now())).map(({ code, name, channel }) => ({
      value: code,
      summary: `${name} on ${channel}`,
    }));
  }

  return async function complete(
    address: Address,
    text: string,
    by?: string,
  ): Promise<readonly CompletionChoice[]> {
    const session = await sessionAt(address, by);
    const requester = session?.spawnedBy === undefined ? session : await read.sessions.get(session.spawnedBy);
    const values: Record<CompletionSource, readonly Value[]> = {
      subagent: await children(session),
      session: await children(requester),
      agent: settings.agents.map((id) => ({ value: id, summary: 'agent' })),
      model: [],
      pairing: await waiting(address, by),
      command: specs.map((spec) => ({ value: spec.name, summary: spec.summary })),
    };
    return completeCommand(text, specs, (source) => values[source]);
  };
}
