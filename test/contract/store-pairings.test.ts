/** The promises of the pairings, and of the look at who wrote last. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inputId } from '../../src/core/ids.ts';
import type { Pairing, StoreTx } from '../../src/ports/store/index.ts';
import {
  keyOf,
  newInput,
  newRun,
  newSession,
  openTemporaryStore,
  place,
  type StoreFixture,
} from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);

const asked = (peer: string, more: Partial<Pairing> = {}): Pairing => ({
  channel: 'discord',
  account: 'default',
  peer,
  name: peer.toUpperCase(),
  address: place(peer),
  code: `CODE-${peer}`,
  status: 'pending',
  requestedAt: 1_000,
  expiresAt: 2_000,
  ...more,
});
const put = (pairing: Pairing) => write((tx) => tx.pairings.put(pairing));

it('a pairing is found by its person, and while it is pending by its code', async () => {
  await put(asked('ann'));
  const { pairings } = fixture.store.read;
  expect(await pairings.of('discord', 'default', 'ann')).toEqual(asked('ann'));
  expect(await pairings.of('discord', 'second', 'ann')).toBeUndefined();
  expect(await pairings.withCode('CODE-ann', 1_999)).toEqual(asked('ann'));
  expect(await pairings.withCode('CODE-ann', 2_000)).toBeUndefined();
});

it('those that are void or decided are not pending; the others come oldest first', async () => {
  await put(asked('late', { requestedAt: 1_500 }));
  await put(asked('early'));
  await put(asked('void', { expiresAt: 1_200 }));
  await put(asked('in', { status: 'approved' }));
  const pending = await fixture.store.read.pairings.pending(1_200);
  expect(pending.map(({ peer }) => peer)).toEqual(['early', 'late']);
});

it('those that are void are removed; those that hold or were decided stay', async () => {
  await put(asked('ann'));
  await put(asked('void', { expiresAt: 1_200 }));
  await put(asked('in', { status: 'approved', expiresAt: 1_200 }));
  await write((tx) => tx.pairings.removeVoid(1_200));
  const { pairings } = fixture.store.read;
  const left = await Promise.all(
    ['ann', 'void', 'in'].map((peer) => pairings.of('discord', 'default', peer)),
  );
  expect(left.map((pairing) => pairing?.peer)).toEqual(['ann', undefined, 'in']);
});

it('asking again takes the place of what was there', async () => {
  await put(asked('ann'));
  await put(asked('ann', { code: 'CODE-new', requestedAt: 5_000, expiresAt: 6_000 }));
  const { pairings } = fixture.store.read;
  expect(await pairings.pending(0)).toEqual([
    asked('ann', { code: 'CODE-new', requestedAt: 5_000, expiresAt: 6_000 }),
  ]);
});

it('it is decided once', async () => {
  await put(asked('ann'));
  const decide = (status: 'approved' | 'denied') =>
    write((tx) => tx.pairings.decide(asked('ann'), status, 'webchat:owner', 1_500));
  expect(await decide('approved')).toBe(true);
  expect(await decide('denied')).toBe(false);
  expect(await fixture.store.read.pairings.of('discord', 'default', 'ann')).toEqual(
    asked('ann', { status: 'approved', decidedAt: 1_500, decidedBy: 'webchat:owner' }),
  );
  expect(await fixture.store.read.pairings.withCode('CODE-ann', 1_500)).toBeUndefined();
});

it('who wrote last is told newest first, whether it was read or waits; what nobody wrote is passed over', async () => {
  const from = (id: string, role: 'user' | 'bot') => ({
    ...newInput(id, 'a', 'r1'),
    provenance: { kind: 'user', sender: { id, name: id, role } } as const,
  });
  await write(async (tx) => {
    for (const name of ['a', 'b']) await tx.sessions.ensure(newSession(name));
    await tx.runs.insert(newRun('r1', 'a'), 1);
    await tx.inputs.insert(from('i1', 'user'), 1);
    await tx.inputs.insert(from('i2', 'bot'), 2);
    await tx.inputs.consume([inputId('i1'), inputId('i2')], 3);
    await tx.inputs.insert({ ...newInput('i3', 'a', 'r1'), provenance: { kind: 'runtime' } }, 4);
    await tx.inputs.insert(from('i4', 'bot'), 5);
    await tx.inputs.insert(newInput('other', 'b'), 6);
  });
  const latest = async (limit: number) =>
    (await fixture.store.read.inputs.latestSenders(keyOf('a'), limit)).map(({ id, role }) => [id, role]);
  expect(await latest(9)).toEqual([
    ['i4', 'bot'],
    ['i2', 'bot'],
    ['i1', 'user'],
  ]);
  expect(await latest(2)).toEqual([
    ['i4', 'bot'],
    ['i2', 'bot'],
  ]);
  expect(await latest(1)).toEqual([['i4', 'bot']]);
});
