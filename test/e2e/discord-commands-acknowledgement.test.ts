/** Commands and buttons are acknowledged in time, whatever else goes on, and their answers reach whom they are for. */
import { expect, onTestFinished, test } from 'vitest';
import type { AppParts } from '../../src/app.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { delegating, discordWorld } from '../support/discord-app.ts';
import { COMMAND_CASES, stageScript, type Use } from '../support/discord-command-cases.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { until } from '../support/until.ts';

/** A store whose transactions wait, once it is shut, until it is opened. */
function gatedStore() {
  let gate: PromiseWithResolvers<void> | undefined;
  const stores: NonNullable<AppParts['stores']> = (opened) => ({
    ...opened,
    store: {
      ...opened.store,
      transaction: async (fn) => {
        await gate?.promise;
        return opened.store.transaction(fn);
      },
    },
  });
  const open = () => {
    gate?.resolve();
    gate = undefined;
  };
  onTestFinished(open);
  return {
    stores,
    open,
    shut: () => {
      gate = Promise.withResolvers();
    },
  };
}

const blockFor = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('C6, CMD-26: while the store answers nothing, every command is put off within a second, and done once it does', async () => {
  const { fake, guild, user, start } = await discordWorld();
  const { stores, shut, open } = gatedStore();
  const app = await start({ models: createScriptedModels(stageScript), stores });
  const uses: (readonly [string, Use])[] = [];
  for (const [name, each] of Object.entries(COMMAND_CASES)) {
    const channel = fake.addChannel(guild, { name: name.replace(' ', '-') });
    uses.push([name, await each.prepare({ fake, guild, app, channel, user })]);
  }
  shut();
  const given = uses.map(([name, use]) => {
    const { place, by, values = {} } = use;
    return { name, use, handle: by.runCommand(place, `/${name}`, values) };
  });
  for (const { handle } of given) await handle.acknowledged();
  for (const { name, handle } of given) {
    expect(handle.isDeferred, name).toBe(true);
    expect(handle.isEphemeral, name).toBe(true);
    expect(handle.ackMs, name).toBeLessThan(1_500);
  }
  open();
  for (const { name, use, handle } of given) {
    expect((await handle.reply()).content, name).toMatch(use.answer ?? /^Done\.$/);
    expect(handle.interaction.followups, name).toEqual([]);
    await use.effect?.();
  }
});

test('C6: with the process busy for a second and a half, commands and buttons are still acknowledged in time', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start({ models: createScriptedModels(delegating) });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const card = await fake.waitForReply(general, { matching: /\*\*moon\*\* · Done/ });
  const given = [user.runCommand(general, '/status'), user.clickButton(card, 'Details')];
  blockFor(1_500);
  for (const handle of given) {
    await handle.acknowledged();
    expect(handle.ackMs).toBeGreaterThan(1_000);
    expect(handle.ackMs).toBeLessThan(3_000);
  }
  expect((await given[0]!.reply()).content).toContain('Work: idle');
});

test('C6: Discord itself is slow: the first word is there in time, and once', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start();
  fake.faults.delay(/POST \/interactions\/.*callback/, 1_200, 1);
  const given = user.runCommand(general, '/status');
  expect((await given.reply()).content).toContain('Work: idle');
  expect(given.ackMs).toBeLessThan(3_000);
  expect(given.interaction.followups).toEqual([]);
});

test('C6: 10062 is logged and not thrown, and the answer stands in the channel unless it is for one person', async () => {
  const { fake, general, user, start } = await discordWorld({ interactionDeadlineMs: -1 });
  const { log, lines } = createRecordingLog();
  await start({ log });
  user.runCommand(general, '/status');
  await fake.waitForReply(general, { matching: 'Work: idle' });
  fake.owner.runCommand(general, '/pair list');
  await until(() => lines.filter(({ message }) => message.includes('answered too late')).length === 2, {
    what: 'both to be logged',
  });
  fake.settings.interactionDeadlineMs = 3_000;
  const after = user.runCommand(general, '/agents');
  expect((await after.reply()).content).toContain('no thread is focused');
  expect(fake.visible(general)).toHaveLength(1);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('C6: when the work outlives the interaction its result comes to the thread where it was asked for', async () => {
  const { fake, general, user, start } = await discordWorld({ interactionTokenLifeMs: 1_000 });
  const { stores, shut, open } = gatedStore();
  await start({ stores });
  const thread = user.openThread(general, 'elsewhere');
  shut();
  const shared = user.runCommand(thread, '/status');
  const kept = fake.owner.runCommand(thread, '/pair list');
  await shared.acknowledged();
  await kept.acknowledged();
  await until(() => Date.now() - kept.interaction.at > 1_050, { what: 'the end of the interactions' });
  open();
  await fake.waitForReply(thread, { matching: 'Work: idle' });
  await until(() => fake.journal.of(new RegExp(`PATCH /webhooks/.*${kept.interaction.token}`)).length > 0, {
    what: 'a try to answer in private',
  });
  const said = user.runCommand(thread, '/agents');
  await said.reply();
  expect(fake.visible(thread)).toHaveLength(1);
  expect(fake.visible(general)).toEqual([]);
});

test('CMD-26: answers are for one person, or for all with slashCommand.ephemeral: false, save what is nobody else’s business', async () => {
  const { fake, general, user, start } = await discordWorld();
  const first = await start();
  const alone = user.runCommand(general, '/status');
  await alone.reply();
  expect(alone.isEphemeral).toBe(true);
  expect(fake.visible(general)).toEqual([]);
  await first.stop();

  await start({ discord: { slashCommand: { ephemeral: false } } });
  const forAll = user.runCommand(general, '/status');
  await forAll.reply();
  expect(forAll.isEphemeral).toBe(false);
  expect(fake.visible(general)).toMatchObject([{ text: expect.stringContaining('Work: idle') }]);
  const codes = fake.owner.runCommand(general, '/pair list');
  await codes.reply();
  expect(codes.isEphemeral).toBe(true);
  const details = user.runCommand(general, '/subagents info', { target: 'x' });
  await details.reply();
  expect(details.isEphemeral).toBe(true);
  expect(fake.visible(general)).toHaveLength(1);
});

test('an answer in public that says nothing leaves no sign of waiting', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { stores, shut, open } = gatedStore();
  const models = createScriptedModels(delegating);
  await start({ models, stores, discord: { slashCommand: { ephemeral: false } } });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const thread = await fake.waitForThread({ named: 'moon' });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  shut();
  const given = user.runCommand(thread, '/unfocus');
  await given.acknowledged();
  expect(fake.visible(thread).some(({ isLoading }) => isLoading)).toBe(true);
  open();
  await fake.waitForReply(thread, { matching: 'it was unfocused' });
  await fake.waitFor('the sign to go', () =>
    fake.visible(thread).some(({ isLoading }) => isLoading) ? undefined : true,
  );
});

test('what fails for good is said to whoever asked, and does nothing', async () => {
  const { general, user, start } = await discordWorld();
  const { log, lines } = createRecordingLog();
  let isBroken = false;
  await start({
    log,
    stores: (opened) => ({
      ...opened,
      store: {
        ...opened.store,
        transaction: (fn) =>
          isBroken ? Promise.reject(new Error('the disk is gone')) : opened.store.transaction(fn),
      },
    }),
  });
  isBroken = true;
  const given = user.runCommand(general, '/status');
  const { content } = await given.reply();
  isBroken = false;
  expect(content).toBe('That did not work, and nothing was done. Please try again; the log says why.');
  expect(given.isEphemeral).toBe(true);
  expect(lines.filter(({ level }) => level === 'error')).not.toEqual([]);
});
