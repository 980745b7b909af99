/** Discord is not there at the start, or refuses the token: everything else works, and `/readyz` tells which part does not. */
import { expect, test } from 'vitest';
import { discordWorld } from '../support/discord-app.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { answering, expectAnswersIn } from '../support/discord-questions.ts';
import { freePort } from '../support/free-port.ts';
import { expectAnswers } from '../support/questions.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { until } from '../support/until.ts';

/** The first word of each component's state. */
async function components(url: string): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(200);
  const told = ((await response.json()) as { components: Record<string, string> }).components;
  return Object.fromEntries(Object.entries(told).map(([name, state]) => [name, state.split(':')[0]!]));
}

test('E-15: Discord cannot be reached at the start: the web chat answers, and Discord joins once it is there', async () => {
  const { fake, general, user, start } = await discordProcesses();
  fake.faults.cutBefore(/./, undefined, 'reset');
  const skein = await start({ isConnected: false });
  expect(await components(skein.url)).toMatchObject({
    store: 'ready',
    webchat: 'ready',
    discord: 'connecting',
  });
  await skein.say('q-1');
  await expectAnswers(skein, ['q-1']);
  const asked = () => fake.journal.entries.length;
  await until(() => asked() >= 2, { what: 'it is tried again' });
  fake.faults.clear();
  await fake.waitForGateway(1, 20_000);
  user.sendMessage(general, 'q-2', { mention: true });
  await expectAnswersIn(fake, general, ['q-2']);
  expect(await components(skein.url)).toMatchObject({ discord: 'ready' });
  expect(await skein.terminate()).toBe(0);
});

test('E-15: the connection is lost for longer: /readyz says so, answers still go out, and it comes back', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { url } = await start({ models: answering() });
  await until(async () => (await components(url)).discord === 'ready', { what: 'Discord is ready' });
  fake.pauseGateway();
  await until(async () => (await components(url)).discord === 'connecting', { what: 'the loss is told' });
  expect(await components(url)).toMatchObject({ store: 'ready', webchat: 'ready' });
  fake.resumeGateway();
  await until(async () => (await components(url)).discord === 'ready', { what: 'Discord is ready again' });
  user.sendMessage(general, 'q-1', { mention: true });
  await expectAnswersIn(fake, general, ['q-1']);
});

test('E-15: one account has a bad token, one no server to reach: the third and the web chat work', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { log, lines } = createRecordingLog();
  const wrong = `${fake.token.slice(0, -4)}nope`;
  const accounts = {
    wrong: { token: wrong },
    away: { token: 'any-token', apiUrl: `http://127.0.0.1:${await freePort()}/api` },
  };
  const { url } = await start({ models: answering(), log, discord: { accounts } });
  await until(async () => (await components(url))['discord:wrong'] === 'down', {
    what: 'the bad token is told',
  });
  expect(await components(url)).toMatchObject({
    store: 'ready',
    webchat: 'ready',
    discord: 'ready',
    'discord:wrong': 'down',
    'discord:away': 'connecting',
  });
  user.sendMessage(general, 'q-1', { mention: true });
  await expectAnswersIn(fake, general, ['q-1']);
  const said = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(said.filter((message) => message.includes('refused the token'))).toHaveLength(1);
  // It asks no second time with a token that was refused.
  expect(fake.journal.entries.filter(({ status }) => status === 401)).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain(wrong);
});

test('E-15: a token that is revoked while it runs is told, and the web chat goes on', async () => {
  const { fake, start } = await discordProcesses();
  const skein = await start();
  fake.revokeToken();
  await until(async () => (await components(skein.url)).discord === 'down', { what: 'the refusal is told' });
  await skein.say('q-1');
  await expectAnswers(skein, ['q-1']);
  expect(skein.output().stderr).toContain('Discord refused the token');
  expect(skein.output().stderr).not.toContain(fake.token);
  expect(await skein.terminate()).toBe(0);
});
