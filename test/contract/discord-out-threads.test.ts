/** Threads and forum posts of the Discord adapter, made with the real REST client at a Discord of our own. */
import { describe, expect, test } from 'vitest';
import { threadAddress } from '../../src/core/address.ts';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { at, card, discordOutbound, refusalOf } from '../support/discord-outbound.ts';

const OPEN = /^POST .*\/threads$/;

const threadsOf = ({ world }: FakeDiscord, parent: Channel) =>
  [...world.channels.values()].filter(({ parentId }) => parentId === parent.id);

/** With a thread that was opened from a card. */
async function withThread() {
  const set = await discordOutbound();
  const { fake, general, outbound } = set;
  const address = at(general);
  const { messageId } = await outbound.send({ id: 'card', address, text: 'notes', card: card() });
  const { thread } = await outbound.openThread({ address, messageId }, 'notes');
  const channel = await fake.waitForThread({ named: 'notes' });
  return { ...set, messageId, channel, address: threadAddress(address, thread) };
}

describe('opening a thread', () => {
  test('T5 it hangs on the message, bears its id, and stays in the list for a week', async () => {
    const { messageId, channel } = await withThread();
    expect(channel).toMatchObject({ id: messageId, name: 'notes', thread: { autoArchiveMinutes: 10_080 } });
  });

  test('D8 when the line is cut after it was opened, the repetition finds it', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const anchor = {
      address: at(general),
      ...(await outbound.send({ id: 'a', address: at(general), text: 'x' })),
    };
    fake.faults.cutAfter(OPEN, 1);
    expect(await refusalOf(outbound.openThread(anchor, 'work'))).toMatchObject({
      code: 'channel-unreachable',
    });
    expect(await outbound.openThread(anchor, 'work')).toEqual({ thread: anchor.messageId });
    expect(threadsOf(fake, general)).toHaveLength(1);
  });

  test('D8 one that somebody else has opened from the message is taken', async () => {
    const { fake, general, outbound } = await discordOutbound();
    const asked = fake.owner.sendMessage(general, 'Do this');
    fake.owner.openThread(asked, 'theirs');
    const opened = await outbound.openThread({ address: at(general), messageId: asked.id }, 'ours');
    expect(opened).toEqual({ thread: asked.id });
    expect(threadsOf(fake, general).map(({ name }) => name)).toEqual(['theirs']);
  });

  test('Q6 works in announcement channels, and in a voice channel or thread says where it would', async () => {
    const { fake, guild, outbound, general } = await discordOutbound();
    for (const type of ['announcement', 'voice', 'stage'] as const)
      fake.addChannel(guild, { name: type, type });
    const open = async (channel: Channel) => {
      const { messageId } = await outbound.send({ id: `in ${channel.id}`, address: at(channel), text: 'x' });
      return outbound.openThread({ address: at(channel), messageId }, 'work');
    };
    await open(fake.channel(guild, 'announcement'));
    const asked = fake.owner.sendMessage(general, 'x');
    for (const channel of [
      fake.channel(guild, 'voice'),
      fake.channel(guild, 'stage'),
      fake.owner.openThread(asked, 'inner'),
    ]) {
      expect(await refusalOf(open(channel))).toMatchObject({
        code: 'channel-invalid',
        hint: expect.stringContaining('text, announcement or forum channel'),
      });
    }
  });

  test('Q6 in direct messages it is refused without asking', async () => {
    const { fake, outbound } = await discordOutbound();
    const { dm } = fake.addUser({ name: 'ada' });
    const work = outbound.openThread({ address: at(dm), messageId: '1' }, 'work');
    expect(await refusalOf(work)).toMatchObject({
      code: 'channel-invalid',
      hint: expect.stringContaining('channel of a server'),
    });
    expect(fake.journal.entries).toEqual([]);
  });

  test('a server with too many threads says what to do', async () => {
    const { fake, general, outbound } = await discordOutbound({ activeThreadCap: 0 });
    const { id } = fake.owner.sendMessage(general, 'x');
    expect(
      await refusalOf(outbound.openThread({ address: at(general), messageId: id }, 'work')),
    ).toMatchObject({
      code: 'channel-invalid',
      hint: expect.stringContaining('too many active threads; archive some'),
    });
  });

  test('a message that is gone is not found', async () => {
    const { general, outbound } = await discordOutbound();
    const work = outbound.openThread({ address: at(general), messageId: '123' }, 'work');
    expect(await refusalOf(work)).toMatchObject({ code: 'channel-not-found' });
  });
});

