/** Typing, the sign on waiting messages, and previews, against a call that is only written down. */
import { describe, expect, test } from 'vitest';
import type { CallDiscord, DiscordCall } from '../../adapters/discord/calls.ts';
import { createPreviews } from '../../adapters/discord/signs/preview.ts';
import { createQueuedSign } from '../../adapters/discord/signs/queued-sign.ts';
import { createTyping } from '../../adapters/discord/signs/typing.ts';
import { type Address, threadAddress } from '../../src/core/address.ts';
import { AppError } from '../../src/errors.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { countTimers } from '../support/counted-clock.ts';
import { createMapMemory } from '../support/map-memory.ts';
import { silentLog as log } from '../support/silent-log.ts';

const channel: Address = { channel: 'discord', account: 'default', chatType: 'channel', conversation: '10' };
const thread = threadAddress(channel, '11');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Answers each call with a new message's id, unless `answer` throws or says otherwise. */
function recordCalls(answer: (made: DiscordCall<unknown>) => unknown = () => undefined) {
  const made: DiscordCall<unknown>[] = [];
  const call = async (one: DiscordCall<unknown>) => {
    made.push(one);
    return one.answer.parse((await answer(one)) ?? { id: String(100 + made.length) });
  };
  const routes = () => made.map(({ method, route }) => `${method} ${route}`);
  return { call: call as CallDiscord, made, routes };
}

