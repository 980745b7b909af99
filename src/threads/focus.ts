/**
 * Focusing a thread on a session: the thread one is in, or a new one in the channel. A thread that somebody else bound may
 * be taken over only by its binder or an owner.
 */

import type { AfterCommit } from '../commit.ts';
import { type Address, threadAddress } from '../core/address.ts';
import { withHint } from '../core/failure-text.ts';
import { operationId } from '../core/ids.ts';
import type { Actor } from '../core/message.ts';
import { redact } from '../core/redaction.ts';
import { mayControl } from '../core/thread-binding.ts';
import { threadTitle } from '../core/title.ts';
import { type ChannelDirectory, canOpenThreads } from '../delivery/directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import type { Operation, Session, StoreTx } from '../ports/store/index.ts';
import { bindThread } from './bind.ts';

export type FocusAnswer =
  | { readonly kind: 'bound' }
  /** A new thread is being opened; it says itself when it is ready. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'refused'; readonly why: 'bindings-off' | 'no-threads' }
  | { readonly kind: 'held'; readonly by: string };

export interface FocusDeps {
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly clock: Clock;
}

export interface FocusRequest {
  readonly session: Session;
  readonly label: string;
  readonly address: Address;
  readonly actor: Actor;
  /** Makes the calls of one request recognisable when it is repeated. */
  readonly key: string;
}

export function createFocus(deps: FocusDeps) {
  const { directory, settings, clock } = deps;

  function wanted(session: Session, label: string, address: Address, boundBy: Actor, key: string) {
    const limits = settings.bindings(address.channel, address.account);
    return {
      address,
      sessionKey: session.key,
      label,
      agentId: session.agentId,
      boundBy,
      key,
      idleMs: limits.idleMs,
      maxAgeMs: limits.maxAgeMs,
      readsUnmentioned: directory.capabilities(address)?.readsUnmentioned === true,
    };
  }

  async function focus(tx: StoreTx, after: AfterCommit, request: FocusRequest): Promise<FocusAnswer> {
    const { session, label, address, actor, key } = request;
    if (!settings.bindings(address.channel, address.account).isEnabled)
      return { kind: 'refused', why: 'bindings-off' };
    if (!canOpenThreads(directory, address)) return { kind: 'refused', why: 'no-threads' };
    if (address.thread === undefined) {
      await openThread(tx, after, request, key);
      return { kind: 'opening' };
    }
    const held = await tx.bindings.live(address);
    if (held && !mayControl(held, actor)) return { kind: 'held', by: held.boundBy.name };
    await bindThread(tx, after, settings, wanted(session, label, address, actor, key), clock.now());
    return { kind: 'bound' };
  }

  async function openThread(
    tx: StoreTx,
    after: AfterCommit,
    { session, label, address, actor }: FocusRequest,
    key: string,
  ): Promise<void> {
    const anchor = operationId(`focus:${key}`);
    const maxLength = directory.capabilities(address)!.maxTitleLength;
    await tx.operations.insert(
      [
        {
          id: anchor,
          address,
          call: { kind: 'send', text: `**${label}** gets a thread here.` },
          purpose: { kind: 'notice' },
        },
        {
          id: operationId(`focus:${key}:thread`),
          address,
          call: { kind: 'open-thread', anchor, title: threadTitle(label, label, maxLength, redact) },
          purpose: { kind: 'focus-thread', sessionKey: session.key, boundBy: actor },
        },
      ],
      clock.now(),
    );
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
  }

  /** The thread that `/focus` asked for exists. */
  async function opened(
    tx: StoreTx,
    after: AfterCommit,
    operation: Operation,
    purpose: Operation['purpose'] & { kind: 'focus-thread' },
    label: string,
    thread: string,
  ): Promise<void> {
    const session = await tx.sessions.get(purpose.sessionKey);
    if (!session || session.archivedAt !== undefined) return;
    const address = threadAddress(operation.address, thread);
    const binding = wanted(session, label, address, purpose.boundBy, operation.id);
    await bindThread(tx, after, settings, binding, clock.now());
  }

  /** Whoever asked was told that a thread is being opened; they are told as well that it cannot be had. */
  async function failed(tx: StoreTx, after: AfterCommit, operation: Operation, label: string): Promise<void> {
    const { address } = operation;
    await tx.operations.insert(
      [
        {
          id: operationId(`${operation.id}:failed`),
          address,
          call: {
            kind: 'send',
            text: withHint(`A thread for **${label}** could not be opened.`, operation.error),
          },
          purpose: { kind: 'notice' },
        },
      ],
      clock.now(),
    );
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
  }

  return { focus, opened, failed };
}

export type Focus = ReturnType<typeof createFocus>;
