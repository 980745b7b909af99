/** Messages of the Discord adapter, sent with the real REST client to a Discord of our own. */
import { describe, expect, test } from 'vitest';
import { decodeButton } from '../../adapters/discord/outbound/buttons.ts';
import { splitText } from '../../src/core/split.ts';
import { at, card, discordOutbound, refusalOf } from '../support/discord-outbound.ts';

const MINUTE = 60_000;

describe('sending', () => {
  test('shows the text in the channel, and in the thread only what is for the thread', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const first = await outbound.send({ id: 'a', address: at(general), text: 'in the channel' });
    const { thread } = await outbound.openThread({ address: at(general), ...first }, 'work');
    await outbound.send({ id: 'b', address: { ...at(general), thread }, text: 'in the thread' });
    expect(fake.visible(general).map(({ text }) => text)).toEqual(['in the channel']);
    const opened = fake.world.channels.get(thread)!;
    expect(fake.visible(opened).map(({ text }) => text)).toContain('in the thread');
  });

  test('answers a message, also one that is gone by now', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const asked = fake.owner.sendMessage(general, 'Well?');
    const gone = fake.owner.sendMessage(general, 'Never mind');
    fake.owner.deleteMessage(gone);
    await outbound.send({ id: 'a', address: at(general), text: 'Yes', replyTo: asked.id });
    await outbound.send({ id: 'b', address: at(general), text: 'Hm', replyTo: gone.id });
    expect(fake.visible(general).map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['Well?', undefined],
      ['Yes', asked.id],
      ['Hm', undefined],
    ]);
    expect(fake.world.pings.at(-1)?.users).toEqual([fake.owner.id]);
  });

  test('says it plainly where it may not read the history that an answer refers to', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const asked = fake.owner.sendMessage(general, 'Well?');
    fake.setOverwrites(general, [{ for: fake.botUser, deny: ['readMessageHistory'] }]);
    await outbound.send({ id: 'a', address: at(general), text: 'Yes', replyTo: asked.id });
    expect(fake.visible(general).at(-1)).toMatchObject({ text: 'Yes' });
  });

  test('reaches people directly, and says what to do when they do not take it', async () => {
    const { fake, outbound } = await discordOutbound();
    const ada = fake.addUser({ name: 'ada' });
    await outbound.send({ id: 'a', address: at(ada.dm), text: 'Hello' });
    expect(fake.visible(ada.dm).map(({ text }) => text)).toEqual(['Hello']);
    ada.user.takesDms = false;
    expect(await refusalOf(outbound.send({ id: 'b', address: at(ada.dm), text: 'Hello?' }))).toMatchObject({
      code: 'channel-permission-denied',
      hint: expect.stringContaining('direct messages'),
    });
  });

  test('half a character does not keep Discord from taking the message, and it is found again', async () => {
    const { fake, general, outbound, start } = await discordOutbound();
    const part = {
      id: 'a',
      address: at(general),
      text: 'half \ud83d of it',
      madeAt: Date.now() - 5 * MINUTE,
    };
    const { messageId } = await outbound.send(part);
    const half = card({ label: 'half \udc00', actions: [{ label: 'Go \ud83d', command: '/status' }] });
    await outbound.send({ id: 'b', address: at(general), text: '', card: half });
    await outbound.openThread({ address: at(general), messageId }, 'half \ud83d');
    expect(fake.visible(general)[0]!.text).toBe('half \ufffd of it');
    expect(fake.violations).toEqual([]);
    expect(await start().findSent(part)).toEqual({ messageId });
  });

  test('takes a file along', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const file = { name: 'answer.md', text: '# Ünïcode' };
    await outbound.send({ id: 'a', address: at(general), text: 'See the file.', file });
    const [message] = fake.messages(general);
    expect(fake.visible(general)[0]).toMatchObject({ text: 'See the file.', files: ['answer.md'] });
    expect(Buffer.from(message!.attachments[0]!.bytes).toString()).toBe(file.text);
  });

  test('J6 rings nobody, whatever the text says', async () => {
    const { fake, guild, general, outbound } = await discordOutbound();
    const role = fake.addRole(guild, { name: 'ops' });
    const text = `@everyone @here <@&${role.id}> <@${fake.owner.id}> \`@everyone\``;
    const { messageId } = await outbound.send({ id: 'a', address: at(general), text });
    const loud = card({ label: text, note: text });
    await outbound.send({ id: 'b', address: at(general), text, card: loud });
    await outbound.edit({ address: at(general), messageId }, { address: at(general), text: `${text}!` });
    expect(fake.world.pings).toEqual([]);
  });

  test('F1 F3 a long answer with code and emoji arrives whole and in order', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const code = `\`\`\`ts\n${'const a = "😀";\n'.repeat(300)}\`\`\``;
    const parts = splitText(`Look:\n\n${code}\n\n${'👩‍👩‍👧'.repeat(300)}`, 2_000);
    for (const [i, text] of parts.entries()) await outbound.send({ id: `p${i}`, address: at(general), text });
    expect(fake.visible(general).map(({ text }) => text)).toEqual(parts.map((part) => part.trim()));
  });

  test('F1 refuses what is too long without asking Discord', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const work = outbound.send({ id: 'a', address: at(general), text: 'x'.repeat(2_001) });
    expect(await refusalOf(work)).toMatchObject({ code: 'channel-invalid' });
    expect(fake.journal.entries).toEqual([]);
  });
});

