/**
 * A model that plays both sides of a delegation. What it is to do stands in the last message, with a number that goes
 * through all its parts:
 *
 *   "delegate 7" → sessions_spawn "errand 7" → child: "errand done 7" → announcement: "announced 7"
 */
import { type FakeReply, type ReplyHandler, textOf } from './model-server.ts';

export const spawningModel: ReplyHandler = (body) => {
  const last = body.messages.at(-1);
  const text = textOf(last?.content);
  if (last?.role === 'tool') return say('delegated');
  const done = /errand done (\d+)/.exec(text);
  if (done) return say(`announced ${done[1]}`);
  const errand = /errand (\d+)/.exec(text);
  if (errand) return say(`errand done ${errand[1]}`);
  const order = /delegate (\d+)/.exec(text);
  if (!order) return say('ok');
  const task = `errand ${order[1]}`;
  return { type: 'tool-calls', calls: [{ id: 'call_1', name: 'sessions_spawn', arguments: { task } }] };
};

/** In one piece: what is measured is not the reading of a stream. */
function say(text: string): FakeReply {
  return { type: 'text', text, chunks: [text] };
}
