/** The outbox while nothing can be stored: a platform call is made once, and its end is kept until it can be. */
import { expect, onTestFinished, test } from 'vitest';
import { createEmbeddedRunQueue, createInProcessLive } from '../../adapters/embedded/index.ts';
import { createCommit } from '../../src/commit.ts';
import { operationId } from '../../src/core/ids.ts';
import { createMask } from '../../src/core/mask.ts';
import { createChannels } from '../../src/delivery/channels.ts';
import { createOutbox } from '../../src/delivery/outbox.ts';
import { AppError } from '../../src/errors.ts';
import type { ChannelAdapter, OutboundPart } from '../../src/ports/channel.ts';
import type { Store } from '../../src/ports/store/index.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createMemoryChannel } from '../fakes/memory-channel.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { openTemporaryStore, place } from '../support/sql-fixtures.ts';
import { until } from '../support/until.ts';

/** The disk becomes full when the platform has been called; what was said is `parts`. */
async function fullAfterCall(answer: () => Promise<{ messageId: string }>) {
  const fixture = await openTemporaryStore();
  const { log } = createRecordingLog();
  const clock = createManualClock();
  const live = createInProcessLive({ log });
  const { read } = fixture.store;
  const disk = { isFull: false, refused: 0 };
  const store: Store = {
    ...fixture.store,
    transaction: (fn) => {
      if (!disk.isFull) return fixture.store.transaction(fn);
      disk.refused++;
      return Promise.reject(new AppError('store-full', 'The disk is full.'));
    },
  };
  const parts: OutboundPart[] = [];
  const adapter: ChannelAdapter = {
    ...createMemoryChannel(),
    channel: 'webchat',
    account: 'default',
    send: (part) => {
      parts.push(part);
      disk.isFull = parts.length === 1;
      return answer();
    },
    findSent: async () => undefined,
  };
  const commit = createCommit(store, createEmbeddedRunQueue({ log }), live, log);
  const channels = createChannels([adapter]);
  const onEnd = () => Promise.resolve();
  const mask = createMask([]);
  const outbox = createOutbox({ commit, read, channels, live, onEnd, mask, owner: 'me', clock, log });
  onTestFinished(async () => {
    disk.isFull = false;
    await outbox.stop(0);
    await fixture.remove();
  });
  const id = operationId('o1');
  await fixture.store.transaction((tx) =>
    tx.operations.insert(
      [{ id, address: place(), call: { kind: 'send', text: 'hello' }, purpose: { kind: 'notice' } }],
      clock.now(),
    ),
  );
  outbox.start();
  await until(() => disk.refused >= 1, { what: 'the end of the call cannot be stored' });
  clock.advance(1_000);
  await until(() => disk.refused >= 2, { what: 'it is offered again' });
  expect(await read.operations.get(id)).toMatchObject({ status: 'claimed' });
  disk.isFull = false;
  return { clock, outbox, parts, operation: () => read.operations.get(id) };
}

test('a call that was made is not made again when its receipt could be stored only later', async () => {
  const { clock, parts, operation } = await fullAfterCall(async () => ({ messageId: 'm1' }));
  clock.advance(1_000);
  await until(async () => (await operation())?.status === 'done', { what: 'the receipt is stored' });
  expect(await operation()).toMatchObject({ receipt: { messageId: 'm1' }, attempt: 1 });
  expect(parts).toHaveLength(1);
});

test('a call that was refused is made again when that could be stored only later', async () => {
  let isAway = true;
  const { clock, parts, operation } = await fullAfterCall(async () => {
    if (isAway) throw new AppError('channel-unreachable', 'no answer');
    return { messageId: 'm1' };
  });
  isAway = false;
  clock.advance(1_000);
  await until(async () => (await operation())?.status === 'done', { what: 'the call is made' });
  expect(await operation()).toMatchObject({ attempt: 2 });
  expect(parts).toHaveLength(2);
});

test('a stop does not wait for room on the disk', async () => {
  const { outbox, parts } = await fullAfterCall(async () => ({ messageId: 'm1' }));
  await outbox.stop(0);
  expect(parts).toHaveLength(1);
});