describe('D7 sending once', () => {
  test.each([
    ['the line is cut after the message was posted', 'cutAfter'],
    ['the line is cut before', 'cutBefore'],
    ['Discord answers with a server error', 'fail'],
  ] as const)('when %s, the repetition shows one message', async (_what, fault) => {
    const { fake, general, outbound } = await discordOutbound();
    const part = { id: 'a', address: at(general), text: 'once', madeAt: Date.now() };
    const call = /^POST .*\/messages$/;
    if (fault === 'fail') fake.faults.fail(call, { status: 502, body: '<html>Bad gateway</html>' }, 1);
    else fake.faults[fault](call, 1);
    expect(await refusalOf(outbound.send(part))).toMatchObject({ code: 'channel-unreachable' });
    expect(await outbound.findSent(part)).toBeUndefined();
    const { messageId } = await outbound.send(part);
    expect(fake.messages(general).map(({ id }) => id)).toEqual([messageId]);
  });

  test('a part that was sent is known without asking', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const part = { id: 'a', address: at(general), text: 'once' };
    const receipt = await outbound.send(part);
    fake.journal.clear();
    expect(await outbound.findSent(part)).toEqual(receipt);
    expect(fake.journal.entries).toEqual([]);
  });

  test('long after a crash, when the nonce is forgotten, it is found by what it says', async () => {
    const { fake, general, outbound, start } = await discordOutbound();
    const madeAt = Date.now() - 10 * MINUTE;
    const asked = fake.owner.sendMessage(general, 'Well?');
    const parts = [
      { id: 'a', address: at(general), text: 'Done. ', madeAt },
      { id: 'b', address: at(general), text: 'Done.', madeAt, replyTo: asked.id },
      { id: 'c', address: at(general), text: '', madeAt, file: { name: 'answer.md', text: 'x' } },
      { id: 'd', address: at(general), text: '', madeAt, card: card() },
    ];
    const receipts = [];
    for (const part of parts) receipts.push(await outbound.send(part));
    const later = start();
    const found = [];
    for (const part of parts) found.push(await later.findSent(part));
    expect(found).toEqual(receipts);
    const other = { ...card(), actions: [{ label: 'Stop', command: '/subagents kill run_2' }] };
    expect(await later.findSent({ ...parts[3]!, id: 'e', card: other })).toBeUndefined();
    expect(await later.findSent({ ...parts[0]!, id: 'f', text: 'Not yet.' })).toBeUndefined();
  });

  test('the same words, said before by another part or by somebody else, are not taken for it', async () => {
    const started = Date.now();
    let lateByMs = 0;
    const { fake, general, outbound, start } = await discordOutbound({ now: () => started + lateByMs });
    await outbound.send({ id: 'a', address: at(general), text: 'Done.', madeAt: started });
    lateByMs = 10 * MINUTE;
    fake.owner.sendMessage(general, 'Done.');
    const next = { id: 'b', address: at(general), text: 'Done.', madeAt: started + lateByMs };
    lateByMs = 20 * MINUTE;
    expect(await start().findSent(next)).toBeUndefined();
    await outbound.send(next);
    expect(await outbound.findSent({ ...next, id: 'c' })).toBeUndefined();
  });

  test('it is found behind hundreds of later messages', async () => {
    const { fake, general, outbound, start } = await discordOutbound();
    const part = { id: 'a', address: at(general), text: 'once', madeAt: Date.now() - 10 * MINUTE };
    for (let i = 0; i < 150; i++) fake.owner.sendMessage(general, `before ${i}`);
    const receipt = await outbound.send(part);
    for (let i = 0; i < 150; i++) fake.owner.sendMessage(general, `after ${i}`);
    expect(await start().findSent(part)).toEqual(receipt);
  });
});

