/** A start that fails amid opening things keeps none of them. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppParts, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openTogether } from '../../src/open-together.ts';
import { silentLog } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a channel that cannot be made leaves the store closed and the state folder free', async () => {
  const folder = tempDir();
  const env = { SKEIN_HOME: join(folder, 'state'), DISCORD_BOT_TOKEN: 'a-token-for-tests' };
  const { config } = loadConfig({ cwd: folder, env, home: folder, flags: { port: 0 } });
  const closed: string[] = [];
  const parts: AppParts = {
    stores: (opened) => ({
      ...opened,
      async close() {
        closed.push('store');
        await opened.close();
      },
    }),
  };
  const child = () => {
    throw new Error('no log for this channel');
  };
  await expect(createApp(config, { ...parts, log: { ...silentLog, child } })).rejects.toThrow('no log');
  expect(closed).toEqual(['store']);
  const app = await createApp(config, { ...parts, log: silentLog, channels: [] });
  await app.stop();
  expect(closed).toEqual(['store', 'store']);
});

test('what was opened is freed the newest first, although one of them cannot be, and the first fault is told', async () => {
  const freed: string[] = [];
  const opening = openTogether(async (freeBy) => {
    freeBy(() => void freed.push('lock'));
    freeBy(() => Promise.reject(new Error('cannot be freed')));
    freeBy(async () => void freed.push('signals'));
    throw new Error('cannot be opened');
  });
  await expect(opening).rejects.toThrow('cannot be opened');
  expect(freed).toEqual(['signals', 'lock']);
  expect(await openTogether(async () => 'all of it')).toBe('all of it');
});
