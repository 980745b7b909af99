/** What the store makes of columns that hold something else than they should, and of faults of the file system. */
import { describe, expect, it } from 'vitest';
import { originJson, usageJson } from '../../adapters/sql/json-columns.ts';
import { wordOf } from '../../adapters/sql/literals.ts';
import { named, present } from '../../adapters/sql/optional.ts';
import { toStateError } from '../../adapters/sql/state-file.ts';
import { jsonList, listed, patchStatement, statement } from '../../adapters/sql/statement.ts';

describe('a JSON column', () => {
  it('gives back what it was written from, and nothing for NULL', () => {
    const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 3 };
    expect(usageJson.parse(JSON.stringify(usage))).toEqual(usage);
    expect(usageJson.parseOptional(null)).toBeUndefined();
  });

  it.each(['', '{', '{"inputTokens":"1"}', 'null'])('that holds %j is a fault of the store', (text) => {
    expect(() => usageJson.parse(text)).toThrow(expect.objectContaining({ code: 'store-failed' }));
  });

  it('does not take one kind for another', () => {
    const text = JSON.stringify({ delivery: { kind: 'external' } });
    expect(() => originJson.parse(text)).toThrow(expect.objectContaining({ code: 'store-failed' }));
  });
});

describe('a column of words', () => {
  const colour = wordOf<'red' | 'blue'>({ red: true, blue: true });

  it('takes the words of its list and no other, inherited names included', () => {
    expect(colour('red')).toBe('red');
    for (const word of ['green', '', 'toString']) {
      expect(() => colour(word)).toThrow(expect.objectContaining({ code: 'store-failed' }));
    }
  });
});

it('NULL becomes an absent field, and an absent field leaves its column alone', () => {
  expect(present({ a: null, b: 0, c: '' })).toEqual({ b: 0, c: '' });
  expect(named({ a: null, b: undefined, c: 0 })).toEqual({ a: null, c: 0 });
});

describe('a statement', () => {
  it('is compiled once and binds by name, constants in between', () => {
    const select = statement<{ id: string; limit: number }>()((db, arg) =>
      db
        .selectFrom('runs')
        .select('id')
        .where('id', '=', arg('id'))
        .where('step', '>', 3)
        .limit(arg('limit')),
    );
    expect(select.sql).toBe('select "id" from "runs" where "id" = ? and "step" > ? limit ?');
    expect(select.bind({ id: 'r1', limit: 5 })).toEqual(['r1', 3, 5]);
    expect(select.bind({ id: 'r2', limit: 6 })).toEqual(['r2', 3, 6]);
  });

  it('takes a list as one argument', () => {
    const select = statement<{ ids: string }>()((db, arg) =>
      db
        .selectFrom('runs')
        .select('id')
        .where('id', 'in', listed(arg('ids'))),
    );
    expect(select.sql.match(/\?/g)).toHaveLength(1);
    expect(select.bind({ ids: jsonList(['a', 'b']) })).toEqual(['["a","b"]']);
  });

  it('of a patch is made once for each set of columns', () => {
    const update = patchStatement<{ runId: string }>()((db, arg, columns) =>
      db.updateTable('runs').set(columns).where('id', '=', arg('runId')),
    );
    const both = update({ step: 1, owner: null });
    expect(both.sql).toBe('update "runs" set "owner" = ?, "step" = ? where "id" = ?');
    expect(update({ owner: 'me', step: 2 })).toBe(both);
    expect(update({ step: 1 })).not.toBe(both);
    expect(both.bind({ step: 1, owner: null, runId: 'r1' })).toEqual([null, 1, 'r1']);
  });
});

describe('a fault of the file system', () => {
  it.each([
    ['EROFS', /cannot be written to.*SKEIN_HOME/],
    ['EACCES', /cannot be written to.*SKEIN_HOME/],
    ['SQLITE_CANTOPEN_ISDIR', /cannot be written to/],
    ['ENOTDIR', /a file is in the way/],
    ['ENOSPC', /no space left/],
    ['SQLITE_CORRUPT_INDEX', /damaged/],
    ['EIO', /cannot be used: broken/],
  ])('%s says what is wrong and keeps its cause', (code, words) => {
    const cause = Object.assign(new Error('broken'), { code });
    const error = toStateError('/state/skein.db', cause);
    expect(error).toMatchObject({ code: 'state-unusable', cause });
    expect(error.message).toMatch(words);
  });
});
