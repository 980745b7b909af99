/**
 * Skein that kills itself at a chosen write: `CRASH_AT` counts the transactions of this process from 1, `CRASH_WHEN` is
 * `before` (all is written, nothing committed) or `after` the commit. Without `CRASH_AT` it lives, and answers SIGUSR2 with
 * the count so far on its standard output.
 */

import type { SqliteStores } from '../../adapters/sql/index.ts';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';

const crashAt = Number(process.env.CRASH_AT ?? 0);
const crashesBefore = process.env.CRASH_WHEN === 'before';

function crashing(opened: SqliteStores): SqliteStores {
  let count = 0;
  process.on('SIGUSR2', () => process.stdout.write(`writes: ${count}\n`));
  const dieIf = (isTime: boolean) => {
    if (isTime) process.kill(process.pid, 'SIGKILL');
  };
  const counted = async <T>(write: () => Promise<T>): Promise<T> => {
    const isLast = ++count === crashAt;
    dieIf(isLast && crashesBefore);
    const result = await write();
    dieIf(isLast && !crashesBefore);
    return result;
  };
  const { store, chat } = opened;
  return {
    ...opened,
    store: {
      ...store,
      transaction: async (fn) => {
        const isLast = ++count === crashAt;
        const result = await store.transaction(async (tx) => {
          const done = await fn(tx);
          dieIf(isLast && crashesBefore);
          return done;
        });
        dieIf(isLast && !crashesBefore);
        return result;
      },
    },
    chat: {
      ...chat,
      addMessage: (message) => counted(() => chat.addMessage(message)),
      markAdmitted: (ids) => counted(() => chat.markAdmitted(ids)),
      editMessage: (id, change) => counted(() => chat.editMessage(id, change)),
      openThread: (thread) => counted(() => chat.openThread(thread)),
    },
  };
}

const home = process.cwd();
const { config } = loadConfig({ cwd: home, env: process.env, home });
const app = await createApp(config, { stores: crashing });
const { pageUrl } = await app.start();
process.stdout.write(`Skein is ready. Open ${pageUrl}\n`);
process.once('SIGTERM', () => void app.stop().then(() => process.exit(0)));
