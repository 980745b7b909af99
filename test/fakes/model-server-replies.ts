/** The replies that a test can script, and how each looks on the wire. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatBody } from './model-server-validation.ts';

export interface FakeUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

export interface FakeToolCall {
  readonly id?: string;
  readonly name: string;
  /** A string is sent as it is, so that it can be malformed. */
  readonly arguments: unknown;
}

export type FakeReply =
  /** `chunks` instead of one delta a word; `delayMs` before each. */
  | {
      readonly type: 'text';
      readonly text: string;
      readonly chunks?: readonly string[];
      readonly delayMs?: number;
      readonly finishReason?: string;
      readonly usage?: FakeUsage;
    }
  | {
      readonly type: 'tool-calls';
      readonly calls: readonly FakeToolCall[];
      readonly text?: string;
      /** `tool_calls` when left out; some servers say `stop`. */
      readonly finishReason?: string;
      readonly usage?: FakeUsage;
    }
  /** `body`: an object is sent as JSON, a string as it is. */
  | {
      readonly type: 'error';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An error inside a stream that began well. */
  | { readonly type: 'error-in-stream'; readonly text?: string; readonly error: unknown }
  /** The connection is reset after `text`, or before any byte when there is none. */
  | { readonly type: 'cut'; readonly text?: string; readonly calls?: readonly FakeToolCall[] }
  /** The stream ends properly as HTTP, but without a finish reason. */
  | { readonly type: 'ends-early'; readonly text?: string; readonly calls?: readonly FakeToolCall[] }
  /** Nothing comes after `text`, not even the headers when there is none; with `keepAlive`, comments do. */
  | { readonly type: 'stall'; readonly text?: string; readonly keepAliveMs?: number }
  /** Raw bytes as an event stream. */
  | { readonly type: 'raw'; readonly lines: readonly string[] };

type Delta = Record<string, unknown>;

function write(response: ServerResponse, value: unknown): void {
  response.write(`data: ${JSON.stringify(value)}\n\n`);
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

function chunk(body: ChatBody, delta: Delta, finishReason: string | null = null): Delta {
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 0,
    model: body.model,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function words(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function callDeltas(calls: readonly FakeToolCall[]): readonly Delta[] {
  return calls.flatMap((call, index) => {
    const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const half = Math.floor(text.length / 2);
    const id = call.id ?? `call_fake_${index}`;
    return [
      { tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(half) } }] },
    ];
  });
}

function finish(response: ServerResponse, body: ChatBody, reason: string, usage: FakeUsage): void {
  write(response, chunk(body, {}, reason));
  if (body.stream_options?.include_usage) {
    write(response, {
      ...chunk(body, {}),
      choices: [],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
      },
    });
  }
  response.end('data: [DONE]\n\n');
}

function sendPart(
  response: ServerResponse,
  body: ChatBody,
  part: { readonly text?: string; readonly calls?: readonly FakeToolCall[] },
): void {
  openStream(response);
  response.flushHeaders();
  if (part.text !== undefined) write(response, chunk(body, { role: 'assistant', content: part.text }));
  // Half a call: its last delta is missing.
  for (const delta of callDeltas(part.calls ?? []).slice(0, -1)) write(response, chunk(body, delta));
}

function cut(response: ServerResponse): void {
  const socket = response.socket;
  // What was written goes out first; then the connection breaks.
  setImmediate(() => socket?.resetAndDestroy());
}

function sendError(response: ServerResponse, reply: Extract<FakeReply, { type: 'error' }>): void {
  const isText = typeof reply.body === 'string';
  const text = isText
    ? String(reply.body)
    : JSON.stringify(reply.body ?? { error: { message: 'scripted error' } });
  response
    .writeHead(reply.status, { 'content-type': isText ? 'text/plain' : 'application/json', ...reply.headers })
    .end(text);
}

async function sendText(
  response: ServerResponse,
  body: ChatBody,
  reply: Extract<FakeReply, { type: 'text' }>,
): Promise<void> {
  openStream(response);
  for (const content of reply.chunks ?? words(reply.text)) {
    if (reply.delayMs) await pause(reply.delayMs);
    if (response.destroyed) return;
    write(response, chunk(body, { role: 'assistant', content }));
  }
  finish(response, body, reply.finishReason ?? 'stop', reply.usage ?? { input: 10, output: 5 });
}

function stall(response: ServerResponse, body: ChatBody, reply: Extract<FakeReply, { type: 'stall' }>): void {
  if (reply.text !== undefined || reply.keepAliveMs !== undefined) sendPart(response, body, reply);
  if (reply.keepAliveMs === undefined) return;
  const timer = setInterval(() => response.write(': still here\n\n'), reply.keepAliveMs);
  response.on('close', () => clearInterval(timer));
}

export async function sendReply(response: ServerResponse, body: ChatBody, reply: FakeReply): Promise<void> {
  if (response.destroyed) return;
  switch (reply.type) {
    case 'text':
      return sendText(response, body, reply);
    case 'tool-calls':
      openStream(response);
      if (reply.text) write(response, chunk(body, { role: 'assistant', content: reply.text }));
      for (const delta of callDeltas(reply.calls)) write(response, chunk(body, delta));
      return finish(
        response,
        body,
        reply.finishReason ?? 'tool_calls',
        reply.usage ?? { input: 10, output: 5 },
      );
    case 'error':
      return sendError(response, reply);
    case 'error-in-stream':
      sendPart(response, body, reply);
      write(response, { error: reply.error });
      response.end('data: [DONE]\n\n');
      return;
    case 'cut':
      if (reply.text !== undefined || reply.calls) sendPart(response, body, reply);
      return cut(response);
    case 'ends-early':
      sendPart(response, body, reply);
      response.end();
      return;
    case 'stall':
      return stall(response, body, reply);
    case 'raw':
      openStream(response);
      response.end(reply.lines.map((line) => `${line}\n`).join(''));
  }
}
