/** The promises of ports/store/bindings.ts. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Address } from '../../src/core/address.ts';
import { bindingId } from '../../src/core/ids.ts';
import type { Binding } from '../../src/core/thread-binding.ts';
import type { StoreTx } from '../../src/ports/store/index.ts';
import { ada, keyOf, openTemporaryStore, place, type StoreFixture } from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const binding = (id: string, address: Address, more: Partial<Binding> = {}): Binding => ({
  id: bindingId(id),
  address,
  sessionKey: keyOf('a'),
  label: 'look into x',
  boundBy: ada,
  boundAt: 1_000,
  lastActivityAt: 1_000,
  idleMs: 500,
  maxAgeMs: 0,
  state: 'active',
  expiresAt: 1_500,
  ...more,
});
const bind = (...args: Parameters<typeof binding>) => write((tx) => tx.bindings.insert(binding(...args)));
const end = (id: string) => write((tx) => tx.bindings.end(bindingId(id), 'unfocused', ada, 2_000));
const ids = (bindings: readonly Binding[]) => bindings.map(({ id }) => id);
const t1 = place('general', 't1');

it('a binding is the live one of exactly its place (BIND-05)', async () => {
  await bind('b1', t1);
  const { bindings } = fixture.store.read;
  expect(await bindings.live(t1)).toEqual(binding('b1', t1));
  expect(await bindings.get(bindingId('b1'))).toEqual(binding('b1', t1));
  for (const other of [place(), place('general', 't2'), place('t1'), { ...t1, account: 'second' }]) {
    expect(await bindings.live(other)).toBeUndefined();
  }
});

it('a place has one live binding, over all processes', async () => {
  await bind('b1', t1);
  const { store: other } = await fixture.second();
  const second = other.transaction((tx) => tx.bindings.insert(binding('b2', t1)));
  await expect(second).rejects.toMatchObject({ code: 'store-failed' });
  await bind('b3', place());
  await expect(bind('b4', place())).rejects.toMatchObject({ code: 'store-failed' });
  await end('b1');
  await bind('b5', t1);
  expect(await fixture.store.read.bindings.live(t1)).toMatchObject({ id: 'b5' });
});

it('ends once, with its reason', async () => {
  await bind('b1', t1);
  expect(await end('b1')).toBe(true);
  expect(await end('b1')).toBe(false);
  const { bindings } = fixture.store.read;
  expect(await bindings.get(bindingId('b1'))).toMatchObject({
    state: 'ended',
    endReason: 'unfocused',
    endedAt: 2_000,
  });
  expect(await bindings.live(t1)).toBeUndefined();
  expect(await bindings.ofSession(keyOf('a'))).toEqual([]);
});

it('changes its timers, activity and state until it has ended', async () => {
  await bind('b1', t1);
  const update = (patch: Parameters<StoreTx['bindings']['update']>[1]) =>
    write((tx) => tx.bindings.update(bindingId('b1'), patch));
  expect(await update({ lastActivityAt: 9, idleMs: 8, maxAgeMs: 7, state: 'dormant', expiresAt: null })).toBe(
    true,
  );
  const changed = await fixture.store.read.bindings.live(t1);
  expect(changed).toMatchObject({ lastActivityAt: 9, idleMs: 8, maxAgeMs: 7, state: 'dormant' });
  expect(changed).not.toHaveProperty('expiresAt');
  expect(await update({})).toBe(true);
  await end('b1');
  expect(await update({ idleMs: 1 })).toBe(false);
  expect(await update({})).toBe(false);
});

it('is listed by session, and by conversation in order of binding', async () => {
  await bind('b2', place('general', 't2'), { sessionKey: keyOf('b') });
  await bind('b1', t1);
  await bind('b3', place());
  await bind('b4', place('other', 't3'));
  await bind('b5', place('general', 't4'));
  await end('b5');
  const { bindings } = fixture.store.read;
  expect(ids(await bindings.ofConversation(place()))).toEqual(['b2', 'b1']);
  expect(ids(await bindings.ofConversation(t1))).toEqual(['b2', 'b1']);
  expect(ids(await bindings.ofSession(keyOf('a'))).sort()).toEqual(['b1', 'b3', 'b4']);
});

it('is due when its limit is reached, earliest first, up to the last date there is', async () => {
  await bind('b1', t1, { expiresAt: 8.64e15 });
  await bind('b2', place('general', 't2'), { expiresAt: 1_400 });
  await bind('b3', place('general', 't3'), { expiresAt: 1_300 });
  const never = binding('b4', place('general', 't4'));
  const { expiresAt: _expiresAt, ...unlimited } = never;
  await write((tx) => tx.bindings.insert(unlimited));
  const due = (now: number, limit = 9) => fixture.store.read.bindings.due(now, limit);
  expect(ids(await due(1_400))).toEqual(['b3', 'b2']);
  expect(ids(await due(1_400, 1))).toEqual(['b3']);
  await end('b3');
  expect(ids(await due(8.64e15))).toEqual(['b2', 'b1']);
});

it('those of an account are its live ones, latest activity first', async () => {
  await bind('b1', place('general', 't1'), { lastActivityAt: 1 });
  await bind('b2', place('other'), { lastActivityAt: 2 });
  await bind('b3', { ...place('x'), account: 'default2' });
  await bind('b4', place('general', 't4'), { lastActivityAt: 3 });
  await end('b4');
  const { bindings } = fixture.store.read;
  expect(ids(await bindings.ofAccount('webchat', 'default', 9))).toEqual(['b2', 'b1']);
  expect(ids(await bindings.ofAccount('webchat', 'default', 1))).toEqual(['b2']);
});
