/** The fake provider is as strict as it claims: each wrong conversation is refused and recorded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeModelServer, type FakeModelServer } from '../fakes/model-server.ts';

let server: FakeModelServer;
beforeEach(async () => {
  server = await createFakeModelServer();
});
afterEach(async () => {
  await server.close();
});

const post = (baseUrl: string, messages: readonly unknown[]) =>
  fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  });

const user = { role: 'user', content: 'hi' };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });

describe('the fake provider', () => {
  it.each<[string, readonly unknown[], RegExp]>([
    ['a call without a result at the end', [user, calls('a')], /a has no result/],
    [
      'a call without a result before the next message',
      [user, calls('a', 'b'), result('a'), user],
      /b has no result/,
    ],
    ['a result that nobody asked for', [user, result('a')], /no call before it made/],
    ['a second result', [user, calls('a'), result('a'), result('a')], /no call before it made/],
    ['a result behind another message', [user, calls('a'), user, result('a')], /a has no result/],
    ['a system message in the middle', [user, { role: 'system', content: 'x' }, user], /not the first/],
    ['an unknown role', [user, { role: 'toolResult', content: 'x' }], /unknown role/],
    ['doubled ids', [user, calls('a', 'a'), result('a')], /not unique/],
    [
      'arguments that are no object',
      [
        user,
        { ...calls('a'), tool_calls: [{ id: 'a', function: { name: 'f', arguments: '"x"' } }] },
        result('a'),
      ],
      /not a JSON object/,
    ],
    ['nobody speaking', [{ role: 'system', content: 'x' }], /no user message/],
    [
      'a picture by its address',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://e.org/a.png' } }] }],
      /no data URL/,
    ],
    ['a part of an unknown type', [{ role: 'user', content: [{ type: 'file' }] }], /part of type file/],
    ['an empty user message', [{ role: 'user', content: '' }], /empty user message/],
  ])('refuses %s', async (_name, messages, violation) => {
    const response = await post(server.baseUrl, messages);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(violation);
    expect(server.violations.join()).toMatch(violation);
  });

  it('accepts a proper conversation with several results in any order', async () => {
    const system = { role: 'system', content: 'x' };
    const response = await post(server.baseUrl, [
      system,
      user,
      calls('a', 'b'),
      result('b'),
      result('a'),
      user,
    ]);
    expect(await response.text()).toContain('[DONE]');
    expect(server.violations).toEqual([]);
  });

  it('holds calls open and releases them oldest first', async () => {
    server.reply((_body, n) => ({ type: 'text', text: `reply ${n}` }));
    server.hold();
    const first = post(server.baseUrl, [user]);
    await server.waitForRequests(1);
    const second = post(server.baseUrl, [user]);
    await server.waitForRequests(2);
    server.release(1);
    expect(await (await first).text()).toContain('0');
    server.release();
    expect(await (await second).text()).toContain('1');
  });

  it('runs as a process of its own that ends with its parent', async () => {
    const main = fileURLToPath(new URL('../fakes/model-server-main.ts', import.meta.url));
    const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await once(createInterface(child.stdout), 'line');
    const { baseUrl } = JSON.parse(String(line)) as { baseUrl: string };
    expect(await (await post(baseUrl, [user])).text()).toContain('"ok"');
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});
