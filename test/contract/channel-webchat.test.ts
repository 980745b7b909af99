/** The web chat keeps what the channel port promises, on the store in memory and on the real one. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSystemClock } from '../../adapters/node/index.ts';
import { createSqliteChatStore, openDatabase } from '../../adapters/sql/index.ts';
import type { Address } from '../../src/core/address.ts';
import type { RunCard } from '../../src/core/card.ts';
import type { Inbound } from '../../src/core/message.ts';
import { NO_USAGE } from '../../src/core/run.ts';
import type { InboundReceipt } from '../../src/ports/channel.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import { createMemoryChatStore } from '../fakes/memory-chat-store.ts';
import { openEvents } from '../support/event-stream.ts';
import { silentLog } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { scriptedHandlers, startWebchat, TOKEN } from '../support/webchat-server.ts';

async function sqliteStore(): Promise<ChatStore> {
  const path = join(tempDir(), 'skein.sqlite');
  const database = await openDatabase({
    path,
    synchronous: 'normal',
    clock: createSystemClock(),
    log: silentLog,
  });
  onTestFinished(() => database.close());
  return createSqliteChatStore(database);
}

const bearer = { authorization: `Bearer ${TOKEN}` };

function at(conversation: string, thread?: string): Address {
  return {
    channel: 'webchat',
    account: 'default',
    chatType: 'channel',
    conversation,
    ...(thread !== undefined && { thread }),
  };
}

const CARD: RunCard = {
  runId: 'r',
  agent: 'main',
  label: 'tea',
  state: 'running',
  usage: NO_USAGE,
  activeChildren: 0,
  actions: [],
};

describe.each([
  { name: 'memory', openStore: async () => createMemoryChatStore() },
  { name: 'SQLite', openStore: sqliteStore },
])('the web chat on the store in $name', ({ openStore }) => {
  const start = async (options: Omit<Parameters<typeof startWebchat>[0] & object, 'store'> = {}) =>
    startWebchat({ store: await openStore(), ...options });

  const textsIn = async (chat: Awaited<ReturnType<typeof start>>, query: string) => {
    const response = await chat.call(`/api/webchat/messages?${query}`);
    return ((await response.json()) as { messages: { text: string }[] }).messages.map(({ text }) => text);
  };

  describe('what Skein says', () => {
    it('is shown once, however often the part is sent', async () => {
      const chat = await start();
      const part = { id: 'op:run_1:final/0', address: at('general'), text: 'hello' };
      expect(await chat.adapter.findSent(part)).toBeUndefined();
      const [first, second] = await Promise.all([chat.adapter.send(part), chat.adapter.send(part)]);
      expect(second).toEqual(first);
      expect(await chat.adapter.findSent(part)).toEqual(first);
      expect(first.messageId).toMatch(/^[a-z0-9][a-z0-9_-]{0,63}$/);
      expect(await textsIn(chat, 'conversation=general')).toEqual(['hello']);
    });

    it('never lands in the channel when its thread does not exist', async () => {
      const chat = await start();
      const part = { id: 'a', address: at('general', 'gone'), text: 'lost' };
      await expect(chat.adapter.send(part)).rejects.toMatchObject({ code: 'channel-not-found' });
      expect(await textsIn(chat, 'conversation=general')).toEqual([]);
    });

    it('does not go into a thread of another conversation', async () => {
      const chat = await start();
      const { messageId } = await chat.adapter.send({ id: 'a', address: at('general'), text: 'x' });
      const { thread } = await chat.adapter.openThread({ address: at('general'), messageId }, 'T');
      await expect(
        chat.adapter.send({ id: 'b', address: at('other', thread), text: 'x' }),
      ).rejects.toMatchObject({
        code: 'channel-not-found',
      });
    });

    it('keeps its card through an edit, and refuses to edit what people wrote', async () => {
      const chat = await start();
      const { messageId } = await chat.adapter.send({
        id: 'a',
        address: at('general'),
        text: 'x',
        card: CARD,
      });
      const done: RunCard = { ...CARD, state: 'succeeded' };
      await chat.adapter.edit(
        { address: at('general'), messageId },
        { address: at('general'), text: 'y', card: done },
      );
      const response = await chat.call('/api/webchat/messages?conversation=general');
      expect(await response.json()).toMatchObject({
        messages: [{ id: messageId, text: 'y', card: { state: 'succeeded' } }],
      });
      await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'mine', id: 'mine' },
      });
      await expect(
        chat.adapter.edit(
          { address: at('general'), messageId: 'mine' },
          { address: at('general'), text: 'z' },
        ),
      ).rejects.toMatchObject({ code: 'channel-not-found' });
    });

    it('refuses a part that is longer than it said it takes', async () => {
      const { adapter } = await start();
      const text = 'x'.repeat(adapter.capabilities.maxTextLength + 1);
      await expect(adapter.send({ id: 'a', address: at('general'), text })).rejects.toMatchObject({
        code: 'channel-invalid',
      });
      await adapter.send({ id: 'b', address: at('general'), text: text.slice(1) });
    });
  });

  describe('threads', () => {
    it('are opened from a message once, and bear its id', async () => {
      const chat = await start();
      const { messageId } = await chat.adapter.send({ id: 'a', address: at('general'), text: 'card' });
      const anchor = { address: at('general'), messageId };
      expect(await chat.adapter.openThread(anchor, 'tea')).toEqual({ thread: messageId });
      expect(await chat.adapter.openThread(anchor, 'again')).toEqual({ thread: messageId });
      const response = await chat.call('/api/webchat/threads?conversation=general');
      expect(await response.json()).toEqual({
        threads: [{ id: messageId, conversation: 'general', title: 'tea', archived: false }],
      });
      expect(chat.adapter.capabilities.threadLink).toContain('/c/{conversation}/t/{thread}');
    });

    it('cannot be opened from nothing', async () => {
      const { adapter } = await start();
      await expect(
        adapter.openThread({ address: at('general'), messageId: 'no' }, 'T'),
      ).rejects.toMatchObject({
        code: 'channel-not-found',
      });
    });

    it('are opened by people too, with or without a message', async () => {
      const chat = await start();
      await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'first line\nsecond', id: 'm1' },
      });
      const open = (json: object) =>
        chat.call('/api/webchat/threads', { json: { conversation: 'general', ...json } });
      const fromMessage = await open({ messageId: 'm1' });
      expect(fromMessage.status).toBe(201);
      expect(await fromMessage.json()).toEqual({
        id: 'm1',
        conversation: 'general',
        title: 'first line',
        archived: false,
      });
      const again = await open({ messageId: 'm1', title: 'other' });
      expect(again.status).toBe(200);
      expect(await again.json()).toMatchObject({ id: 'm1', title: 'first line' });
      const plain = await open({ title: '  my   notes ' });
      expect(plain.status).toBe(201);
      const { id, title } = (await plain.json()) as { id: string; title: string };
      expect(title).toBe('my notes');
      await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', thread: id, text: 'inside', id: 'm2' },
      });
      expect((await open({ messageId: 'm2' })).status).toBe(400);
      expect((await open({ messageId: 'unknown' })).status).toBe(404);
      expect(
        (await chat.call('/api/webchat/threads', { json: { conversation: 'other', messageId: 'm1' } }))
          .status,
      ).toBe(404);
    });

    it('say what they are bound to and how long that holds', async () => {
      const handlers = {
        ...scriptedHandlers(),
        bindings: async () => [
          { thread: 'm1', sessionKey: 'agent:main:subagent:1', label: 'tea', idleLeftMs: 5, maxAgeLeftMs: 6 },
        ],
      };
      const chat = await start({ handlers });
      await chat.call('/api/webchat/messages', { json: { conversation: 'general', text: 'x', id: 'm1' } });
      await chat.call('/api/webchat/threads', { json: { conversation: 'general', messageId: 'm1' } });
      const response = await chat.call('/api/webchat/threads?conversation=general');
      expect(await response.json()).toMatchObject({
        threads: [
          { id: 'm1', boundTo: 'agent:main:subagent:1', label: 'tea', idleLeftMs: 5, maxAgeLeftMs: 6 },
        ],
      });
    });
  });

  describe('what people write', () => {
    it('is stored, handed over with its place and sender, and answered with where it went', async () => {
      const handlers = scriptedHandlers();
      const chat = await start({ handlers });
      const response = await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'hi', id: 'm1' },
      });
      expect(response.status).toBe(202);
      expect(await response.json()).toEqual({
        messageId: 'm1',
        sessionKey: 'agent:main:webchat:channel:general',
        runId: 'run_m1',
      });
      await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', user: 'ada', text: 'hello' },
      });
      expect(handlers.received).toMatchObject([
        {
          eventId: 'm1',
          address: at('general'),
          sender: { id: 'owner', isBot: false },
          text: 'hi',
          source: 'message',
          isAddressed: true,
        },
        { sender: { id: 'ada', name: 'ada' }, text: 'hello' },
      ]);
      expect(chat.adapter.capabilities.owners).toEqual(['owner']);
    });

    it('has one effect when it is posted twice under the same id, also at the same time', async () => {
      const handlers = scriptedHandlers();
      const chat = await start({ handlers });
      const post = () =>
        chat.call('/api/webchat/messages', { json: { conversation: 'general', text: 'hi', id: 'm1' } });
      const answers = await Promise.all([post(), post()].map(async (answer) => (await answer).json()));
      expect(answers[1]).toEqual(answers[0]);
      expect(await (await post()).json()).toEqual(answers[0]);
      expect(await textsIn(chat, 'conversation=general')).toEqual(['hi']);
      expect(new Set(handlers.received.map(({ eventId }) => eventId))).toEqual(new Set(['m1']));
    });

    it('has one effect also when its text holds half a surrogate pair, which is replaced', async () => {
      const chat = await start({ handlers: scriptedHandlers() });
      const json = { conversation: 'general', text: 'a\ud83d', id: 'm1' };
      expect((await chat.call('/api/webchat/messages', { json })).status).toBe(202);
      expect((await chat.call('/api/webchat/messages', { json })).status).toBe(202);
      expect(await textsIn(chat, 'conversation=general')).toEqual(['a\ufffd']);
    });

    it.each([{ text: 'other' }, { user: 'ada' }, { conversation: 'elsewhere' }])(
      'is refused with 409 when its id already belongs to another message (%j)',
      async (change) => {
        const handlers = scriptedHandlers();
        const chat = await start({ handlers });
        const json = { conversation: 'general', text: 'hi', id: 'm1' };
        await chat.call('/api/webchat/messages', { json });
        const response = await chat.call('/api/webchat/messages', { json: { ...json, ...change } });
        expect(response.status).toBe(409);
        expect(await response.json()).toMatchObject({ error: { code: 'id_in_use' } });
        expect(handlers.received).toHaveLength(1);
      },
    );

    it('cannot take the place of an answer of ours', async () => {
      const chat = await start();
      const { messageId } = await chat.adapter.send({ id: 'a', address: at('general'), text: 'x' });
      const response = await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'x', id: messageId },
      });
      expect(response.status).toBe(409);
    });

    it('is offered again after a crash between storing and handing over', async () => {
      const store = await openStore();
      await store.addMessage({
        id: 'm1',
        conversation: 'general',
        author: { kind: 'user', name: 'ada' },
        text: 'before the crash',
        at: 1,
        needsAdmission: true,
      });
      const handlers = scriptedHandlers();
      await startWebchat({ store, handlers });
      expect(handlers.received).toMatchObject([
        { eventId: 'm1', sender: { id: 'ada' }, text: 'before the crash', at: 1 },
      ]);
      expect(await store.unadmitted()).toEqual([]);
    });

    it('is offered again when handing it over failed, and not lost', async () => {
      let attempts = 0;
      const handlers = scriptedHandlers(async () => {
        attempts++;
        if (attempts === 1) throw new Error('the database is busy');
        return { status: 'admitted', sessionKey: 'agent:main:main', runId: 'run_1' };
      });
      const chat = await start({ handlers });
      const response = await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'hi', id: 'm1' },
      });
      expect(response.status).toBe(202);
      expect(await response.json()).toEqual({ messageId: 'm1' });
      await expect.poll(() => chat.store.unadmitted(), { timeout: 5_000 }).toEqual([]);
      expect(attempts).toBe(2);
    });

    it('is not held up by an older one that cannot be handed over', async () => {
      const store = await openStore();
      const author = { kind: 'user', name: 'owner' } as const;
      for (const id of ['bad', 'good']) {
        await store.addMessage({
          id,
          conversation: 'general',
          author,
          text: id,
          at: 1,
          needsAdmission: true,
        });
      }
      const handlers = scriptedHandlers(async ({ eventId }) => {
        if (eventId === 'bad') throw new Error('not this one');
        return { status: 'admitted', sessionKey: 'agent:main:main', runId: 'run_1' };
      });
      await startWebchat({ store, handlers });
      expect((await store.unadmitted()).map(({ id }) => id)).toEqual(['bad']);
    });

    it('answers a command where it was given, once', async () => {
      const handlers = scriptedHandlers(async (message): Promise<InboundReceipt> => {
        await message.reply({ text: 'done' });
        await message.reply({ text: 'done' });
        return { status: 'command', command: 'status' };
      });
      const chat = await start({ handlers });
      const response = await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: '/status' },
      });
      expect(await response.json()).toMatchObject({ command: 'status' });
      expect(await textsIn(chat, 'conversation=general')).toEqual(['/status', 'done']);
    });

    it('shows nothing for a pressed button but its answer', async () => {
      const handlers = scriptedHandlers(async (message): Promise<InboundReceipt> => {
        await message.reply({ text: 'stopped' });
        return { status: 'command', command: 'stop' };
      });
      const chat = await start({ handlers });
      await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: '/stop', via: 'button', id: 'b1' },
      });
      expect(handlers.received).toMatchObject([{ source: 'button', text: '/stop', eventId: 'b1' }]);
      expect(await textsIn(chat, 'conversation=general')).toEqual(['stopped']);
    });

    it('says why a message was dropped', async () => {
      const handlers = scriptedHandlers(async () => ({ status: 'dropped', reason: 'not-allowed' }));
      const chat = await start({ handlers });
      const response = await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'x' },
      });
      expect(await response.json()).toMatchObject({ dropped: 'not-allowed' });
    });

    it.each([
      [{ text: 'x' }, 400, /^conversation:/],
      [{ conversation: 'No', text: 'x' }, 400, /^conversation: expected 1 to 64/],
      [{ conversation: 'general' }, 400, /^text:/],
      [{ conversation: 'general', text: ' \n' }, 400, /^text:.*not empty/],
      [{ conversation: 'general', text: 7 }, 400, /^text:/],
      [{ conversation: 'general', text: 'x', id: 'A' }, 400, /^id:/],
      [{ conversation: 'general', text: 'x', user: 'a b' }, 400, /^user:/],
      [{ conversation: 'general', text: 'x', user: 'owner' }, 400, /^user:.*reserved/],
      [{ conversation: 'general', text: 'x', tread: 't' }, 400, /"tread"/],
      [{ conversation: 'general', text: 'hi', via: 'button' }, 400, /^text:.*command/],
      [{ conversation: 'general', text: 'x', thread: 'nothing' }, 404, /^thread:/],
      [{ conversation: 'general', text: 'x'.repeat(100_001) }, 413, /^text:/],
      [[], 400, /object/],
    ])('refuses %j with %i and names the field', async (json, status, message) => {
      const handlers = scriptedHandlers();
      const chat = await start({ handlers });
      const response = await chat.call('/api/webchat/messages', { json });
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        error: { code: expect.any(String), message: expect.stringMatching(message) },
      });
      expect(handlers.received).toEqual([]);
      expect(await textsIn(chat, 'conversation=general')).toEqual([]);
    });

    it('is not taken after the chat was stopped', async () => {
      const chat = await start();
      await chat.adapter.stop();
      const response = await chat.call('/api/webchat/messages', {
        json: { conversation: 'general', text: 'x' },
      });
      expect(response.status).toBe(503);
    });
  });

  describe('reading', () => {
    it('gives the newest messages, or those after a number', async () => {
      const chat = await start();
      for (const text of ['a', 'b', 'c'])
        await chat.call('/api/webchat/messages', { json: { conversation: 'general', text } });
      expect(await textsIn(chat, 'conversation=general&limit=2')).toEqual(['b', 'c']);
      const response = await chat.call('/api/webchat/messages?conversation=general&limit=1');
      const { messages } = (await response.json()) as { messages: Record<string, unknown>[] };
      expect(messages).toEqual([
        {
          id: expect.any(String),
          seq: expect.any(Number),
          conversation: 'general',
          author: { kind: 'user', name: 'owner' },
          text: 'c',
          at: expect.any(Number),
        },
      ]);
      const after = Number(messages[0]!.seq) - 2;
      expect(await textsIn(chat, `conversation=general&after=${after}`)).toEqual(['b', 'c']);
    });

    it('refuses wrong queries and unknown threads', async () => {
      const chat = await start();
      for (const query of [
        '',
        'conversation=A',
        'conversation=a&after=-1',
        'conversation=a&limit=0',
        'conversation=a&after=x',
      ]) {
        expect((await chat.call(`/api/webchat/messages?${query}`)).status).toBe(400);
      }
      expect((await chat.call('/api/webchat/messages?conversation=a&thread=t')).status).toBe(404);
    });

    it('lists conversations in the order of their first use, and completes commands', async () => {
      const handlers = {
        ...scriptedHandlers(),
        complete: async ({ address, text }: Inbound) => [
          { text: `${text}us `, label: address.conversation, summary: 's' },
        ],
      };
      const chat = await start({ handlers });
      for (const conversation of ['b', 'a', 'b'])
        await chat.call('/api/webchat/messages', { json: { conversation, text: 'x' } });
      expect(await (await chat.call('/api/webchat/conversations')).json()).toEqual({
        conversations: ['b', 'a'],
      });
      const response = await chat.call(
        `/api/webchat/commands?conversation=a&text=${encodeURIComponent('/stat')}`,
      );
      expect(await response.json()).toEqual({
        completions: [{ text: '/status ', label: 'a', summary: 's' }],
      });
    });
  });

  describe('the event stream', () => {
    const stream = (chat: Awaited<ReturnType<typeof start>>, query = '', headers = {}) =>
      openEvents(`${chat.url}/api/webchat/events${query}`, { ...bearer, ...headers });

    it('tells of messages, cards and threads, each with an id', async () => {
      const chat = await start();
      const events = await stream(chat);
      const { messageId } = await chat.adapter.send({
        id: 'a',
        address: at('general'),
        text: 'x',
        card: CARD,
      });
      await chat.adapter.openThread({ address: at('general'), messageId }, 'tea');
      await chat.adapter.edit(
        { address: at('general'), messageId },
        { address: at('general'), text: 'y', card: CARD },
      );
      const seen = [await events.next(), await events.next(), await events.next()];
      expect(seen.map(({ type }) => type)).toEqual(['message', 'thread', 'card']);
      expect(seen.every(({ id }) => Number(id) > 0)).toBe(true);
      expect(seen[0]!.data).toMatchObject({
        id: messageId,
        conversation: 'general',
        author: { kind: 'bot' },
        text: 'x',
      });
      expect(seen[1]!.data).toEqual({
        id: messageId,
        conversation: 'general',
        title: 'tea',
        archived: false,
      });
      expect(seen[2]!.data).toMatchObject({ id: messageId, text: 'y' });
    });

    it('goes on behind the last event that a client has seen, with none missing', async () => {
      const chat = await start();
      const first = await stream(chat);
      await chat.adapter.send({ id: '0', address: at('general'), text: '0' });
      const { id } = await first.next();
      first.close();
      for (let i = 1; i <= 250; i++)
        await chat.adapter.send({ id: `${i}`, address: at('general'), text: `${i}` });
      for (const resumed of [
        await stream(chat, '', { 'last-event-id': id! }),
        await stream(chat, `?lastEventId=${id}`),
      ]) {
        for (let i = 1; i <= 250; i++) expect((await resumed.next()).data.text).toBe(`${i}`);
      }
    });

    it('begins anew for a client that knows another store’s events', async () => {
      const chat = await start();
      const events = await stream(chat, '?lastEventId=999');
      expect((await events.next()).type).toBe('reset');
      await chat.adapter.send({ id: 'a', address: at('general'), text: 'x' });
      expect((await events.next()).data.text).toBe('x');
    });

    it('can be narrowed to one conversation', async () => {
      const chat = await start();
      const events = await stream(chat, '?conversation=b');
      await chat.adapter.send({ id: '1', address: at('a'), text: 'not this' });
      chat.adapter.setTyping(at('a'), true);
      await chat.adapter.send({ id: '2', address: at('b'), text: 'this' });
      expect((await events.next()).data.text).toBe('this');
    });

    it('shows work under way without an id, to those who come later too, until it is over', async () => {
      const chat = await start();
      const events = await stream(chat);
      chat.adapter.setTyping(at('general'), true);
      chat.adapter.preview(at('general'), 'run_1', 'so far');
      expect([await events.next(), await events.next()]).toEqual([
        { type: 'typing', data: { conversation: 'general', working: true } },
        { type: 'delta', data: { conversation: 'general', runId: 'run_1', text: 'so far' } },
      ]);
      const later = await stream(chat);
      expect([(await later.next()).type, (await later.next()).type]).toEqual(['typing', 'delta']);
      await chat.adapter.send({ id: 'a', address: at('general'), text: 'final' });
      chat.adapter.setTyping(at('general'), false);
      expect((await events.next()).type).toBe('message');
      expect(await events.next()).toEqual({
        type: 'typing',
        data: { conversation: 'general', working: false },
      });
    });

    it('carries pieces of the page for those who ask, made harmless', async () => {
      const chat = await start();
      const events = await stream(chat, '?format=html');
      await chat.adapter.send({ id: 'a', address: at('general'), text: '<b>**x**' });
      const { data } = await events.next();
      expect(data.html).toContain('&lt;b&gt;<strong>x</strong>');
      expect(data.text).toBe('<b>**x**');
    });

    it('tells of a changed binding', async () => {
      const handlers = {
        ...scriptedHandlers(),
        bindings: async () => [{ thread: 'm1', sessionKey: 'k', label: 'tea' }],
      };
      const chat = await start({ handlers });
      await chat.call('/api/webchat/messages', { json: { conversation: 'general', text: 'x', id: 'm1' } });
      await chat.call('/api/webchat/threads', { json: { conversation: 'general', messageId: 'm1' } });
      const events = await stream(chat);
      chat.adapter.bindingChanged(at('general', 'm1'));
      expect(await events.next()).toEqual({
        type: 'thread',
        data: { id: 'm1', conversation: 'general', title: 'x', archived: false, boundTo: 'k', label: 'tea' },
      });
    });

    it('refuses a wrong query', async () => {
      const chat = await start();
      expect((await chat.call('/api/webchat/events?conversation=A')).status).toBe(400);
    });
  });
});
