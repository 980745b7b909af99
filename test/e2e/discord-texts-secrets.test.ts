/** Neither the token of the bot nor a key of its model ever leaves through Discord, whoever came to know it. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { discordProcesses } from '../support/discord-process.ts';

/** Everything that was sent to Discord; the token itself stands in no body of an honest request. */
const sent = ({ journal }: FakeDiscord): string =>
  journal.entries
    .flatMap(({ path, body, files }) => [
      path,
      JSON.stringify(body) ?? '',
      ...files.map(({ name, bytes }) => `${name}\n${Buffer.from(bytes)}`),
    ])
    .join('\n');

/** Pieces of the secret, of six characters and more, that stand in the text. */
function leaks(text: string, secret: string, length = 6): readonly string[] {
  const pieces = Array.from({ length: secret.length - length + 1 }, (_, i) => secret.slice(i, i + length));
  return pieces.filter((piece) => text.includes(piece));
}

/** In front of it stands the id of the bot, which is no secret. */
const secretPart = (token: string): string => token.slice(token.indexOf('.') + 1);

test('S1 S2: the token of the bot is taken out of answers, at the edge of parts, and out of files', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { token } = fake;
  const replies = [
    `My token is ${token}.`,
    `${'x'.repeat(1_970)}${token}${'y'.repeat(100)}`,
    `\`\`\`\n${'x'.repeat(1_960)}${token}\n\`\`\``,
    `${'A paragraph of many words.\n\n'.repeat(600)}${token}`,
  ];
  const app = await start({
    models: createScriptedModels((request) => replies[Number(lastText(request).at(-1))]!),
  });
  for (const i of replies.keys()) {
    const asked = user.sendMessage(general, String(i), { mention: true });
    await fake.waitForReply(general, { after: asked });
  }
  await app.stop();
  expect(leaks(sent(fake), secretPart(token))).toEqual([]);
  expect(sent(fake)).toContain('[redacted]');
});

test('S1: the token is taken out of labels, cards, names of threads, results, announcements and commands', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const { token } = fake;
  const models = createScriptedModels((request) => {
    if (isSubagent(request)) return `result ${token}`;
    if (request.messages.at(-1)?.role === 'tool') return 'delegated';
    if (lastText(request).includes('subagent completion')) return `announced ${token}`;
    if (lastText(request).includes('fail'))
      return { failure: { class: 'auth', message: `bad key ${token}` } };
    const args = { task: `use ${token}`, label: token.slice(0, 100), thread: true, mode: 'run' };
    return { calls: [{ name: 'sessions_spawn', arguments: args }] };
  });
  const app = await start({ models });
  user.sendMessage(general, 'work', { mention: true });
  const thread = await fake.waitForThread();
  await fake.waitForReply(thread, { matching: 'result' });
  await fake.waitForReply(general, { matching: 'announced' });
  for (const line of ['/status', '/agents', '/subagents list']) await user.runCommand(general, line).reply();
  await user.runCommand(general, '/subagents info', { target: '#1' }).reply();
  await user.autocomplete(general, '/subagents info', { option: 'target', partial: '' });
  user.runCommand(thread, '/unfocus');
  await fake.waitForReply(thread, { matching: 'no longer' });
  user.sendMessage(general, 'fail', { mention: true });
  await fake.waitForReply(general, { matching: 'did not accept the key' });
  await app.stop();
  expect(leaks(sent(fake), secretPart(token))).toEqual([]);
});

test('S4: what a provider says about our key is told neither to people nor to the log', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  const key = 'sk-test-not-a-real-key';
  const bodies = [{ error: { message: `Incorrect API key provided: ${key}` } }, `<p>bad ${key}</p>`];
  model.reply((_body, n) => ({ type: 'error', status: 401, body: bodies[n % 2] }));
  const skein = await start();
  for (const _ of bodies) {
    const asked = user.sendMessage(general, 'hello', { mention: true });
    await fake.waitForReply(general, { after: asked, matching: 'did not accept the key' });
  }
  await skein.terminate();
  const { stdout, stderr } = skein.output();
  for (const text of [sent(fake), stdout, stderr]) expect(leaks(text, key.slice(3))).toEqual([]);
});
