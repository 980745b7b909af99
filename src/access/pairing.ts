/**
 * Pairing: a stranger who writes directly is given a code, and an owner decides by it. Both are rows of the caller's
 * transaction; whoever is let in hears of it through the outbox, whoever is not hears nothing.
 */
import type { AfterCommit, Commit } from '../commit.ts';
import { refusalText } from '../core/access.ts';
import { operationId } from '../core/ids.ts';
import type { Inbound } from '../core/message.ts';
import { decideAsk, PAIRING_LIFE_MS, pairingCode, readCode, strangerText, WELCOME } from '../core/pairing.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Pairing, StoreReads, StoreTx } from '../ports/store/index.ts';

interface Asked {
  readonly reason: 'pairing-needed' | 'pairing-full';
  /** What the stranger is told. */
  readonly text?: string;
}

/** `message`: of somebody unknown, in a direct conversation. */
export async function askToBeLetIn(tx: StoreTx, ids: Ids, message: Inbound, now: number): Promise<Asked> {
  const { address, sender } = message;
  const { channel, account } = address;
  // A command is answered in any case: its sender would be shown a failure otherwise.
  const isCommand = message.source !== 'message';
  const earlier = await tx.pairings.of(channel, account, sender.id);
  const pending = (await tx.pairings.pending(now)).filter(
    (other) => other.channel === channel && other.account === account,
  );
  switch (decideAsk(earlier, pending.length, now)) {
    case 'told-before':
      return { reason: 'pairing-needed', ...(isCommand && { text: strangerText(earlier!.code) }) };
    case 'full':
      return { reason: 'pairing-full', ...(isCommand && { text: refusalText('command-not-allowed') }) };
    case 'new-code': {
      const code = pairingCode(ids.secret());
      const expiresAt = now + PAIRING_LIFE_MS;
      const asked = { channel, account, peer: sender.id, name: sender.name, address, code, expiresAt };
      await tx.pairings.put({ ...asked, status: 'pending', requestedAt: now });
      return { reason: 'pairing-needed', text: strangerText(code) };
    }
  }
}

export type PairingVerdict = 'approved' | 'denied';

/** `undefined`: nobody waits with that code. `by`: `<channel>:<id>`, or `api`. */
export async function decidePairing(
  tx: StoreTx,
  after: AfterCommit,
  typedCode: string,
  verdict: PairingVerdict,
  by: string,
  now: number,
): Promise<Pairing | undefined> {
  const pairing = await tx.pairings.withCode(readCode(typedCode), now);
  if (!pairing || !(await tx.pairings.decide(pairing, verdict, by, now))) return undefined;
  if (verdict === 'approved') await welcome(tx, after, pairing, now);
  return pairing;
}

async function welcome(tx: StoreTx, after: AfterCommit, pairing: Pairing, now: number): Promise<void> {
  const { channel, account, peer, code, address } = pairing;
  await tx.operations.insert(
    [
      {
        id: operationId(`pairing:${channel}:${account}:${peer}:${code}`),
        address,
        call: { kind: 'send', text: WELCOME },
        purpose: { kind: 'notice' },
      },
    ],
    now,
  );
  after.publish({ type: 'operations', channel, account });
}

/** What is behind `/api/pairings` and `skein pair`. */
export interface Pairings {
  /** Who waits, longest first. */
  pending(): Promise<readonly Pairing[]>;
  /** `undefined`: nobody waits with that code. */
  decide(code: string, verdict: PairingVerdict): Promise<Pairing | undefined>;
}

export function createPairings(deps: { commit: Commit; read: StoreReads; clock: Clock }): Pairings {
  const { commit, read, clock } = deps;
  return {
    pending: () => read.pairings.pending(clock.now()),
    decide: (code, verdict) =>
      commit((tx, after) => decidePairing(tx, after, code, verdict, 'api', clock.now())),
  };
}
