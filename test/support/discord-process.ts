/**
 * Skein in a process of its own at the fake Discord, with a model provider of the test's own. It can be killed and started
 * again, also at a later time, which is then the same for Discord.
 */
import { fileURLToPath } from 'node:url';
import type { FakeDiscordOptions } from '../fakes/discord/index.ts';
import { discordWorld } from './discord-app.ts';
import { createModelHome } from './model-home.ts';
import { answerAll } from './questions.ts';
import { type SkeinProcess, startSkein } from './skein-process.ts';

const aheadScript = fileURLToPath(new URL('./skein-ahead.ts', import.meta.url));

export interface DiscordProcessParts {
  /** Beside token and address, below `channels.discord`; everybody in every server is heard. */
  readonly discord?: Record<string, unknown>;
  /** The rest of the configuration file. */
  readonly config?: Record<string, unknown>;
  readonly fake?: FakeDiscordOptions;
}

/** The model answers questions with numbers until the test says otherwise. */
export async function discordProcesses(parts: DiscordProcessParts = {}) {
  let aheadMs = 0;
  const world = await discordWorld({ ...parts.fake, now: () => Date.now() + aheadMs });
  const { fake, guild, general, user } = world;
  const { token, apiUrl } = fake;
  const discord = { token, apiUrl, groupPolicy: 'open', ...parts.discord };
  const { home, env, model } = await createModelHome({ ...parts.config, channels: { discord } });
  model.reply(answerAll);

  /** `isConnected: false`: it is not waited for that the gateway is there. */
  async function start({ isConnected = true } = {}): Promise<SkeinProcess> {
    const later = { script: aheadScript, args: [], env: { ...env, CLOCK_AHEAD_MS: String(aheadMs) } };
    const before = fake.gateway.identifies.length;
    const skein = await startSkein(aheadMs === 0 ? { home, env } : { home, ...later });
    if (isConnected) {
      await fake.waitFor('a new session', () => fake.gateway.identifies.length > before || undefined, 20_000);
    }
    return skein;
  }

  return {
    fake,
    guild,
    general,
    user,
    model,
    home,
    start,
    /** For Discord at once, for Skein from its next start on. */
    passTime(ms: number) {
      aheadMs += ms;
    },
  };
}
