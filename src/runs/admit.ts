/**
 * Admission: from a translated message to a stored input, in one transaction.
 *
 *   seen before? → same answer
 *   access       → drop or refusal, with its reason; a stranger is given a code
 *   command      → run at once, never behind a run; its effect and its answer commit together
 *   otherwise    → route → inbox → run
 *
 * The place's cursor moves in the same transaction, so that what was missed is exactly what lies behind it.
 */

import { judge } from '../access/judge.ts';
import { askToBeLetIn } from '../access/pairing.ts';
import type { AfterCommit, Commit } from '../commit.ts';
import { type AccessDecision, refusalText } from '../core/access.ts';
import { parseBareCommand } from '../core/bare-command.ts';
import type { CommandSpec } from '../core/command-grammar.ts';
import { type ParsedCommand, parseCommand, readGivenCommand } from '../core/command-grammar.ts';
import { runId as asRunId, type SessionKey } from '../core/ids.ts';
import type { Mask } from '../core/mask.ts';
import type { Actor, Inbound } from '../core/message.ts';
import { buildSessionKey } from '../core/session-key.ts';
import type { Binding } from '../core/thread-binding.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import { AppError } from '../errors.ts';
import type { CommandReply, InboundMessage, InboundReceipt } from '../ports/channel.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Settings } from '../ports/settings.ts';
import type { DropReason, StoreReads, StoreTx } from '../ports/store/index.ts';
import { touchBinding } from '../threads/bind.ts';
import type { ReplyThreads } from '../threads/reply-thread.ts';
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
  readonly replyThreads: ReplyThreads;
  readonly mask: Mask;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** A receipt as it is stored, with the answer that a repeated command event is given again. */
export interface Admitted {
  readonly receipt: InboundReceipt;
  readonly reply?: CommandReply;
  /** Who gave a native command, as a key. It names no session: what the command did is in that of the conversation. */
  readonly sender?: SessionKey;
}

export interface Admission {
  /**
   * A message as it comes in: admitted in a transaction of its own, and answered where there is an answer at once. An answer
   * that the platform refuses for good is only written to the log.
   */
  receive(message: InboundMessage): Promise<InboundReceipt>;
  /** The same in the caller's transaction; what is to be answered at once is left to the caller. */
  admit(tx: StoreTx, after: AfterCommit, message: InboundMessage): Promise<Admitted>;
  /**
   * Drops the message if access does not let it in; otherwise nothing is done. Resolves to whether it may come in. The
   * place's cursor stays in either case: what was said there before may not be stored yet.
   */
  screen(message: InboundMessage): Promise<boolean>;
  /** Whether access would let it in as things stand. Records nothing. */
  mayTalk(message: Inbound): Promise<boolean>;
}

