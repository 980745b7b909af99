/** A stranger's direct message gets a code, and an owner lets them in, wherever the owner is at hand. */
import { expect, test } from 'vitest';
import { type Actor, APPLICATION_FLAGS, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { runSkein } from '../support/run-skein.ts';

/** The code that the stranger is told. */
async function codeFor(fake: FakeDiscord, stranger: Actor): Promise<string> {
  const told = await fake.waitForReply(stranger.dm, { matching: 'Your code is' });
  return /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec(told.content)![0];
}

const said = (fake: FakeDiscord, { dm }: Actor) =>
  fake.visible(dm).flatMap(({ author, text }) => (author === 'skein' ? text : []));

test('AUTH-07: a code is told once, nothing else happens, and the owner approves or denies by native command', async () => {
  const { fake, general, user: ann, start } = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const bob = fake.addUser({ name: 'bob' });
  const models = createScriptedModels((request) => `heard ${lastText(request).split('\n').at(-1)}`);
  await start({ models, discord: { groupPolicy: 'allowlist' } });
  const { owner } = fake;
  ann.sendDm('hello');
  const code = await codeFor(fake, ann);
  ann.sendDm('hello?');
  bob.sendDm('me too');
  const other = await codeFor(fake, bob);

  expect((await ann.runCommand(ann.dm, '/pair approve', { code }).reply()).content).toContain(code);
  const choices = await owner.autocomplete(owner.dm, '/pair approve', { option: 'code', partial: '' });
  expect(choices.map(({ value }) => value)).toEqual([code, other]);
  const list = await owner.runCommand(general, '/pair list').reply();
  expect(list.content).toMatch(new RegExp(`${code}[^\n]*ann[^]*${other}[^\n]*bob`));
  expect((await owner.runCommand(general, '/pair approve', { code }).reply()).content).toMatch(/ann/);
  expect((await owner.runCommand(general, '/pair deny', { code: other }).reply()).content).toMatch(/bob/);
  await fake.waitForReply(ann.dm, { matching: 'You are in. Write to me.' });
  expect(models.calls).toEqual([]);

  bob.sendDm('anybody?');
  ann.sendMessage(general, 'in the server', { mention: true });
  ann.sendDm('now?');
  await fake.waitForReply(ann.dm, { matching: 'heard now?' });
  expect(said(fake, bob)).toHaveLength(1);
  expect(models.calls).toHaveLength(1);
});

test('AUTH-05: only owners decide, and members of the team that owns the application are owners', async () => {
  const { fake, general, user: ann, start } = await discordWorld();
  const bob = fake.addUser({ name: 'bob' });
  const carol = fake.addUser({ name: 'carol' });
  fake.setTeam([carol]);
  await start();
  ann.sendDm('hello');
  const code = await codeFor(fake, ann);
  const refused = bob.runCommand(general, '/pair approve', { code });
  expect((await refused.reply()).content).toMatch(/owner/i);
  expect(refused.isEphemeral).toBe(true);
  await carol.runCommand(general, '/pair approve', { code }).reply();
  await fake.waitForReply(ann.dm, { matching: 'You are in.' });
});

test('AUTH-05 AUTH-07: an owner approves in words of a private message, in the web chat, and by a process beside it', async () => {
  const { fake, user: ann, home, start } = await discordProcesses();
  const bob = fake.addUser({ name: 'bob' });
  const carol = fake.addUser({ name: 'carol' });
  const skein = await start();
  const codes: string[] = [];
  for (const stranger of [ann, bob, carol]) {
    stranger.sendDm('hello');
    codes.push(await codeFor(fake, stranger));
  }
  fake.owner.sendDm(`/pair approve ${codes[0]!.toLowerCase().replace('-', '')}`);
  await fake.waitForReply(ann.dm, { matching: 'You are in.' });
  await skein.say(`/pair approve ${codes[1]}`);
  await fake.waitForReply(bob.dm, { matching: 'You are in.' });
  const byProcess = await runSkein(['pair', 'approve', codes[2]!], { cwd: home, env: { SKEIN_HOME: home } });
  expect(byProcess.stdout).toMatch(/^carol \(discord user \d+\) is let in and is told so\.\n$/);
  await fake.waitForReply(carol.dm, { matching: 'You are in.' });
  await skein.terminate();
});
