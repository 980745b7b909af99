/** The promises of ports/store/operations.ts: the outbox. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/core/address.ts';
import { operationId, runId } from '../../src/core/ids.ts';
import type { NewOperation, OperationCall, StoreTx } from '../../src/ports/store/index.ts';
import { ada, keyOf, openTemporaryStore, place, type StoreFixture } from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const send = (id: string, address: Address = place(), call?: OperationCall): NewOperation => ({
  id: operationId(id),
  address,
  call: call ?? { kind: 'send', text: `text of ${id}` },
  purpose: { kind: 'notice' },
});
const insert = (...operations: NewOperation[]) => write((tx) => tx.operations.insert(operations, 1_000));
const claim = async (now = 2_000, limit = 9) => {
  const claimed = await write((tx) =>
    tx.operations.claim({ channel: 'webchat', account: 'default', owner: 'me', now, limit }),
  );
  return claimed.map(({ id }) => id);
};
const fault = { code: 'channel-unreachable', message: 'no answer' };
const finish = (id: string, fence = 1) =>
  write((tx) => tx.operations.finish(operationId(id), fence, { messageId: 'm1', thread: 't1' }, 3_000));
const fail = (id: string, fence = 1) =>
  write((tx) => tx.operations.fail(operationId(id), fence, fault, 3_000));
const retry = (id: string, notBefore: number, fence = 1) =>
  write((tx) => tx.operations.retry(operationId(id), fence, fault, notBefore));
const get = (id: string) => fixture.store.read.operations.get(operationId(id));

describe('an operation', () => {
  it.each<Pick<NewOperation, 'call' | 'purpose'>>([
    {
      call: { kind: 'send', text: 'x' },
      purpose: { kind: 'reply', runId: runId('r1'), announces: [runId('r2')] },
    },
    {
      call: { kind: 'open-thread', anchor: operationId('o0'), title: 'T' },
      purpose: { kind: 'spawn-thread', runId: runId('r1') },
    },
    {
      call: { kind: 'edit', target: operationId('o0'), text: 'y' },
      purpose: { kind: 'focus-thread', sessionKey: keyOf('a'), boundBy: ada },
    },
  ])('is stored once by id and given back as it was: $call.kind', async ({ call, purpose }) => {
    const made = { id: operationId('o1'), address: place('general', 't1'), call, purpose };
    await insert(made, { ...made, call: { kind: 'send', text: 'other' } });
    const stored = await get('o1');
    expect(stored).toEqual({
      ...made,
      seq: stored!.seq,
      status: 'queued',
      attempt: 0,
      fence: 0,
      createdAt: 1_000,
    });
  });
});

describe('claiming', () => {
  it('takes the oldest of each place, up to the limit, and counts attempt and fence', async () => {
    await insert(send('o1'), send('o2'), send('o3', place('other')), send('o4', place('third')));
    expect(await claim(2_000, 2)).toEqual(['o1', 'o3']);
    expect(await get('o1')).toMatchObject({ status: 'claimed', owner: 'me', attempt: 1, fence: 1 });
    expect(await claim()).toEqual(['o4']);
    expect(await claim()).toEqual([]);
    await finish('o1');
    expect(await claim()).toEqual(['o2']);
  });

  it('takes those of its account alone', async () => {
    await insert(
      send('o1', { ...place(), account: 'second' }),
      send('o2', { ...place(), channel: 'discord' }),
    );
    expect(await claim()).toEqual([]);
  });

  it('keeps the order of a place while its oldest waits to be tried again', async () => {
    await insert(send('o1'), send('o2'));
    await claim();
    expect(await retry('o1', 5_000)).toBe(true);
    expect(await get('o1')).toMatchObject({ status: 'queued', notBefore: 5_000, error: fault });
    expect(await claim(4_999)).toEqual([]);
    expect(await claim(5_000)).toEqual(['o1']);
    expect(await get('o1')).toMatchObject({ attempt: 2, fence: 2 });
  });

  it('lets the next one of a place go when the one before it has failed', async () => {
    await insert(send('o1'), send('o2'));
    await claim();
    await fail('o1');
    expect(await claim()).toEqual(['o2']);
  });

  it.each(['open-thread', 'edit'] as const)('waits for what %s needs', async (kind) => {
    const call: OperationCall =
      kind === 'edit'
        ? { kind, target: operationId('o1'), text: 'x' }
        : { kind, anchor: operationId('o1'), title: 'x' };
    await insert(send('o1'), send('o2', place('other'), call));
    expect(await claim()).toEqual(['o1']);
    expect(await claim()).toEqual([]);
    await retry('o1', 0);
    await claim();
    await finish('o1', 2);
    expect(await claim()).toEqual(['o2']);
  });

  it('hands out what needs a failed or unknown operation, so that it can be failed too', async () => {
    const edit = (target: string): OperationCall => ({
      kind: 'edit',
      target: operationId(target),
      text: 'x',
    });
    await insert(send('o1'), send('o2', place('b'), edit('o1')), send('o3', place('c'), edit('none')));
    expect(await claim()).toEqual(['o1', 'o3']);
    await fail('o1');
    expect(await claim()).toEqual(['o2']);
  });

  it('is worth while exactly when something is due', async () => {
    const due = (now: number, account = 'default') =>
      fixture.store.read.operations.hasDue('webchat', account, now);
    expect(await due(2_000)).toBe(false);
    await insert(send('o1'), send('o2'));
    expect(await due(2_000)).toBe(true);
    expect(await due(2_000, 'second')).toBe(false);
    await claim();
    expect(await due(2_000)).toBe(false);
    await retry('o1', 5_000);
    expect(await due(4_999)).toBe(false);
    expect(await due(5_000)).toBe(true);
  });

  it('gives an operation to one process alone', async () => {
    await insert(send('o1'));
    const { store: other } = await fixture.second();
    const claims = await Promise.all(
      [fixture.store, other].map((store, i) =>
        store.transaction((tx) =>
          tx.operations.claim({ channel: 'webchat', account: 'default', owner: `p${i}`, now: 1, limit: 9 }),
        ),
      ),
    );
    expect(claims.flat()).toHaveLength(1);
  });
});

describe('settling', () => {
  it('needs the fence of the claim, and happens once', async () => {
    await insert(send('o1'));
    expect(await finish('o1', 0)).toBe(false);
    await claim();
    for (const settle of [finish, fail]) expect(await settle('o1', 2)).toBe(false);
    expect(await retry('o1', 0, 2)).toBe(false);
    expect(await finish('o1')).toBe(true);
    expect(await finish('o1')).toBe(false);
    expect(await fail('o1')).toBe(false);
    expect(await get('o1')).toMatchObject({
      status: 'done',
      receipt: { messageId: 'm1', thread: 't1' },
      endedAt: 3_000,
    });
  });

  it('shows failures newest first, and counts', async () => {
    await insert(send('o1'), send('o2', place('b')), send('o3', place('c')), send('o4', place('c')));
    await claim();
    await fail('o1');
    await fail('o2');
    const { operations } = fixture.store.read;
    expect((await operations.failed(9)).map(({ id }) => id)).toEqual(['o2', 'o1']);
    expect(await operations.failed(1)).toMatchObject([{ id: 'o2', error: fault, endedAt: 3_000 }]);
    expect(await operations.counts()).toEqual({ queued: 1, failed: 2 });
  });

  it('is void for an owner whose operations were released', async () => {
    await insert(send('o1'), send('o2', place('b')));
    await claim();
    expect(await write((tx) => tx.operations.owners())).toEqual(['me']);
    expect(await write((tx) => tx.operations.release(['someone']))).toBe(0);
    expect(await write((tx) => tx.operations.release(['someone', 'me']))).toBe(2);
    expect(await write((tx) => tx.operations.owners())).toEqual([]);
    expect(await claim()).toEqual(['o1', 'o2']);
    expect(await finish('o1', 1)).toBe(false);
    expect(await finish('o1', 2)).toBe(true);
  });
});
