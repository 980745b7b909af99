import { expect, test } from 'vitest';
import { runSkein } from '../support/run-skein.ts';
import { startSkein } from '../support/skein-process.ts';
import { strangersWait } from '../support/strangers.ts';
import { tempDir } from '../support/temp-dir.ts';

test('skein pair lists and decides, without a gateway and through the running one', async () => {
  const home = tempDir();
  const pair = (...args: readonly string[]) =>
    runSkein(['pair', ...args], { cwd: home, env: { SKEIN_HOME: home } });

  expect(await pair('list')).toMatchObject({ exitCode: 0, stdout: 'Nobody waits to be let in.\n' });
  await strangersWait(home, ['ann', 'AAAA-2222'], ['bob', 'BBBB-3333'], ['cid', 'CCCC-4444']);
  expect(await pair('approve', 'AAAA-2222')).toMatchObject({
    exitCode: 0,
    stdout: 'ann (discord user id-ann) is let in and is told so once Skein runs.\n',
  });

  const skein = await startSkein({ home });
  expect((await pair('list')).stdout).toBe(
    'BBBB-3333  bob (discord user id-bob)\nCCCC-4444  cid (discord user id-cid)\n',
  );
  expect((await pair('approve', 'bbbb3333')).stdout).toBe(
    'bob (discord user id-bob) is let in and is told so.\n',
  );
  expect((await pair('deny', 'CCCC-4444')).stdout).toBe('cid (discord user id-cid) is not let in.\n');
  const again = await pair('deny', 'CCCC-4444');
  expect(again).toMatchObject({ exitCode: 1, stdout: '' });
  expect(again.stderr).toContain('Nobody waits with the code "CCCC-4444"');
  expect((await pair('approve')).exitCode).toBe(2);
  expect(await skein.terminate()).toBe(0);
});