export function createAdmit(deps: AdmitDeps): Admission {
  const { commit, read, directory, settings, commands, replyThreads, mask, ids, clock, log } = deps;

  function parse({ command, text, isMention }: Inbound): ParsedCommand<CommandSpec> | undefined {
    if (command) return readGivenCommand(command, commands.specs);
    const typed = parseCommand(text, commands.specs);
    return typed ?? (isMention ? parseBareCommand(text, commands.specs) : undefined);
  }

  /** Who may do what with it; looks only, except that a binding whose time is over ends. */
  async function consider(tx: StoreTx, after: AfterCommit, message: InboundMessage, now: number) {
    const binding = await liveBinding(tx, after, settings, message.address, now);
    return { binding, ...(await look(tx, message, binding)) };
  }

  async function look(from: StoreReads, message: Inbound, binding: Binding | undefined) {
    const parsed = parse(message);
    const isCommand = parsed !== undefined || message.source !== 'message';
    const access = await judge(from, { directory, settings }, message, { binding, isCommand });
    return { parsed, isCommand, access };
  }

  async function take(tx: StoreTx, after: AfterCommit, message: InboundMessage): Promise<Admitted> {
    const now = clock.now();
    const { address, sender } = message;
    const { binding, parsed, isCommand, access } = await consider(tx, after, message, now);
    if (access.kind !== 'allowed') return turnAway(tx, message, access, now);
    const { actor } = access;
    const thread = isCommand || binding ? undefined : replyThreads.threadFor(message, actor);
    const place = thread?.place ?? address;
    const route = await routeAddress(tx, after, settings, ids, place, sender.id, now);
    await namePlace(tx, route, message, now);
    if (isCommand) {
      const sender = senderOfNative(message, route);
      return { ...(await command(tx, after, parsed, message, actor, route)), ...(sender && { sender }) };
    }
    if (route.binding) await touchBinding(tx, after, route.binding, now);
    await tx.sessions.update(route.session.key, { route: place }, now);
    const { session } = route;
    const admitted = await admitMessage(
      tx,
      after,
      { settings, ids },
      { session, message, actor, text: message.text, ...(thread && { thread }) },
      now,
    );
    const { receipt } = admitted;
    if (thread && receipt.status === 'admitted') {
      await replyThreads.open(tx, after, message, thread, asRunId(receipt.runId));
    }
    if (actor.role !== 'bot') await logHumanMessage(tx, route, actor, now);
    return admitted;
  }

  /** The ordinary session of a place is called what people call the place now. */
  async function namePlace(
    tx: StoreTx,
    { session, binding }: Route,
    { place }: InboundMessage,
    now: number,
  ): Promise<void> {
    const displayName = place?.name;
    if (binding || displayName === undefined || displayName === session.displayName) return;
    await tx.sessions.update(session.key, { displayName }, now);
  }

  async function command(
    tx: StoreTx,
    after: AfterCommit,
    parsed: ParsedCommand<CommandSpec> | undefined,
    message: InboundMessage,
    actor: Actor,
    route: Route,
  ): Promise<Admitted> {
    if (!parsed) {
      const what = message.source === 'button' ? 'button' : 'command';
      const reply = { text: `That ${what} does nothing any more.`, isPrivate: true };
      return { receipt: { status: 'command', command: 'unknown' }, reply };
    }
    const reply = await commands.run(tx, after, parsed, { message, actor, route });
    return { receipt: { status: 'command', command: parsed.spec.name }, ...(reply && { reply }) };
  }

  async function turnAway(
    tx: StoreTx,
    message: InboundMessage,
    access: Exclude<AccessDecision, { kind: 'allowed' }>,
    now: number,
  ): Promise<Admitted> {
    if (access.kind === 'dropped') return drop(tx, message, access.reason, undefined, now);
    if (access.kind === 'refused') return drop(tx, message, access.reason, refusalText(access.reason), now);
    const { reason, text } = await askToBeLetIn(tx, ids, message, now);
    return drop(tx, message, reason, text, now);
  }

  /** `told`: what its sender is told, in private where that is possible. */
  async function drop(
    tx: StoreTx,
    { address, eventId, sender }: InboundMessage,
    reason: DropReason,
    told: string | undefined,
    now: number,
  ): Promise<Admitted> {
    await tx.admissions.drop({ address, eventId, senderId: sender.id, reason, at: now });
    const reply = told === undefined ? {} : { reply: { text: told, isPrivate: true } };
    return { receipt: { status: 'dropped', reason }, ...reply };
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

  /** Remembers what became of the event, for when it is offered again. */
  async function remember(tx: StoreTx, message: InboundMessage, result: Admitted): Promise<Admitted> {
    const { address, eventId } = message;
    const { channel, account } = address;
    await tx.admissions.record({ channel, account, eventId, result }, clock.now());
    return result;
  }

  async function earlier(from: Pick<StoreReads, 'admissions'>, { address, eventId }: InboundMessage) {
    const result = await from.admissions.result(address.channel, address.account, eventId);
    return result as Admitted | undefined;
  }

  async function admit(tx: StoreTx, after: AfterCommit, message: InboundMessage): Promise<Admitted> {
    const before = await earlier(tx, message);
    if (before) return before;
    const result = await remember(tx, message, await take(tx, after, message));
    if (message.source === 'message') {
      const isActive = result.receipt.status !== 'dropped';
      await tx.cursors.advance(message.address, message.eventId, isActive, clock.now());
    }
    return result;
  }

  async function answer(message: InboundMessage, { receipt, reply }: Admitted): Promise<void> {
    const { address, eventId } = message;
    const { channel, account } = address;
    if (receipt.status === 'dropped') {
      // What people say past the bot is most of what is said.
      const level = receipt.reason === 'not-addressed' ? 'debug' : 'info';
      log[level]({ channel, account, eventId, reason: receipt.reason }, 'a message was dropped');
    }
    if (reply) await tell(message, { ...reply, text: mask.text(reply.text) });
  }

  /** What the message does is stored; that its sender cannot be told must not hold up what comes after it. */
  async function tell(message: InboundMessage, reply: CommandReply): Promise<void> {
    try {
      await message.reply(reply);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || !thrown.code.startsWith('channel-') || thrown.isRetryable)
        throw thrown;
      const { channel, account } = message.address;
      const fields = { channel, account, eventId: message.eventId, reason: thrown.code, err: thrown };
      log.warn(fields, 'the platform refused an answer');
    }
  }

  return {
    admit,
    async receive(message) {
      const admitted =
        (await earlier(read, message)) ?? (await commit((tx, after) => admit(tx, after, message)));
      await answer(message, admitted);
      return admitted.receipt;
    },
    async screen(message) {
      const dropped = await commit(async (tx, after) => {
        const now = clock.now();
        const { access } = await consider(tx, after, message, now);
        if (access.kind === 'allowed') return undefined;
        return remember(tx, message, await turnAway(tx, message, access, now));
      });
      if (dropped) await answer(message, dropped);
      return dropped === undefined;
    },
    async mayTalk(message) {
      const { access } = await look(read, message, await read.bindings.live(message.address));
      return access.kind === 'allowed';
    },
  };
}

function senderOfNative(
  { source, address, sender }: InboundMessage,
  { session }: Route,
): SessionKey | undefined {
  if (source !== 'command') return undefined;
  const { agentId } = session;
  return buildSessionKey({ kind: 'slash', agentId, channel: address.channel, user: sender.id });
}
