/**
 * A model provider to test against: speaks OpenAI's chat completions and Ollama's model list over real HTTP, answers what
 * the test scripts, keeps a journal, and is as strict about the conversation as the strictest provider.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeReply, sendReply } from './model-server-replies.ts';
import { type ChatBody, findViolations } from './model-server-validation.ts';

export type { FakeReply } from './model-server-replies.ts';
export type { ChatBody, ChatMessage } from './model-server-validation.ts';

export interface JournalEntry {
  /** Epoch milliseconds, taken when the whole body had arrived. */
  readonly at: number;
  /** The same moment in milliseconds of the machine's monotonic clock, which all processes on it share. */
  readonly arrivedAt: number;
  /** When the whole reply had been written, on the same clock. */
  answeredAt?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ChatBody;
}

/** `n` counts chat requests from 0. */
export type ReplyHandler = (body: ChatBody, n: number) => FakeReply | Promise<FakeReply>;

export interface FakeModelServer {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** Without: where Ollama's own API begins. */
  readonly rootUrl: string;
  /** Chat requests in order of arrival. */
  readonly requests: readonly JournalEntry[];
  /** What a strict provider would have refused; a test that is not about refusals asserts that it is empty. */
  readonly violations: readonly string[];
  /** How many times a list of models was asked for. */
  readonly listings: number;
  /** Answers every following chat request; replaces the handler before. */
  reply(handler: ReplyHandler): void;
  /** The models that are listed. */
  install(models: readonly string[]): void;
  /** From now on no chat request is answered until `release`. */
  hold(): void;
  /** Lets the oldest `count` held requests go on (all by default, which also ends the holding). */
  release(count?: number): void;
  /** Resolves when `count` chat requests have arrived in all; rejects after `withinMs`. */
  waitForRequests(count: number, withinMs?: number): Promise<readonly JournalEntry[]>;
  /** Resolves when the client has closed `count` connections before their reply was complete. */
  waitForHangUps(count: number, withinMs?: number): Promise<void>;
  close(): Promise<void>;
}

interface Waiter {
  readonly isDone: () => boolean;
  readonly resolve: () => void;
}

const DEFAULT_REPLY: FakeReply = { type: 'text', text: 'ok' };

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A request as `GET /journal` tells it: when it came and was answered, and with which last words. */
export interface JournalLine {
  readonly arrivedAt: number;
  readonly answeredAt?: number;
  readonly lastRole: string;
  readonly lastText: string;
}

function journalLine({ arrivedAt, answeredAt, body }: JournalEntry): JournalLine {
  const last = body.messages.at(-1);
  const lastText = textOf(last?.content);
  return { arrivedAt, ...(answeredAt !== undefined && { answeredAt }), lastRole: last?.role ?? '', lastText };
}

/** Content is a text, or a list of parts. */
export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function createFakeModelServer(): Promise<FakeModelServer> {
  const requests: JournalEntry[] = [];
  const violations: string[] = [];
  const waiters = new Set<Waiter>();
  const held: (() => void)[] = [];
  let handler: ReplyHandler = () => DEFAULT_REPLY;
  let models: readonly string[] = ['fake-model'];
  let isHolding = false;
  let listings = 0;
  let hangUps = 0;

  const notify = () => {
    for (const waiter of waiters) if (waiter.isDone()) waiter.resolve();
  };
  const until = (what: string, isDone: () => boolean, withinMs: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        reject(new Error(`The fake model server waited ${withinMs} ms in vain for ${what}`));
      }, withinMs);
      const waiter: Waiter = {
        isDone,
        resolve: () => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve();
        },
      };
      waiters.add(waiter);
      notify();
    });

  const chat = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readBody(request);
    const arrivedAt = monotonicMs();
    const body = JSON.parse(text) as ChatBody;
    const n = requests.length;
    const { url: path = '', headers } = request;
    const entry: JournalEntry = { at: Date.now(), arrivedAt, path, headers, body };
    requests.push(entry);
    response.on('finish', () => {
      entry.answeredAt = monotonicMs();
    });
    response.on('close', () => {
      if (!response.writableFinished) hangUps += 1;
      notify();
    });
    notify();
    const found = findViolations(body);
    if (found.length > 0) {
      violations.push(...found.map((violation) => `request ${n}: ${violation}`));
      sendJson(response, 400, {
        error: { message: found.join('; '), type: 'invalid_request_error', code: null },
      });
      return;
    }
    if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
    await sendReply(response, body, await handler(body, n));
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?')[0];
    if (request.method === 'POST' && path === '/v1/chat/completions') return chat(request, response);
    if (path === '/v1/models') {
      listings += 1;
      return sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) });
    }
    if (path === '/api/tags') {
      listings += 1;
      return sendJson(response, 200, { models: models.map((name) => ({ name, model: name })) });
    }
    if (path === '/journal') {
      const after = Number(new URL(request.url ?? '', rootUrl).searchParams.get('after') ?? 0);
      return sendJson(response, 200, { violations, requests: requests.slice(after).map(journalLine) });
    }
    return sendJson(response, 404, { error: { message: `no such page: ${path}` } });
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      violations.push(`the fake failed: ${String(thrown)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rootUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    baseUrl: `${rootUrl}/v1`,
    rootUrl,
    requests,
    violations,
    get listings() {
      return listings;
    },
    reply: (next) => {
      handler = next;
    },
    install: (next) => {
      models = next;
    },
    hold: () => {
      isHolding = true;
    },
    release: (count) => {
      if (count === undefined) isHolding = false;
      for (const go of held.splice(0, count ?? held.length)) go();
    },
    async waitForRequests(count, withinMs = 10_000) {
      await until(`request ${count}`, () => requests.length >= count, withinMs);
      return requests;
    },
    waitForHangUps: (count, withinMs = 10_000) => until(`hang-up ${count}`, () => hangUps >= count, withinMs),
    async close() {
      for (const go of held.splice(0)) go();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
