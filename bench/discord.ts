/**
 * Discord: what Skein adds between an event of the gateway and the model, and many channels at once. The platform is the
 * fake one, in this process; Skein runs as it is started, with the real client library.
 */
import { type Channel, type FakeDiscord, startFakeDiscord } from '../test/fakes/discord/index.ts';
import { type Cleanup, tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { type Model, startModel } from './support/model.ts';
import { monotonicMs } from './support/monotonic.ts';
import { residentMib } from './support/process-usage.ts';
import { type Started, startProcess, writeConfig } from './support/skein.ts';

const WARM_UP = 30;
const MESSAGES = 200;
/** Few enough that the transcript, which is sent each time, stays as long as that of a usual conversation. */
const PER_CHANNEL = 20;

const CHANNELS = 200;
const ROUNDS = 5;
/** Discord takes this many calls a second of one bot, so that this bounds how fast answers can be posted. */
const PATIENCE_MS = 180_000;

export async function discord(): Promise<readonly Figure[]> {
  return [...(await oneByOne()), ...(await manyChannels())];
}

interface Bench {
  readonly platform: FakeDiscord;
  readonly channels: readonly Channel[];
  readonly model: Model;
  readonly skein: Started;
}

async function start(cleanup: Cleanup, count: number): Promise<Bench> {
  const platform = await startFakeDiscord();
  cleanup.add(() => platform.stop());
  const names = Array.from({ length: count }, (_, n) => `channel-${n}`);
  const guild = platform.addGuild({ name: 'Bench', channels: names });
  const channels = names.map((name) => platform.channel(guild, name));
  const model = await startModel(cleanup);
  const home = tempHome(cleanup);
  writeConfig(home, model.baseUrl, { channels: { discord: { apiUrl: platform.apiUrl } } });
  const env = { OPENAI_API_KEY: 'fake', DISCORD_BOT_TOKEN: platform.token };
  const skein = await startProcess(cleanup, home, env);
  await platform.waitForGateway();
  return { platform, channels, model, skein };
}

function oneByOne(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const count = WARM_UP + MESSAGES;
    const { platform, channels, model } = await start(cleanup, Math.ceil(count / PER_CHANNEL));
    const sent: { readonly sentAt: number; readonly seenAt: number }[] = [];
    for (let n = 0; n < count; n++) {
      const channel = channels[Math.floor(n / PER_CHANNEL)]!;
      const sentAt = monotonicMs();
      const asked = platform.owner.sendMessage(channel, `message ${n}`, { mention: true });
      await platform.waitForReply(channel, { after: await asked });
      sent.push({ sentAt, seenAt: monotonicMs() });
    }
    const requests = await model.journal();
    if (requests.length !== count) throw new Error(`${count} messages led to ${requests.length} requests`);
    const measured = sent.slice(WARM_UP).map((times, n) => ({ ...times, ...requests[WARM_UP + n]! }));
    return [
      {
        name: 'gateway event → request at the model',
        unit: 'ms',
        values: measured.map(({ sentAt, arrivedAt }) => arrivedAt - sentAt),
        target: { atMost: 10 },
      },
      {
        name: 'model has answered → reply on Discord',
        unit: 'ms',
        values: measured.map(({ seenAt, answeredAt = Number.NaN }) => seenAt - answeredAt),
      },
    ];
  });
}

function manyChannels(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const { platform, channels, skein } = await start(cleanup, CHANNELS);
    const idle = residentMib(skein.child.pid).now;
    const startedAt = monotonicMs();
    const tookMs = (await Promise.all(channels.map((channel) => converse(platform, channel)))).flat();
    const seconds = (monotonicMs() - startedAt) / 1_000;
    const expected = CHANNELS * ROUNDS;
    const replies = channels.flatMap((channel) =>
      platform.messages(channel).filter(({ author }) => author.id === platform.botUser.id),
    );
    if (replies.length !== expected) throw new Error(`${expected} messages got ${replies.length} replies`);
    const broken = platform.violations[0];
    if (broken) throw new Error(`a request broke the rules of the API: ${JSON.stringify(broken)}`);
    return [
      { name: '200 channels at once: message sent → reply', unit: 'ms', values: tookMs },
      { name: '200 channels at once: replies a second', unit: '1/s', values: [expected / seconds] },
      { name: '200 channels: lost or doubled', unit: '', values: [0], target: { atMost: 0 } },
      { name: '200 channels: resident memory before', unit: 'MiB', values: [idle] },
      {
        name: '200 channels: peak resident memory',
        unit: 'MiB',
        values: [residentMib(skein.child.pid).peak],
        target: { atMost: 300 },
      },
    ];
  });
}

/** Asks and waits for the answer, a few times; how long each took, in milliseconds. */
async function converse(platform: FakeDiscord, channel: Channel): Promise<readonly number[]> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sentAt = monotonicMs();
    const asked = await platform.owner.sendMessage(channel, `round ${round}`, { mention: true });
    await platform.waitForReply(channel, { after: asked, timeoutMs: PATIENCE_MS });
    took.push(monotonicMs() - sentAt);
  }
  return took;
}
