/**
 * Skein as a person runs it: a process of its own, started by its launcher, spoken to over its HTTP API. It can be killed
 * and started again on the same state folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

const launcher = fileURLToPath(new URL('../../bin/skein.js', import.meta.url));

export interface Message {
  readonly id: string;
  readonly seq: number;
  readonly thread?: string;
  readonly author: { readonly kind: 'user' | 'bot'; readonly name: string };
  readonly text: string;
  readonly card?: { readonly state: string; readonly thread?: string; readonly runId: string };
}

export interface Thread {
  readonly id: string;
  readonly title: string;
  readonly boundTo?: string;
  readonly idleLeftMs?: number;
  readonly maxAgeLeftMs?: number;
  readonly archived: boolean;
}

export interface Sent {
  readonly messageId: string;
  readonly sessionKey?: string;
  readonly runId?: string;
}

export interface SkeinProcess {
  /** Without the token. */
  readonly url: string;
  /** With the token, as printed. */
  readonly pageUrl: string;
  readonly pid: number;
  /** Everything it wrote so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  request(path: string, init?: RequestInit): Promise<Response>;
  say(
    text: string,
    where?: { conversation?: string; thread?: string; user?: string; id?: string },
  ): Promise<Sent>;
  messages(where?: { conversation?: string; thread?: string }): Promise<readonly Message[]>;
  threads(conversation?: string): Promise<readonly Thread[]>;
  tool(name: string, session: string, args: Record<string, unknown>): Promise<Response>;
  /** Texts of the bot's messages at that place, oldest first. */
  replies(where?: { conversation?: string; thread?: string }): Promise<readonly string[]>;
  waitForReply(
    matching: RegExp,
    where?: { conversation?: string; thread?: string },
    withinMs?: number,
  ): Promise<string>;
  /** The one thread of the conversation, once it is bound. */
  waitForThread(conversation?: string): Promise<Thread>;
  /** Whether it ends by itself within that time. */
  endsWithin(ms: number): Promise<boolean>;
  /** As a crash would end it; resolves when the process is gone. */
  kill(): Promise<void>;
  /** As a service manager would end it; resolves with the exit code. */
  terminate(): Promise<number | null>;
}

export interface StartOptions {
  readonly home: string;
  /** What to run instead of the launcher: a script that prints the same line. */
  readonly script?: string;
  readonly args?: readonly string[];
  /** A command that ends by running the one that follows it in its place. */
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Resolves with the process even if it ends before it is ready. */
  readonly mayEndEarly?: boolean;
}

export async function startSkein(options: StartOptions): Promise<SkeinProcess> {
  const { home, script = launcher, args = ['start'], env = {} } = options;
  const [program, ...words] = [...(options.through ?? []), process.execPath, script, ...args];
  const child: ChildProcess = spawn(program!, words, {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, SKEIN_HOME: home, SKEIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await until(
    () =>
      /http:\/\/\S+/.test(stdout) || (hasEnded && (options.mayEndEarly || Promise.reject(new Error(stderr)))),
    { what: 'Skein prints its address', withinMs: 20_000 },
  );
  const pageUrl = /http:\/\/\S+/.exec(stdout)?.[0] ?? '';
  const page = pageUrl === '' ? undefined : new URL(pageUrl);
  const url = page?.origin ?? '';
  const token = page?.searchParams.get('token') ?? '';

  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    });
  const json = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const response = await request(path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const query = (where: { conversation?: string; thread?: string }) =>
    new URLSearchParams({ conversation: 'general', limit: '500', ...where }).toString();

  const messages: SkeinProcess['messages'] = async (where = {}) =>
    (await json<{ messages: Message[] }>(`/api/webchat/messages?${query(where)}`)).messages;
  const replies: SkeinProcess['replies'] = async (where) =>
    (await messages(where)).filter(({ author }) => author.kind === 'bot').map(({ text }) => text);
  const threads: SkeinProcess['threads'] = async (conversation = 'general') =>
    (await json<{ threads: Thread[] }>(`/api/webchat/threads?conversation=${conversation}`)).threads;

  return {
    url,
    pageUrl,
    pid: child.pid!,
    output: () => ({ stdout, stderr }),
    request,
    messages,
    replies,
    threads,
    say: (text, where = {}) =>
      json('/api/webchat/messages', {
        method: 'POST',
        body: JSON.stringify({ conversation: 'general', ...where, text }),
      }),
    tool: (name, session, args) =>
      request(`/api/tools/${name}`, { method: 'POST', body: JSON.stringify({ session, arguments: args }) }),
    waitForReply: (matching, where, withinMs = 10_000) =>
      until(async () => (await replies(where)).find((text) => matching.test(text)), {
        what: `a reply matching ${matching}`,
        withinMs,
        seen: () => replies(where),
      }),
    waitForThread: (conversation) =>
      until(async () => (await threads(conversation)).find((thread) => thread.boundTo !== undefined), {
        what: 'a bound thread',
      }),
    endsWithin: (ms) => Promise.race([ended.then(() => true), pause(ms, false, { ref: false })]),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async terminate() {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}