describe('Q2 archived and locked threads', () => {
  test('T5 a message wakes an archived thread', async () => {
    const { fake, channel, address, outbound } = await withThread();
    fake.owner.archiveThread(channel);
    await outbound.send({ id: 'a', address, text: 'Done.' });
    expect(channel.thread!.isArchived).toBe(false);
    expect(fake.visible(channel).at(-1)).toMatchObject({ text: 'Done.' });
  });

  test('where Discord wants it woken first, it is woken and the message sent once', async () => {
    const { fake, channel, address, outbound } = await withThread();
    fake.owner.archiveThread(channel);
    fake.faults.fail(/^POST .*\/messages$/, { status: 400, code: 50_083, message: 'Thread is archived' }, 1);
    await outbound.send({ id: 'a', address, text: 'Done.' });
    expect(fake.visible(channel).filter(({ text }) => text === 'Done.')).toHaveLength(1);
  });

  test('a locked one is left alone, archived or not, and nothing lands beside it', async () => {
    const { fake, general, channel, address, outbound } = await withThread();
    fake.owner.lockThread(channel);
    for (const id of ['archived', 'open']) {
      expect(await refusalOf(outbound.send({ id, address, text: 'Done.' }))).toMatchObject({
        code: 'channel-permission-denied',
        hint: expect.stringContaining('locked'),
      });
      fake.owner.unarchiveThread(channel);
    }
    expect(fake.journal.of(/^PATCH /)).toEqual([]);
    expect(fake.visible(general)).toHaveLength(1);
  });

  test('a deleted one is not found, and nothing lands beside it', async () => {
    const { fake, general, channel, address, outbound } = await withThread();
    fake.owner.deleteThread(channel);
    expect(await refusalOf(outbound.send({ id: 'a', address, text: 'Done.' }))).toMatchObject({
      code: 'channel-not-found',
    });
    expect(fake.visible(general)).toHaveLength(1);
  });

  test('the last look of a card is drawn by waking, editing and archiving; those before do not wake', async () => {
    const { fake, channel, address, outbound } = await withThread();
    const { messageId } = await outbound.send({ id: 'a', address, text: 'inner', card: card() });
    fake.owner.archiveThread(channel);
    const draw = (state: 'running' | 'succeeded') =>
      outbound.edit({ address, messageId }, { address, text: 'inner', card: card({ state }) });
    await draw('running');
    expect(fake.journal.of(/^PATCH \/channels\/\d+$/)).toEqual([]);
    fake.journal.clear();
    await draw('succeeded');
    expect(fake.visible(channel).at(-1)!.text).toContain('Done');
    expect(channel.thread!.isArchived).toBe(true);
    expect(
      fake.journal
        .of(/^PATCH/)
        .map(({ body, status }) => [(body as { archived?: boolean }).archived, status]),
    ).toEqual([
      [undefined, 400],
      [false, 200],
      [undefined, 200],
      [true, 200],
    ]);
  });

  test('a card in a thread that people locked stays as it is', async () => {
    const { fake, channel, address, outbound } = await withThread();
    const { messageId } = await outbound.send({ id: 'a', address, text: 'inner', card: card() });
    fake.owner.lockThread(channel);
    const done = { address, text: 'inner', card: card({ state: 'succeeded' }) };
    expect(await refusalOf(outbound.edit({ address, messageId }, done))).toMatchObject({
      code: 'channel-permission-denied',
    });
    expect(channel.thread!.isArchived).toBe(true);
  });
});

