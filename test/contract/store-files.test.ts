/** The promises of ports/store/files.ts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreTx } from '../../src/ports/store/index.ts';
import {
  keyOf,
  newInput,
  newSession,
  openTemporaryStore,
  type StoreFixture,
} from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
  for (const name of ['a', 'b']) await write((tx) => tx.sessions.ensure(newSession(name)));
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const picture = (id: string) => ({ id, mediaType: 'image/png', bytes: Uint8Array.of(0, 1, 255) });
const put = (session: string, id: string) => write((tx) => tx.files.put(keyOf(session), picture(id), 1_000));
const ids = async () => (await fixture.store.read.files.get(['f', 'g'])).map(({ id }) => id).sort();

describe('a picture', () => {
  it('comes back byte for byte, and is stored once however often it is sent', async () => {
    await put('a', 'f');
    await put('a', 'f');
    const found = await fixture.store.read.files.get(['f', 'unknown']);
    expect(found.map((file) => ({ ...file, bytes: [...file.bytes] }))).toEqual([
      { ...picture('f'), bytes: [0, 1, 255] },
    ]);
  });

  it('goes with its session', async () => {
    await put('a', 'f');
    await put('b', 'g');
    await write((tx) => tx.sessions.remove(keyOf('a')));
    expect(await ids()).toEqual(['g']);
  });

  it('stays as long as another session has it', async () => {
    await put('a', 'f');
    await put('b', 'f');
    await write((tx) => tx.sessions.remove(keyOf('a')));
    expect(await ids()).toEqual(['f']);
    await write((tx) => tx.sessions.remove(keyOf('b')));
    expect(await ids()).toEqual([]);
  });

  it('stays for a fork of the transcript that shows it', async () => {
    const images = [{ file: 'f', mediaType: 'image/png', name: 'cat.png' }];
    await put('a', 'f');
    await write(async (tx) => {
      const content = { role: 'user', text: '[picture cat.png]', images } as const;
      await tx.entries.append(keyOf('a'), [{ content, provenance: { kind: 'user' } }], 1_000);
      await tx.entries.fork(keyOf('a'), keyOf('b'), 1_000);
      await tx.sessions.remove(keyOf('a'));
    });
    expect(await ids()).toEqual(['f']);
    const [copy] = await fixture.store.read.entries.list(keyOf('b'));
    expect(copy?.content).toMatchObject({ images });
  });
});

it('an input keeps the list of its pictures', async () => {
  const images = [{ file: 'f', mediaType: 'image/png', name: 'cat.png' }];
  await write(async (tx) => {
    await tx.inputs.insert({ ...newInput('i', 'a'), images }, 1_000);
    await tx.inputs.insert(newInput('j', 'a'), 1_000);
  });
  const stored = await fixture.store.read.inputs.unassigned(keyOf('a'));
  expect(stored.map((input) => input.images)).toEqual([images, undefined]);
});
