/**
 * What Skein adds between a message and the model: one message after the other in one conversation. A message counts from
 * just before it is sent by a client with an open connection to the moment the model server has the whole request.
 */
import { tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { startModel } from './support/model.ts';
import { monotonicMs } from './support/monotonic.ts';
import { startSkein } from './support/skein.ts';

const WARM_UP = 50;
const MESSAGES = 200;
/** Few enough that the transcript, which is sent each time, stays as long as that of a usual conversation. */
const PER_CONVERSATION = 20;

export function overhead(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const model = await startModel(cleanup);
    const skein = await startSkein(cleanup, tempHome(cleanup), model.baseUrl);
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
    const measured = sent.map((times, n) => ({ ...times, request: requests[n]! })).slice(WARM_UP);
    return [
      {
        name: 'message sent → request at the model',
        unit: 'ms',
        values: measured.map(({ sentAt, request }) => request.arrivedAt - sentAt),
        target: { atMost: 3 },
        p95Target: 10,
      },
      {
        name: 'accepted (202 received) → request at the model',
        unit: 'ms',
        values: measured.map(({ acceptedAt, request }) => request.arrivedAt - acceptedAt),
        target: { atMost: 3 },
        p95Target: 10,
      },
      {
        name: 'message sent → accepted (202 received)',
        unit: 'ms',
        values: measured.map(({ sentAt, acceptedAt }) => acceptedAt - sentAt),
      },
      {
        name: 'model has answered → reply on the event stream',
        unit: 'ms',
        values: measured.map(({ seenAt, request }) => seenAt - (request.answeredAt ?? Number.NaN)),
      },
    ];
  });
}
