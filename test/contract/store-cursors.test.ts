/** The promises of the cursors: what was dealt with last in each place, and what was missed and waits there. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HeldMessage, heldMessage } from '../../src/core/held-message.ts';
import type { StoreTx } from '../../src/ports/store/index.ts';
import { openTemporaryStore, place, type StoreFixture } from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const advance = (address = place(), eventId = '10', isActive = true, now = 1_000) =>
  write((tx) => tx.cursors.advance(address, eventId, isActive, now));
const active = (since = 0, limit = 9) =>
  fixture.store.read.cursors.active('webchat', 'default', since, limit);

const message = (eventId: string, more: Partial<HeldMessage> = {}): HeldMessage => ({
  address: place(),
  eventId,
  sender: { id: 'u1', name: 'Ann', isBot: false },
  text: `text of ${eventId}`,
  source: 'message',
  isAddressed: true,
  at: 5,
  ...more,
});

it('a cursor moves with what is dealt with, and never back', async () => {
  await advance(place(), '99');
  await advance(place(), '100');
  await advance(place(), '98');
  expect(await active()).toEqual([{ address: place(), eventId: '100' }]);
  expect(await fixture.store.read.cursors.get(place())).toEqual({ address: place(), eventId: '100' });
});

it('a place where the bot has nothing to do gets no cursor, and one that is there moves without new activity', async () => {
  await advance(place('quiet'), '5', false);
  expect(await fixture.store.read.cursors.get(place('quiet'))).toBeUndefined();
  await advance(place(), '10', true, 1_000);
  await advance(place(), '11', false, 9_000);
  await advance(place(), '9', false, 9_000);
  expect(await active(1_000)).toEqual([{ address: place(), eventId: '11' }]);
  expect(await active(1_001)).toEqual([]);
});

it('active places are those of the account, the most recently active first', async () => {
  await advance(place('a'), '1', true, 1);
  await advance(place('b', 't'), '1', true, 3);
  await advance(place('c'), '1', true, 2);
  await advance({ ...place('d'), account: 'second' }, '1', true, 4);
  expect((await active()).map(({ address }) => address.conversation)).toEqual(['b', 'c', 'a']);
  expect(await active(0, 1)).toEqual([{ address: place('b', 't'), eventId: '1' }]);
});

it('missed messages wait in their place, oldest first and once each, until they are removed', async () => {
  await write((tx) => tx.cursors.putMissed([message('e1'), message('e2')], 1_000));
  await write((tx) => tx.cursors.putMissed([message('e2', { text: 'again' }), message('e3')], 2_000));
  await write((tx) => tx.cursors.putMissed([message('x', { address: place('other') })], 2_000));
  const { cursors } = fixture.store.read;
  const waiting = await cursors.missed(place());
  expect(waiting.map((missed) => missed.message)).toEqual([message('e1'), message('e2'), message('e3')]);
  await write((tx) => tx.cursors.removeMissed(place(), waiting[1]!.seq));
  expect((await cursors.missed(place())).map((missed) => missed.message.eventId)).toEqual(['e3']);
  expect(await cursors.missed(place('other'))).toHaveLength(1);
});

it('all that is kept of a thread goes with it, and with its conversation that of all its threads', async () => {
  const places = [
    place('a'),
    place('a', 't1'),
    place('a', 't2'),
    place('ab'),
    { ...place('a'), account: 'b' },
  ];
  for (const address of places) {
    await advance(address);
    await write((tx) => tx.cursors.putMissed([message('e1', { address })], 1_000));
  }
  const { cursors } = fixture.store.read;
  const left = async () => {
    const kept: number[] = [];
    for (const [i, address] of places.entries()) {
      const cursor = await cursors.get(address);
      const missed = await cursors.missed(address);
      expect(missed.length).toBe(cursor ? 1 : 0);
      if (cursor) kept.push(i);
    }
    return kept;
  };
  await write((tx) => tx.cursors.removePlace(place('a', 't1')));
  expect(await left()).toEqual([0, 2, 3, 4]);
  await write((tx) => tx.cursors.removePlace(place('a')));
  expect(await left()).toEqual([3, 4]);
});

it('cursors without activity are forgotten, a few at a time', async () => {
  await advance(place('a'), '1', true, 1);
  await advance(place('b'), '1', true, 2);
  await advance(place('c'), '1', true, 3);
  const forget = (limit: number) => write((tx) => tx.cursors.forget(3, limit));
  expect(await forget(1)).toBe(1);
  expect(await forget(9)).toBe(1);
  expect((await active()).map(({ address }) => address.conversation)).toEqual(['c']);
});

it('places are undecided where all that waits was put down before', async () => {
  const put = (address: ReturnType<typeof place>, eventId: string, now: number) =>
    write((tx) => tx.cursors.putMissed([message(eventId, { address })], now));
  await put(place('a'), 'e1', 1);
  await put(place('a'), 'e2', 2);
  await put(place('b'), 'e1', 1);
  await put(place('b'), 'e2', 9);
  const { cursors } = fixture.store.read;
  expect(await cursors.undecided(3, 9)).toEqual([place('a')]);
  expect(await cursors.undecided(2, 9)).toEqual([]);
  expect(await cursors.undecided(10, 1)).toHaveLength(1);
});

it('E-23 a file of a missed message is not kept, and says so', async () => {
  const inbound = {
    ...message('e1', {
      isMention: true,
      place: { space: 'g1', name: 'guild #general', roles: ['r1'], isOwnThread: true },
      quote: { author: 'Ben', isBot: false, text: 'before' },
    }),
    files: [
      { name: 'a.png', mediaType: 'image/png', bytes: new Uint8Array([1]) },
      { name: 'b.zip', refused: 'it is no picture' },
    ],
    reply: () => Promise.resolve(),
  };
  await write((tx) => tx.cursors.putMissed([heldMessage(inbound)], 1_000));
  const { reply: _reply, ...rest } = inbound;
  expect((await fixture.store.read.cursors.missed(place()))[0]?.message).toEqual({
    ...rest,
    files: [{ name: 'a.png', refused: expect.stringContaining('send it again') }, inbound.files[1]],
  });
});
