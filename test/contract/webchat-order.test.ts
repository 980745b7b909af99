/** The web chat hands messages over in the order in which people wrote them, also when that fails for a while. */
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { scriptedHandlers, startWebchat } from '../support/webchat-server.ts';

test('a message does not overtake an earlier one that could not be handed over just now', async () => {
  const admitted: string[] = [];
  let isBusy = true;
  const handlers = scriptedHandlers(async ({ eventId }) => {
    if (isBusy) throw new AppError('store-busy', 'busy');
    if (!admitted.includes(eventId)) admitted.push(eventId);
    return { status: 'admitted', sessionKey: 'agent:main:webchat:channel:general', runId: `run_${eventId}` };
  });
  const chat = await startWebchat({ handlers });
  const post = async (id: string) => {
    const json = { conversation: 'general', text: id, id };
    expect((await chat.call('/api/webchat/messages', { json })).status).toBe(202);
  };
  await post('first');
  isBusy = false;
  await post('second');
  expect(admitted).toEqual(['first', 'second']);
});
