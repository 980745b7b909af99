/**
 * Admission: from a translated message to a stored input, in one transaction.
 *
 *   seen before? → same answer
 *   access       → drop, with its reason
 *   command      → run at once, never behind a run; its effect and its answer commit together
 *   otherwise    → route → inbox → run
 */

import type { AfterCommit, Commit } from '../commit.ts';
import { decideAccess } from '../core/access.ts';
import type { CommandSpec } from '../core/command-grammar.ts';
import { type ParsedCommand, parseCommand } from '../core/command-grammar.ts';
import type { Mask } from '../core/mask.ts';
import type { Actor } from '../core/message.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { CommandReply, InboundMessage, InboundReceipt } from '../ports/channel.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Settings } from '../ports/settings.ts';
import type { StoreReads, StoreTx } from '../ports/store/index.ts';
import { touchBinding } from '../threads/bind.ts';
import { admitMessage } from './admit-message.ts';
import { liveBinding, type Route, routeAddress } from './route.ts';

/** What admission needs of the commands. All of a command's effects are rows of the given transaction. */
export interface CommandRunner {
  readonly specs: readonly CommandSpec[];
  /** `undefined`: what it did speaks for itself (a notice in the thread). */
  run(
    tx: StoreTx,
    after: AfterCommit,
    parsed: ParsedCommand<CommandSpec>,
    given: { readonly message: InboundMessage; readonly actor: Actor; readonly route: Route },
  ): Promise<CommandReply | undefined>;
}

export interface AdmitDeps {
  readonly commit: Commit;
  readonly read: StoreReads;
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly commands: CommandRunner;
  readonly mask: Mask;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** A receipt as it is stored, with the answer that a repeated command event is given again. */
interface Admitted {
  readonly receipt: InboundReceipt;
  readonly reply?: CommandReply;
}

export function createAdmit(deps: AdmitDeps) {
  const { commit, read, directory, settings, commands, mask, ids, clock, log } = deps;

  async function admit(tx: StoreTx, after: AfterCommit, message: InboundMessage): Promise<Admitted> {
    const now = clock.now();
    const { address, eventId, sender } = message;
    const { channel } = address;
    const capabilities = directory.capabilities(address);
    const isOwner = settings.isOwner(channel, sender.id) || capabilities?.owners.includes(sender.id) === true;
    const binding = await liveBinding(tx, after, settings, address, now);
    const access = decideAccess(message, {
      isOwner,
      needsMention: capabilities?.needsMention === true,
      isBound: binding !== undefined && capabilities?.readsUnmentioned === true,
    });
    if (access.kind === 'dropped') {
      const { reason } = access;
      await tx.admissions.drop({ address, eventId, senderId: sender.id, reason, at: now });
      return { receipt: { status: 'dropped', reason } };
    }
    const { actor } = access;
    const route = await routeAddress(tx, after, settings, ids, address, sender.id, now);
    const parsed = parseCommand(message.text, commands.specs);
    if (parsed) {
      const reply = await commands.run(tx, after, parsed, { message, actor, route });
      return { receipt: { status: 'command', command: parsed.spec.name }, ...(reply && { reply }) };
    }
    if (message.source === 'button') {
      return {
        receipt: { status: 'command', command: 'unknown' },
        reply: { text: 'That button does nothing any more.' },
      };
    }
    if (route.binding) await touchBinding(tx, after, route.binding, now);
    await tx.sessions.update(route.session.key, { route: address }, now);
    const { session } = route;
    const admitted = await admitMessage(
      tx,
      after,
      { settings, ids },
      { session, message, actor, text: message.text },
      now,
    );
    await logHumanMessage(tx, route, actor, now);
    return admitted;
  }

  /** Watchers of a session learn that a person has spoken to it directly. */
  async function logHumanMessage(tx: StoreTx, { session }: Route, actor: Actor, now: number): Promise<void> {
    if ((await tx.stateLog.watchers(session.key)).length === 0) return;
    await tx.stateLog.append(
      {
        sessionKey: session.key,
        kind: 'human_direct_message',
        actorType: 'human',
        actorId: `${actor.channel}:${actor.id}`,
        summary: 'a person wrote to the session',
        payload: { channel: actor.channel },
      },
      now,
    );
  }

  return async function receive(message: InboundMessage): Promise<InboundReceipt> {
    const { address, eventId } = message;
    const { channel, account } = address;
    const earlier = await read.admissions.result(channel, account, eventId);
    const admitted = earlier
      ? (earlier as Admitted)
      : await commit(async (tx, after) => {
          const raced = await tx.admissions.result(channel, account, eventId);
          if (raced) return raced as Admitted;
          const result = await admit(tx, after, message);
          await tx.admissions.record({ channel, account, eventId, result }, clock.now());
          return result;
        });
    if (admitted.receipt.status === 'dropped') {
      log.info({ channel, account, eventId, reason: admitted.receipt.reason }, 'a message was dropped');
    }
    const { reply } = admitted;
    if (reply) await message.reply({ ...reply, text: mask.text(reply.text) });
    return admitted.receipt;
  };
}
