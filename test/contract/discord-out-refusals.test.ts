/** What Discord refuses or holds up, as the adapter says it to the layers above and to people. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { RESTEvents } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { threadAddress } from '../../src/core/address.ts';
import { at, discordOutbound, refusalOf, restAt } from '../support/discord-outbound.ts';
import { eventually } from '../support/eventually.ts';

const SEND = /^POST .*\/messages$/;

describe('P1 a missing permission is named, with its place', () => {
  test.each([
    ['viewChannel', 'I need “View Channels” in <#CHANNEL>.'],
    ['sendMessages', 'I need “Send Messages” in #general.'],
  ] as const)('in a channel: %s', async (right, hint) => {
    const { fake, general, outbound } = await discordOutbound();
    fake.setOverwrites(general, [{ for: 'everyone', deny: [right] }]);
    expect(await refusalOf(outbound.send({ id: 'a', address: at(general), text: 'x' }))).toMatchObject({
      code: 'channel-permission-denied',
      hint: hint.replace('CHANNEL', general.id),
    });
  });

  test('in a thread: the right of the parent, whether denied there or missing from the role', async () => {
    const { fake, guild, general, outbound } = await discordOutbound();
    const asked = fake.owner.sendMessage(general, 'x');
    const address = threadAddress(at(general), fake.owner.openThread(asked, 'work').id);
    const send = (id: string) => outbound.send({ id, address, text: 'x' });
    const denied = {
      code: 'channel-permission-denied',
      hint: 'I need “Send Messages in Threads” in #general.',
    };
    fake.setOverwrites(general, [{ for: 'everyone', deny: ['sendMessages'] }]);
    await send('a');
    fake.setOverwrites(general, [{ for: fake.botUser, deny: ['sendMessagesInThreads'] }]);
    expect(await refusalOf(send('b'))).toMatchObject(denied);
    fake.setOverwrites(general, []);
    fake.setEveryone(guild, ['viewChannel', 'sendMessages']);
    expect(await refusalOf(send('c'))).toMatchObject(denied);
    expect(fake.visible(general).map(({ text }) => text)).toEqual(['x']);
  });

  test('for a thread that cannot be opened, and nothing is made', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const { id } = fake.owner.sendMessage(general, 'x');
    fake.setOverwrites(general, [{ for: 'everyone', deny: ['createPublicThreads'] }]);
    const work = outbound.openThread({ address: at(general), messageId: id }, 'work');
    expect(await refusalOf(work)).toMatchObject({
      code: 'channel-permission-denied',
      hint: 'I need “Create Public Threads” in #general.',
    });
    expect([...fake.world.channels.values()].some(({ thread }) => thread)).toBe(false);
  });

  test('for a file', async () => {
    const { fake, general, outbound } = await discordOutbound();
    fake.setOverwrites(general, [{ for: 'everyone', deny: ['attachFiles'] }]);
    const file = { name: 'answer.md', text: 'x' };
    expect(await refusalOf(outbound.send({ id: 'a', address: at(general), text: 'x', file }))).toMatchObject({
      hint: 'I need “Attach Files” in #general.',
    });
  });
});

describe('G1 rate limits', () => {
  test('a channel’s limit is waited for: all parts arrive in order, none twice', async () => {
    const { fake, general, outbound } = await discordOutbound();
    for (let i = 0; i < 3; i++) fake.rateLimits.refuse({ call: SEND, retryAfterMs: 100 });
    const texts = Array.from({ length: 6 }, (_, i) => `part ${i}`);
    await Promise.all(texts.map((text) => outbound.send({ id: text, address: at(general), text })));
    expect(fake.visible(general).map(({ text }) => text)).toEqual(texts);
    const refused = fake.journal.of(SEND).filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    for (const { number, at: refusedAt } of refused) {
      const next = fake.journal.of(SEND).find((entry) => entry.number > number)!;
      expect(next.at - refusedAt).toBeGreaterThanOrEqual(100);
    }
  });

  test('it does not slow other channels, the global limit stops all', async () => {
    const { fake, guild, general, start } = await discordOutbound();
    const rest = restAt(fake);
    const outbound = start({ rest });
    const other = fake.addChannel(guild, { name: 'other' });
    const toGeneral = new RegExp(`^POST /channels/${general.id}/messages$`);
    const send = (id: string, channel = general) => outbound.send({ id, address: at(channel), text: id });
    for (const scope of ['user', 'global'] as const) {
      fake.journal.clear();
      fake.rateLimits.refuse({ call: toGeneral, retryAfterMs: 400, scope });
      const refusedOnce = once(rest, RESTEvents.Response);
      const slow = send(`slow ${scope}`);
      await refusedOnce;
      await setImmediate();
      await send(`quick ${scope}`, other);
      const [refused, , ...later] = fake.journal.of(SEND);
      const quick = fake.journal.of(new RegExp(other.id))[0]!;
      if (scope === 'user') expect(later).toEqual([]);
      else expect(quick.at - refused!.at).toBeGreaterThanOrEqual(400);
      await slow;
    }
  });

  test('a long wait is given back with its length, and nothing was sent', async () => {
    const { fake, general, outbound } = await discordOutbound();
    fake.rateLimits.refuse({ call: SEND, retryAfterMs: 60_000 });
    const refusal = await refusalOf(outbound.send({ id: 'a', address: at(general), text: 'x' }));
    expect(refusal.code).toBe('channel-rate-limited');
    expect(refusal.retryAfterMs).toBeGreaterThanOrEqual(60_000);
    expect(fake.messages(general)).toEqual([]);
  });

  test('after too many refusals no sign of work is shown any more, and words still go out', async () => {
    const { fake, general, start } = await discordOutbound();
    const outbound = start({ rest: restAt(fake, { globalRequestsPerSecond: Number.POSITIVE_INFINITY }) });
    const waiting = fake.owner.sendMessage(general, 'Next, please.');
    fake.faults.fail(/typing/, { status: 403, code: 50_001 });
    for (let i = 0; i < 1_000; i++) outbound.setTyping({ ...at(general), thread: String(i) }, true, 'run_1');
    await eventually(() => fake.journal.of(/typing/).filter(({ status }) => status === 403).length).toBe(
      1_000,
    );
    outbound.setQueued(at(general), waiting.id, true);
    await outbound.send({ id: 'a', address: at(general), text: 'x' });
    expect(fake.journal.of(/reactions/)).toEqual([]);
  });
});

describe('L5 what may pass and what will not', () => {
  test.each([
    ['a server error', { status: 503 }],
    ['a proxy’s page', { status: 502, body: '<html>Bad gateway</html>' }],
    ['an error without words', { status: 500 }],
  ])('%s may pass, and is not repeated here', async (_what, failure) => {
    const { fake, general, outbound } = await discordOutbound();
    fake.faults.fail(SEND, failure, 1);
    const refusal = await refusalOf(outbound.send({ id: 'a', address: at(general), text: 'x' }));
    expect(refusal).toMatchObject({ code: 'channel-unreachable' });
    expect(fake.journal.of(SEND)).toHaveLength(1);
  });

  test('a broken line may pass', async () => {
    const { fake, general, outbound } = await discordOutbound();
    fake.faults.cutBefore(SEND, 1, 'reset');
    const refusal = await refusalOf(outbound.send({ id: 'a', address: at(general), text: 'x' }));
    expect(refusal).toMatchObject({ code: 'channel-unreachable' });
    expect(fake.journal.of(SEND)).toHaveLength(1);
  });

  test.each([
    [400, 50_035, 'channel-invalid'],
    [403, 50_013, 'channel-permission-denied'],
    [404, 10_003, 'channel-not-found'],
    [403, 99_999, 'channel-permission-denied'],
    [404, undefined, 'channel-not-found'],
    [413, undefined, 'channel-invalid'],
  ] as const)('status %i with code %s will not pass: %s', async (status, code, ours) => {
    const { fake, general, outbound } = await discordOutbound();
    fake.faults.fail(SEND, { status, ...(code === undefined ? { body: '<html>no</html>' } : { code }) }, 1);
    const refusal = await refusalOf(outbound.send({ id: 'a', address: at(general), text: 'x' }));
    expect(refusal).toMatchObject({ code: ours });
  });

  test('a token that is refused loses nothing, and the words say what to put right', async () => {
    const { fake, general, outbound } = await discordOutbound();
    fake.revokeToken();
    for (const id of ['a', 'b']) {
      expect(await refusalOf(outbound.send({ id, address: at(general), text: 'x' }))).toMatchObject({
        code: 'channel-unreachable',
        ...(id === 'a' && { hint: expect.stringContaining('token') }),
      });
    }
    expect(fake.rateLimits.invalidRequests).toBe(1);
  });

  test('a token that was refused once is tried again later', async () => {
    let aheadMs = 0;
    const { fake, general, outbound } = await discordOutbound({ now: () => Date.now() + aheadMs });
    const send = () => outbound.send({ id: 'a', address: at(general), text: 'x' });
    fake.faults.fail(SEND, { status: 401 }, 1);
    const unreachable = { code: 'channel-unreachable' };
    expect(await refusalOf(send())).toMatchObject(unreachable);
    expect(await refusalOf(send())).toMatchObject(unreachable);
    expect(fake.journal.of(SEND)).toHaveLength(1);
    aheadMs = 60_000;
    await send();
    expect(fake.visible(general).map(({ text }) => text)).toEqual(['x']);
  });

  test.each([400, 403, 405])('a page of status %i that is not from Discord passes', async (status) => {
    const { fake, general, outbound } = await discordOutbound();
    const send = () => outbound.send({ id: 'a', address: at(general), text: 'x' });
    fake.faults.fail(SEND, { status, body: '<html>Sorry, you have been blocked</html>' }, 1);
    expect(await refusalOf(send())).toMatchObject({ code: 'channel-unreachable' });
    await send();
    expect(fake.visible(general).map(({ text }) => text)).toEqual(['x']);
  });

  test.each(['user', 'global'] as const)('a limit without an end is not believed: %s', async (scope) => {
    const { fake, general, outbound } = await discordOutbound();
    fake.rateLimits.refuse({ call: SEND, retryAfterMs: 1e12, scope });
    const { code, retryAfterMs } = await refusalOf(
      outbound.send({ id: 'a', address: at(general), text: 'x' }),
    );
    expect(code).toBe('channel-rate-limited');
    expect(retryAfterMs).toBeLessThanOrEqual(3_601_000);
  });
});
