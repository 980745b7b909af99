import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSystemIds } from '../../adapters/node/index.ts';
import { readOrCreateToken } from '../../src/http/index.ts';
import { tempDir } from '../support/temp-dir.ts';

const ids = createSystemIds();

it('makes a token that only its owner may read, and finds it again later', async () => {
  const home = tempDir();
  const token = await readOrCreateToken(home, ids);
  expect(token.length).toBeGreaterThan(40);
  expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
  expect(await readOrCreateToken(home, ids)).toBe(token);
});

it('uses a token that somebody put there, and closes the file to others', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'token'), 'a-token-of-my-own-choice\n', { mode: 0o644 });
  expect(await readOrCreateToken(home, ids)).toBe('a-token-of-my-own-choice');
  expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
});

it('refuses an empty file, says what to do and leaves it as it is', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'token'), '\n');
  await expect(readOrCreateToken(home, ids)).rejects.toMatchObject({
    code: 'state-unusable',
    message: expect.stringContaining('Delete it'),
  });
  expect(readFileSync(join(home, 'token'), 'utf8')).toBe('\n');
});

it('refuses a folder in the token’s place', async () => {
  const home = tempDir();
  mkdirSync(join(home, 'token'));
  await expect(readOrCreateToken(home, ids)).rejects.toMatchObject({ code: 'state-unusable' });
});
