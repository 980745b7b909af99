/** What is no message to the bot starts nothing: edits, deletions, what Discord writes itself, and messages without a word. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { createScriptedModels, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';

/** A channel in which everything is heard. */
async function openEars(flags: number = APPLICATION_FLAGS.messageContent) {
  const world = await discordWorld({ flags });
  const { guild, general } = world;
  const models = createScriptedModels((request) => `echo: ${lastText(request).split('\n').at(-1)}`);
  const guilds = { [guild.id]: { requireMention: false } };
  const app = await world.start({ models, discord: { guilds, dmPolicy: 'open' } });
  const said = (channel = general) =>
    world.fake.visible(channel).flatMap(({ author, text }) => (author === 'skein' ? text : []));
  /** Asks something else and waits for the answer: whatever came before has been dealt with. */
  const flush = async (channel = general) => {
    const asked = world.user.sendMessage(channel, 'over?', { mention: channel === general });
    await world.fake.waitForReply(channel, { after: asked, matching: 'over?' });
  };
  return { ...world, app, models, said, flush };
}

test('D9 E-21: edits, deletions, edits of the bot, previews of links and repeated events start nothing', async () => {
  const { fake, general, user, models, said, flush } = await openEars();
  const asked = user.sendMessage(general, 'look at https://example.com');
  const reply = await fake.waitForReply(general, { matching: 'example.com' });

  user.editMessage(asked, `<@${fake.botUser.id}> look at something else`);
  asked.embeds = [{ type: 'rich', title: 'Example', description: 'A page.' }];
  user.editMessage(asked, asked.content);
  fake.redeliver(asked);
  fake.redeliver(reply);
  user.react(reply, '👍');
  const gone = user.sendMessage(general, 'never mind');
  await fake.waitForReply(general, { matching: 'never mind' });
  user.deleteMessage(gone);
  user.deleteMessage(asked);
  await flush();
  expect(models.calls).toHaveLength(3);
  expect(said()).toEqual(['echo: look at https://example.com', 'echo: never mind', 'echo: over?']);
});

test('Q3: of all kinds of messages only what people say and answer is heard', async () => {
  const { fake, general, user, models, said, flush } = await openEars();
  const thread = user.openThread(general, 'old name');
  user.renameThread(thread, 'new name');
  const pinned = user.sendMessage(general, 'pin me');
  await fake.waitForReply(general, { matching: 'pin me' });
  fake.owner.pin(pinned);
  const kinds = [
    1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 21, 22, 24, 25, 26, 27, 28, 29, 31, 32, 36, 44,
    46,
  ];
  for (const type of kinds)
    fake.postSystemMessage({ channel: general, author: user, type, content: `kind ${type}` });
  for (const type of [1, 3, 6])
    fake.postSystemMessage({ channel: user.dm, author: user, type, content: 'in private' });
  await flush();
  await flush(user.dm);
  const replied = user.sendMessage(general, 'a reply', { replyTo: pinned });
  await fake.waitForReply(general, { after: replied, matching: 'a reply' });
  expect(said()).toEqual(['echo: pin me', 'echo: over?', 'echo: a reply']);
  expect(said(user.dm)).toEqual(['echo: over?']);
  expect(models.calls).toHaveLength(4);
  expect(fake.visible(thread)).toEqual([]);
});

test('Q4: a message without a word starts nothing, be it a sticker or kept from the bot, but a file alone does', async () => {
  const { fake, general, user, models, said, flush } = await openEars();
  fake.postSystemMessage({ channel: general, author: user, type: 0 });
  fake.postSystemMessage({ channel: user.dm, author: user, type: 0 });
  await flush();
  await flush(user.dm);
  expect(models.calls).toHaveLength(2);
  expect(said()).toEqual(['echo: over?']);

  user.sendMessage(general, '', { attachments: [{ name: 'note.txt', bytes: 'milk and bread' }] });
  await fake.waitForReply(general, { matching: '[/file]' });
  expect(lastText(models.calls[2]!.request)).toContain('milk and bread');
});

test('Q4: without the intent nothing unmentioned is heard, while mentions and private messages are', async () => {
  const { fake, general, user, models, said, flush } = await openEars(0);
  user.sendMessage(general, 'said past the bot');
  user.sendMessage(general, '', { attachments: [{ name: 'note.txt', bytes: 'not for the bot' }] });
  await flush();
  await flush(user.dm);
  expect(models.calls.map(({ request }) => JSON.stringify(request.messages)).join()).not.toMatch(
    /past|not for/,
  );
  expect([said(), said(user.dm)]).toEqual([['echo: over?'], ['echo: over?']]);
  expect(fake.world.typing.filter(({ userId }) => userId === fake.botUser.id)).toEqual([]);

  user.sendMessage(general, '', { mention: true, attachments: [{ name: 'note.txt', bytes: 'milk' }] });
  await fake.waitForReply(general, { matching: '[/file]' });
  expect(lastText(models.calls.at(-1)!.request)).toContain('milk');
});
