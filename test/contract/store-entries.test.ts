/** The promises of ports/store/entries.ts: transcripts and full text search. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEntry } from '../../src/core/transcript.ts';
import type { StoreTx } from '../../src/ports/store/index.ts';
import {
  answered,
  keyOf,
  newSession,
  openTemporaryStore,
  type StoreFixture,
  said,
} from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
  await write(async (tx) => {
    for (const name of ['a', 'b']) await tx.sessions.ensure(newSession(name));
  });
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const append = (name: string, ...entries: NewEntry[]) =>
  write((tx) => tx.entries.append(keyOf(name), entries, 1_000));
const numbered = (count: number) => Array.from({ length: count }, (_, i) => said(`number ${i + 1}`));
const seqs = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq);
const list = (name: string, options?: { afterSeq?: number; limit?: number }) =>
  fixture.store.read.entries.list(keyOf(name), options);

const toolResult: NewEntry = {
  content: {
    role: 'toolResult',
    callId: 'c1',
    toolName: 'look',
    result: { secretword: [1] },
    isError: false,
  },
  provenance: { kind: 'tool' },
};

describe('a transcript', () => {
  it('is numbered 1, 2, 3 within its session and given back as it was', async () => {
    const entries: NewEntry[] = [
      {
        content: { role: 'user', text: 'hello' },
        provenance: {
          kind: 'user',
          sender: { id: 'ada', name: 'Ada', role: 'owner' },
          eventId: 'e1',
          sourceSession: 's',
          sourceRun: 'r',
          forkedFrom: 'f',
        },
      },
      {
        content: {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: 'c1', name: 'look', arguments: { a: [1] } }],
        },
        provenance: { kind: 'model' },
        runId: 'run_1',
        usage: { inputTokens: 1, outputTokens: 2, cachedTokens: 3 },
      },
      toolResult,
    ];
    await append('b', said('elsewhere'));
    const stored = await append('a', ...entries);
    expect(stored).toEqual(entries.map((entry, i) => ({ ...entry, seq: i + 1, at: 1_000 })));
    expect(await list('a')).toEqual(stored);
    expect(seqs(await append('a', said('more')))).toEqual([4]);
  });

  it('is listed after a number and up to a limit, or from its end', async () => {
    await append('a', ...numbered(6));
    const { entries } = fixture.store.read;
    expect(seqs(await list('a', { afterSeq: 2, limit: 3 }))).toEqual([3, 4, 5]);
    expect(seqs(await list('a', { afterSeq: 4 }))).toEqual([5, 6]);
    expect(seqs(await entries.tail(keyOf('a'), 2))).toEqual([5, 6]);
    expect(seqs(await entries.tail(keyOf('a'), 2, 4))).toEqual([2, 3]);
    expect(await list('none')).toEqual([]);
  });

  it('is copied whole by a fork, marked with where it came from', async () => {
    const [first, second] = await append('a', said('one'), answered('two'));
    expect(await write((tx) => tx.entries.fork(keyOf('a'), keyOf('b'), 2_000))).toBe(2);
    expect(await list('b')).toEqual(
      [first!, second!].map((entry) => ({
        ...entry,
        at: 2_000,
        provenance: { ...entry.provenance, forkedFrom: keyOf('a') },
      })),
    );
    expect(await list('a')).toEqual([first, second]);
  });
});

describe('searching', () => {
  const found = async (query: string, limit = 9) =>
    (await fixture.store.read.entries.search(query, { limit })).map(({ text }) => text);

  it('finds what users and assistants said, newest first, and no tool results (SEARCH-01)', async () => {
    await append('a', said('the first secretword'), toolResult, answered('the second secretword'));
    expect(await fixture.store.read.entries.search('secretword', { limit: 9 })).toEqual([
      { sessionKey: keyOf('a'), seq: 3, role: 'assistant', text: 'the second secretword', at: 1_000 },
      { sessionKey: keyOf('a'), seq: 1, role: 'user', text: 'the first secretword', at: 1_000 },
    ]);
    expect(await found('secretword', 1)).toEqual(['the second secretword']);
  });

  it('asks for every word, in any order, and for whole words', async () => {
    await append('a', said('red apples and green pears'));
    expect(await found('pears red')).toHaveLength(1);
    expect(await found('red plums')).toEqual([]);
    expect(await found('appl')).toEqual([]);
  });

  it.each([
    ['Sesión de Café', 'sesion cafe'],
    ['zażółć gęślą jaźń', 'ZAZOLC gesla'],
    ['Straße', 'STRASSE'],
    ['ﬁne ＡＢＣ', 'fine abc'],
    ['東京都の会議室を予約する', '会議室'],
    ['東京都の会議室を予約する', '会議'],
    ['東京都の会議室を予約する', '予'],
    ['東京都の会議室', '室'],
    ['配備は完了', '了'],
    ['배포가 끝났다', '배포'],
    ['배포가 끝났다', '가'],
    ['データを見る', 'ータ'],
    ['AI会議v2', '会議'],
  ])('finds %j by %j (SEARCH-05)', async (text, query) => {
    await append('a', said(text));
    expect(await found(query)).toEqual([text]);
  });

  it('does not find characters that stand apart as though they were together', async () => {
    await append('a', said('会長と議員'), said('会。議'));
    expect(await found('会議')).toEqual([]);
  });

  it.each([
    '"',
    'a" OR "b',
    'words*',
    'NEAR(a b)',
    'text: words',
    '-words',
    '(',
    "'; drop table",
    'AND',
    '^words',
    '\u0000',
  ])('takes %j as plain text (SEARCH-06)', async (query) => {
    await append('a', said('plain text words'));
    expect(await found(query)).toEqual(
      ['words*', 'text: words', '-words', '^words'].includes(query) ? ['plain text words'] : [],
    );
  });

  it('gives nothing for a query without a word, and survives a very long one', async () => {
    await append('a', said('word'));
    expect(await found('  !? ')).toEqual([]);
    expect(await found(Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(' '))).toEqual([]);
    expect(await found('会'.repeat(3_000))).toEqual([]);
  });

  it('looks only into the sessions that are named, before the limit (SEARCH-04)', async () => {
    await append('a', said('shared word'));
    await append('b', ...Array.from({ length: 5 }, () => said('shared word')));
    const search = (...names: string[]) =>
      fixture.store.read.entries.search('shared', { sessionKeys: names.map(keyOf), limit: 2 });
    expect((await search('a')).map((hit) => hit.sessionKey)).toEqual([keyOf('a')]);
    expect(await search()).toEqual([]);
    expect(await search('a', 'b')).toHaveLength(2);
  });

  it('finds nothing of a transaction that was rolled back', async () => {
    const failed = write(async (tx) => {
      await tx.entries.append(keyOf('a'), [said('vanishing')], 1);
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(await found('vanishing')).toEqual([]);
  });
});