describe('cards', () => {
  test('are shown with buttons, redrawn in place, and lose their buttons when they have none', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const address = at(general);
    const { messageId } = await outbound.send({ id: 'a', address, text: 'notes', card: card() });
    const [shown] = fake.visible(general);
    expect(shown).toMatchObject({ text: '🧵 **notes** · Opening its thread', buttons: ['Stop'] });
    const done = card({ state: 'succeeded', startedAt: 0, endedAt: 5_000, actions: [] });
    await outbound.edit({ address, messageId }, { address, text: 'notes: done', card: done });
    expect(fake.visible(general)).toMatchObject([
      { id: messageId, text: '✅ **notes** · Done\n-# took 5s', buttons: [] },
    ]);
  });

  test('a button with a long command works through the memory', async () => {
    const { fake, general, memory, outbound } = await discordOutbound();
    const command = `/steer ${'x'.repeat(150)}`;
    const actions = [{ label: 'Steer', command, thread: '7' }];
    await outbound.send({ id: 'a', address: at(general), text: 'notes', card: card({ actions }) });
    expect(fake.visible(general)[0]!.buttons).toEqual(['Steer']);
    const [remembered] = await memory.list('button:');
    expect(decodeButton(remembered!.value)).toEqual({ command, thread: '7' });
  });

  test('editing a message that is gone says so', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const address = at(general);
    const { messageId } = await outbound.send({ id: 'a', address, text: 'x' });
    fake.owner.deleteMessage(fake.messages(general)[0]!);
    const work = outbound.edit({ address, messageId }, { address, text: 'y' });
    expect(await refusalOf(work)).toMatchObject({ code: 'channel-not-found' });
  });
});

describe('signs of work', () => {
  test('Q8 typing is shown, and ends with the reply', async () => {
    const { fake, general, outbound } = await discordOutbound();
    outbound.setTyping(at(general), true, 'run_1');
    await fake.waitFor('typing', () => fake.journal.of(/typing/).length || undefined);
    await outbound.send({ id: 'a', address: at(general), text: 'Done.', replyOf: 'run_1' });
    await outbound.stop();
    expect(fake.journal.of(/typing/)).toHaveLength(1);
  });

  test('a waiting message carries an hourglass until its turn', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const asked = fake.owner.sendMessage(general, 'Well?');
    outbound.setQueued(at(general), asked.id, true);
    await fake.waitFor('the sign', () => asked.reactions.get('⏳')?.has(fake.botUser.id) || undefined);
    outbound.setQueued(at(general), asked.id, false);
    await fake.waitFor('its end', () => asked.reactions.size === 0 || undefined);
  });

  test('a preview is shown while a reply is written, and gone when the reply stands there', async () => {
    const { fake, general, memory, outbound } = await discordOutbound();
    outbound.preview(at(general), 'run_1', 'Once upon');
    const preview = await fake.waitForReply(general, { matching: 'still writing' });
    await outbound.send({ id: 'a', address: at(general), text: 'Once upon a time.', replyOf: 'run_1' });
    await outbound.stop();
    expect(preview.isDeleted).toBe(true);
    expect(fake.visible(general).map(({ text }) => text)).toEqual(['Once upon a time.']);
    expect(await memory.list('preview:')).toEqual([]);
  });

  test('a preview whose posting was not confirmed before a kill is found and deleted at the next start', async () => {
    const { fake, general, memory, outbound, start } = await discordOutbound();
    fake.faults.cutAfter(/^POST .*\/messages$/, 1);
    outbound.preview(at(general), 'run_1', 'Once upon');
    await fake.waitForReply(general, { matching: 'still writing' });
    const kept = await memory.list('preview:');
    expect(kept).toMatchObject([{ value: '' }]);
    await start().cleanUp();
    expect(fake.visible(general)).toEqual([]);
    expect(await memory.list('preview:')).toEqual([]);
  });

  test('with streaming off nothing is previewed', async () => {
    const { fake, general, start } = await discordOutbound();
    const outbound = start({ streaming: 'off' });
    outbound.preview(at(general), 'run_1', 'Once upon');
    await outbound.stop();
    expect(fake.journal.entries).toEqual([]);
  });
});
