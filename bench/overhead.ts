/**
 * What Skein adds between a message and the model: one message after the other in one conversation. A message counts from
 * just before it is sent by a client with an open connection to the moment the model server has the whole request. On
 * Redis it is measured with the gateway at work itself and with a worker process, which adds the way between the two.
 */
import { tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { startModel } from './support/model.ts';
import { monotonicMs } from './support/monotonic.ts';
import { findRedis } from './support/redis.ts';
import { type Setup, startSkein } from './support/skein.ts';

const WARM_UP = 50;
const MESSAGES = 200;
/** Few enough that the transcript, which is sent each time, stays as long as that of a usual conversation. */
const PER_CONVERSATION = 20;

export function overhead(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const redis = await findRedis(cleanup);
    const embedded = await measure({ workers: 0 });
    const target = { target: { atMost: 3 }, p95Target: 10 };
    return [
      { name: 'message sent → request at the model', unit: 'ms', values: embedded.map(fromSent), ...target },
      {
        name: 'accepted (202 received) → request at the model',
        unit: 'ms',
        values: embedded.map(fromAccepted),
        ...target,
      },
      { name: 'message sent → accepted (202 received)', unit: 'ms', values: embedded.map(untilAccepted) },
      { name: 'model has answered → reply on the event stream', unit: 'ms', values: embedded.map(toReply) },
      ...(redis ? await onRedis('gateway', { workers: 0, redisUrl: redis.url }) : []),
      ...(redis ? await onRedis('1 worker', { workers: 1, redisUrl: redis.url }) : []),
    ];
  });
}

async function onRedis(who: string, setup: Setup): Promise<readonly Figure[]> {
  const times = await measure(setup);
  const name = (what: string) => `Redis, ${who}: ${what}`;
  return [
    {
      name: name('accepted → request'),
      unit: 'ms',
      values: times.map(fromAccepted),
      target: { atMost: 8 },
      p95Target: 20,
    },
    { name: name('sent → request'), unit: 'ms', values: times.map(fromSent) },
    { name: name('answered → reply'), unit: 'ms', values: times.map(toReply) },
  ];
}

/** Moments on the machine's monotonic clock, in milliseconds. */
interface Times {
  readonly sentAt: number;
  readonly acceptedAt: number;
  readonly requestedAt: number;
  readonly answeredAt: number;
  readonly seenAt: number;
}

const fromSent = ({ sentAt, requestedAt }: Times) => requestedAt - sentAt;
const fromAccepted = ({ acceptedAt, requestedAt }: Times) => requestedAt - acceptedAt;
const untilAccepted = ({ sentAt, acceptedAt }: Times) => acceptedAt - sentAt;
const toReply = ({ answeredAt, seenAt }: Times) => seenAt - answeredAt;

function measure(setup: Setup): Promise<readonly Times[]> {
  return withCleanup(async (cleanup) => {
    const model = await startModel(cleanup);
    const skein = await startSkein(cleanup, tempHome(cleanup), model.baseUrl, setup);
    const sent: { readonly sentAt: number; readonly acceptedAt: number; readonly seenAt: number }[] = [];
    for (let n = 0; n < WARM_UP + MESSAGES; n++) {
      const conversation = `c${Math.floor(n / PER_CONVERSATION)}`;
      const reply = skein.bot.next((message) => message.conversation === conversation);
      const sentAt = monotonicMs();
      const acceptedAt = await skein.say(conversation, `message ${n}`);
      sent.push({ sentAt, acceptedAt, seenAt: (await reply).seenAt });
    }
    const requests = await model.journal();
    if (requests.length !== sent.length) {
      throw new Error(`${sent.length} messages led to ${requests.length} requests`);
    }
    return sent
      .map((times, n) => {
        const { arrivedAt, answeredAt = Number.NaN } = requests[n]!;
        return { ...times, requestedAt: arrivedAt, answeredAt };
      })
      .slice(WARM_UP);
  });
}