/** Lets calls and what follows them go through. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Q8 typing', () => {
  test('is shown soon and every eight seconds while somebody works, once a place', async () => {
    const clock = createManualClock();
    const { call, routes } = recordCalls();
    const typing = createTyping({ call, clock, log });
    typing.set(thread, true, 'run_1');
    typing.set(thread, true, 'run_1');
    clock.advance(17 * SECOND);
    expect(routes()).toEqual(Array(3).fill('POST /channels/11/typing'));
  });

  test('is never shown again once the work has ended, or everything stops', () => {
    const manual = createManualClock();
    const clock = countTimers(manual);
    const { call, made } = recordCalls();
    const typing = createTyping({ call, clock, log });
    typing.set(thread, true, 'run_1');
    typing.set(channel, true, 'run_1');
    manual.advance(SECOND);
    typing.set(thread, false, 'run_1');
    typing.stop();
    typing.set(thread, true, 'run_1');
    expect([made.length, clock.pending()]).toEqual([2, 0]);
  });

  test('goes on for the next run when the one before ends late', () => {
    const manual = createManualClock();
    const clock = countTimers(manual);
    const { call, made } = recordCalls();
    const typing = createTyping({ call, clock, log });
    typing.set(thread, true, 'run_1');
    manual.advance(SECOND);
    typing.set(thread, true, 'run_2');
    typing.set(thread, false, 'run_1');
    manual.advance(SECOND);
    expect(made).toHaveLength(2);
    typing.set(thread, false, 'run_2');
    expect(clock.pending()).toBe(0);
  });

  test('is not shown for an answer that is there at once', () => {
    const manual = createManualClock();
    const clock = countTimers(manual);
    const { call, made } = recordCalls();
    const typing = createTyping({ call, clock, log });
    typing.set(thread, true, 'run_1');
    manual.advance(SECOND / 5);
    typing.set(thread, false, 'run_1');
    manual.advance(SECOND);
    expect([made.length, clock.pending()]).toEqual([0, 0]);
  });

  test('ends after half an hour when nobody says that the work has ended', () => {
    const clock = createManualClock();
    const { call, made } = recordCalls();
    createTyping({ call, clock, log }).set(thread, true, 'run_1');
    clock.advance(30 * MINUTE);
    const shown = made.length;
    clock.advance(60 * MINUTE);
    expect([made.length, shown <= 226]).toEqual([shown, true]);
  });

  test('fails silently and is given up first', async () => {
    const { call, made } = recordCalls(() => {
      throw new AppError('channel-unreachable', 'away');
    });
    const clock = createManualClock();
    createTyping({ call, clock, log }).set(thread, true, 'run_1');
    clock.advance(SECOND);
    await settle();
    expect(made[0]!.isLossy).toBe(true);
  });
});

describe('the sign on a message that waits', () => {
  const SIGN = '/reactions/%E2%8F%B3/@me';
  const put = (place: string, id: string) => `PUT /channels/${place}/messages/${id}${SIGN}`;
  const taken = (place: string, id: string) => `DELETE /channels/${place}/messages/${id}${SIGN}`;

  function setUp(answer?: Parameters<typeof recordCalls>[0]) {
    const calls = recordCalls(answer);
    const memory = createMapMemory();
    const clock = createManualClock();
    const parts = { call: calls.call, memory, clock, log };
    return { ...calls, memory, clock, parts, sign: createQueuedSign(parts) };
  }

  test('is put, and taken away where it was put, also when the answer goes elsewhere', async () => {
    const { sign, routes, memory } = setUp();
    sign.set(channel, '5', true);
    await settle();
    expect(await memory.list('')).toHaveLength(1);
    sign.set(thread, '5', false);
    await sign.stop();
    expect(routes()).toEqual([put('10', '5'), taken('10', '5')]);
    expect(await memory.list('')).toEqual([]);
  });

  test('a message that has waited for nobody costs no call', async () => {
    const { sign, made } = setUp();
    sign.set(channel, '5', false);
    await sign.stop();
    expect(made).toEqual([]);
  });

  test('is taken away after it was put, also when that is wished for meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    const { sign, made } = setUp(async ({ method }) => {
      if (method === 'PUT') await gate.promise;
    });
    sign.set(channel, '5', true);
    sign.set(channel, '5', false);
    gate.resolve();
    await sign.stop();
    expect(made.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
  });

  test('one that may stand there after a broken line is taken away too', async () => {
    const { sign, made } = setUp(({ method }) => {
      if (method === 'PUT') throw new AppError('channel-unreachable', 'away');
    });
    sign.set(channel, '5', true);
    await settle();
    sign.set(channel, '5', false);
    await sign.stop();
    expect(made.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
  });

  test('is taken away in the end, also when Discord cannot do it now', async () => {
    let isAway = true;
    const { sign, made, memory, clock } = setUp(({ method }) => {
      if (method === 'DELETE' && isAway) throw new AppError('channel-unreachable', 'away');
    });
    sign.set(channel, '5', true);
    await settle();
    sign.set(channel, '5', false);
    await settle();
    isAway = false;
    clock.advance(2 * SECOND);
    await settle();
    expect(made.map(({ method }) => method)).toEqual(['PUT', 'DELETE', 'DELETE']);
    expect(await memory.list('')).toEqual([]);
    await sign.stop();
  });

  test('is not tried again in a channel that does not allow it', async () => {
    const { sign, routes, memory } = setUp(() => {
      throw new AppError('channel-permission-denied', 'no');
    });
    sign.set(channel, '5', true);
    await settle();
    sign.set(channel, '6', true);
    sign.set(channel, '5', false);
    sign.set(thread, '7', true);
    await sign.stop();
    expect(routes()).toEqual([put('10', '5'), put('11', '7')]);
    expect(await memory.list('')).toEqual([]);
  });

  test('what a killed process has left is taken away by the next one', async () => {
    const { sign, parts, routes, memory } = setUp();
    sign.set(channel, '5', true);
    await sign.stop();
    const next = createQueuedSign(parts);
    next.set(channel, '6', true);
    await next.cleanUp();
    expect(routes()).toEqual([put('10', '5'), put('10', '6'), taken('10', '5')]);
    expect((await memory.list('')).map(({ key }) => key)).toEqual(['queued:10:6']);
  });
});

describe('the preview of a reply', () => {
  const POST = 'POST /channels/11/messages';
  const EDIT = 'PATCH /channels/11/messages/101';
  const REMOVE = 'DELETE /channels/11/messages/101';

  function setUp(answer?: Parameters<typeof recordCalls>[0]) {
    const clock = createManualClock();
    const counted = countTimers(clock);
    const calls = recordCalls(answer);
    const memory = createMapMemory();
    const parts = { call: calls.call, selfId: async () => '200', memory, clock: counted, log };
    const previews = createPreviews(parts);
    const pass = async (ms: number) => {
      clock.advance(ms);
      await settle();
    };
    return { ...calls, parts, memory, previews, pass, pending: counted.pending };
  }

  test('comes after 1.5 s, is edited at most every 2 s and only when there is something new', async () => {
    const { previews, pass, routes, made } = setUp();
    previews.show(thread, 'run_1', 'One');
    await pass(1_400);
    expect(routes()).toEqual([]);
    previews.show(thread, 'run_1', 'One two');
    await pass(100);
    expect(routes()).toEqual([POST]);
    expect(made[0]!.body).toMatchObject({ content: 'One two\n-# still writing…', enforce_nonce: true });
    for (const text of ['One two three', 'One two three four']) previews.show(thread, 'run_1', text);
    await pass(1_900);
    expect(routes()).toEqual([POST]);
    await pass(100);
    await pass(2_000);
    expect(routes()).toEqual([POST, EDIT]);
    expect(made[1]!.body).toMatchObject({ content: 'One two three four\n-# still writing…' });
  });

  test('goes once the reply is there, and nothing of it is remembered', async () => {
    const { previews, pass, routes, memory, pending } = setUp();
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    expect(await memory.list('')).toHaveLength(1);
    previews.said(thread, 'run_1');
    await settle();
    expect(routes()).toEqual([POST, REMOVE]);
    expect([await memory.list(''), pending()]).toEqual([[], 0]);
  });

  test('goes in the end, also when Discord cannot delete it now', async () => {
    let isAway = true;
    const { previews, pass, routes, memory, pending } = setUp(({ method }) => {
      if (method === 'DELETE' && isAway) throw new AppError('channel-unreachable', 'away');
    });
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    previews.said(thread, 'run_1');
    await settle();
    await pass(2_000);
    isAway = false;
    await pass(4_000);
    expect(routes()).toEqual([POST, REMOVE, REMOVE, REMOVE]);
    expect([await memory.list(''), pending()]).toEqual([[], 0]);
  });

  test('what cannot be deleted before everything stops is left to the next start', async () => {
    const { previews, pass, memory, pending } = setUp(({ method }) => {
      if (method === 'DELETE') throw new AppError('channel-unreachable', 'away');
    });
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    previews.said(thread, 'run_1');
    await settle();
    await previews.stop();
    expect([(await memory.list('')).length, pending()]).toEqual([1, 0]);
  });

  test('goes shortly after the work has ended, when no reply comes', async () => {
    const { previews, pass, routes, pending } = setUp();
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    previews.workEnded(thread, 'run_1');
    await pass(2_900);
    expect(routes()).toEqual([POST]);
    await pass(100);
    expect([routes(), pending()]).toEqual([[POST, REMOVE], 0]);
  });

  test('a short answer is not previewed at all', async () => {
    const { previews, pass, routes, pending } = setUp();
    previews.show(thread, 'run_1', 'Yes');
    await pass(1_000);
    previews.workEnded(thread, 'run_1');
    previews.said(thread, 'run_1');
    await pass(MINUTE);
    expect([routes(), pending()]).toEqual([[], 0]);
  });

  test('of the next run stays when the reply of the one before comes late', async () => {
    const { previews, pass, routes, pending } = setUp();
    previews.show(thread, 'run_2', 'Two');
    await pass(1_500);
    previews.workEnded(thread, 'run_1');
    previews.said(thread, 'run_1');
    await pass(4_000);
    expect(routes()).toEqual([POST]);
    previews.said(thread, 'run_2');
    await settle();
    expect([routes(), pending()]).toEqual([[POST, REMOVE], 0]);
  });

  test('goes when nothing has been heard for two minutes', async () => {
    const { previews, pass, routes, pending } = setUp();
    previews.show(thread, 'run_1', 'One');
    for (let i = 0; i < 70; i++) await pass(2 * SECOND);
    expect([routes(), pending()]).toEqual([[POST, REMOVE], 0]);
  });

  test('one that is just being posted when the reply comes is removed all the same', async () => {
    const gate = Promise.withResolvers<void>();
    const { previews, pass, routes } = setUp(async ({ method }) => {
      if (method === 'POST') await gate.promise;
    });
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    previews.said(thread, 'run_1');
    await settle();
    gate.resolve();
    await previews.stop();
    expect(routes()).toEqual([POST, REMOVE]);
  });

  test('stopping removes every one', async () => {
    const { previews, pass, routes } = setUp();
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    await previews.stop();
    previews.show(thread, 'run_1', 'Two');
    await pass(MINUTE);
    expect(routes()).toEqual([POST, REMOVE]);
  });

  test('what a killed process has left is removed by the next one, by its id', async () => {
    const { previews, pass, parts, routes, memory } = setUp();
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    await createPreviews(parts).cleanUp();
    expect(routes()).toEqual([POST, REMOVE]);
    expect(await memory.list('')).toEqual([]);
  });

  test('is not tried again where it was refused, and leaves nothing to remember', async () => {
    const { previews, pass, made, memory } = setUp(({ method }) => {
      if (method === 'POST') throw new AppError('channel-permission-denied', 'no');
      return [];
    });
    for (const text of ['One', 'One two', 'One two three']) {
      previews.show(thread, 'run_1', text);
      await pass(2 * SECOND);
    }
    expect(made.map(({ method }) => method)).toEqual(['POST']);
    previews.said(thread, 'run_1');
    await previews.stop();
    expect(await memory.list('')).toEqual([]);
  });

  test('what may be there after the next clean-up failed stays remembered', async () => {
    const { previews, pass, parts, memory } = setUp(({ method }) => {
      if (method === 'DELETE') throw new AppError('channel-unreachable', 'away');
    });
    previews.show(thread, 'run_1', 'One');
    await pass(1_500);
    await createPreviews(parts).cleanUp();
    expect(await memory.list('')).toHaveLength(1);
  });
});