describe('Q6 forum and media channels', () => {
  async function withForum(spec: { type?: 'forum' | 'media'; needsTag?: boolean } = {}) {
    const set = await discordOutbound();
    const { type = 'forum', needsTag = false } = spec;
    const forum = set.fake.addChannel(set.guild, { name: 'ideas', type, tags: ['work', 'play'], needsTag });
    return { ...set, forum, address: at(forum), posts: () => threadsOf(set.fake, forum) };
  }

  test.each(['forum', 'media'] as const)(
    'in a %s channel a card becomes a post, and its thread is the post',
    async (type) => {
      const { fake, address, outbound, posts } = await withForum({ type });
      const { messageId } = await outbound.send({ id: 'a', address, text: 'notes', card: card() });
      const { thread } = await outbound.openThread({ address, messageId }, 'notes');
      const [post] = posts();
      expect(post).toMatchObject({ id: thread, name: 'notes', thread: { autoArchiveMinutes: 10_080 } });
      expect(thread).toBe(messageId);
      await outbound.send({ id: 'b', address: threadAddress(address, thread), text: 'Hello' });
      const done = card({ state: 'succeeded', actions: [] });
      await outbound.edit({ address, messageId }, { address, text: 'notes', card: done });
      expect(fake.visible(post!).map(({ text }) => text)).toEqual(['✅ **notes** · Done', 'Hello']);
    },
  );

  test('after a restart the card is still found and drawn, and its thread too', async () => {
    const { fake, address, outbound, start, posts } = await withForum();
    const { messageId } = await outbound.send({ id: 'a', address, text: 'notes', card: card() });
    expect(await start().openThread({ address, messageId }, 'notes')).toEqual({ thread: messageId });
    await start().edit({ address, messageId }, { address, text: 'x', card: card({ state: 'failed' }) });
    expect(fake.visible(posts()[0]!)[0]!.text).toContain('Failed');
  });

  test('a forum that wants a tag gets its first one', async () => {
    const { forum, address, outbound, posts } = await withForum({ needsTag: true });
    await outbound.send({ id: 'a', address, text: 'Plan\nand more' });
    expect(posts()[0]!.thread!.tags).toEqual([forum.tags[0]!.id]);
  });

  test('F6 a post has a name of 1 to 100 characters that rings nobody', async () => {
    const { address, outbound, posts } = await withForum();
    const labels = ['x'.repeat(101), `${'y'.repeat(99)}😀`, '///', ' \n ', '<@1> @everyone plan'];
    for (const label of labels) {
      await outbound.send({ id: label, address, text: '**?**', card: card({ label }) });
    }
    const names = posts().map(({ name }) => name);
    expect(names).toHaveLength(labels.length);
    for (const name of names) {
      expect(name.length).toBeGreaterThan(0);
      expect(name.length).toBeLessThanOrEqual(100);
      expect(name.isWellFormed()).toBe(true);
      expect(name).not.toMatch(/@/);
    }
  });

  test.each(['cutAfter', 'cutBefore'] as const)(
    'D7 after an unknown outcome (%s) there is one post, also for a new process',
    async (fault) => {
      for (const isNew of [false, true]) {
        const { fake, address, outbound, start, posts } = await withForum();
        const part = { id: 'a', address, text: 'notes', card: card() };
        fake.faults[fault](OPEN, 1);
        expect(await refusalOf(outbound.send(part))).toMatchObject({ code: 'channel-unreachable' });
        const next = isNew ? start() : outbound;
        const { messageId } = (await next.findSent(part)) ?? (await next.send(part));
        expect(await next.send(part)).toEqual({ messageId });
        expect(posts().map(({ id }) => id)).toEqual([messageId]);
      }
    },
  );

  test('two parts of the same name are two posts', async () => {
    const { fake, address, outbound, posts } = await withForum();
    await outbound.send({ id: 'a', address, text: 'notes', card: card() });
    fake.faults.cutBefore(OPEN, 1);
    const second = { id: 'b', address, text: 'notes', card: card() };
    await refusalOf(outbound.send(second));
    await outbound.send(second);
    expect(posts()).toHaveLength(2);
  });

  test('F5 a first message that is too long is refused before anything is made', async () => {
    const { fake, address, outbound, posts } = await withForum();
    const work = outbound.send({ id: 'a', address, text: 'x'.repeat(4_500) });
    expect(await refusalOf(work)).toMatchObject({ code: 'channel-invalid' });
    expect([posts(), fake.journal.entries]).toEqual([[], []]);
  });

  test('what is a day old is forgotten at the next start', async () => {
    const now = { at: Date.now() };
    const set = await discordOutbound({ now: () => now.at });
    const forum = set.fake.addChannel(set.guild, { name: 'ideas', type: 'forum' });
    await set.outbound.send({ id: 'a', address: at(forum), text: 'notes' });
    await set.outbound.cleanUp();
    expect(await set.memory.list('post:')).toHaveLength(1);
    now.at += 25 * 60 * 60_000;
    await set.outbound.cleanUp();
    expect(await set.memory.list('post:')).toEqual([]);
  });
});
