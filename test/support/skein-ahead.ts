/** Skein whose clock is ahead of the machine's by `CLOCK_AHEAD_MS`: a later time, without the waiting. */
import { createSystemClock } from '../../adapters/node/index.ts';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';

const { CLOCK_AHEAD_MS = '0', ...env } = process.env;
const clock = createSystemClock();
const home = process.cwd();
const { config } = loadConfig({ cwd: home, env, home });
const app = await createApp(config, {
  clock: { ...clock, now: () => clock.now() + Number(CLOCK_AHEAD_MS) },
});
const { pageUrl } = await app.start();
process.stdout.write(`Skein is ready. Open ${pageUrl}\n`);
process.once('SIGTERM', () => void app.stop().then(() => process.exit(0)));
