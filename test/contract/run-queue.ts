/** What every RunQueue promises. `create` makes one that no other test shares. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Lane } from '../../src/core/run.ts';
import { buildSessionKey } from '../../src/core/session-key.ts';
import type { RunQueue, Wake } from '../../src/ports/run-queue.ts';

const DEADLINE = { timeout: 10_000, interval: 5 };

const session = (id: string): SessionKey =>
  buildSessionKey({ kind: 'chat', agentId: 'main', channel: 'webchat', chat: 'channel', id });

const lanes = (main: number, subagent = 1) =>
  new Map<Lane, { concurrency: number }>([
    ['main', { concurrency: main }],
    ['subagent', { concurrency: subagent }],
  ]);

/** A handler that notes each call and holds it until it is let go. */
function createGatedHandler() {
  const begun: string[] = [];
  const held: { readonly wake: Wake; readonly letGo: () => void }[] = [];
  let isOpen = false;
  const active = () => held.map(({ wake }) => `${wake.lane} ${wake.sessionKey}`);
  return {
    begun,
    active,
    async handle(wake: Wake): Promise<void> {
      begun.push(wake.sessionKey);
      if (isOpen) return;
      const gate = Promise.withResolvers<void>();
      held.push({ wake, letGo: gate.resolve });
      await gate.promise;
    },
    letGo(sessionKey: SessionKey): void {
      const at = held.findIndex(({ wake }) => wake.sessionKey === sessionKey);
      held.splice(at, 1)[0]!.letGo();
    },
    open(): void {
      isOpen = true;
      for (const { letGo } of held.splice(0)) letGo();
    },
  };
}

export function runQueueContract(name: string, create: () => Promise<RunQueue>): void {
  describe(`run queue contract: ${name}`, () => {
    const cleanups: (() => void | Promise<void>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    async function start() {
      const queue = await create();
      const handler = createGatedHandler();
      cleanups.push(handler.open, () => queue.close());
      return { queue, handler };
    }

    const [a, b, c] = [session('a'), session('b'), session('c')];

    test('a wake calls the handler with its lane and session', async () => {
      const { queue } = await start();
      const calls: Wake[] = [];
      queue.work(lanes(1), async (wake) => void calls.push(wake));
      await queue.wake({ lane: 'subagent', sessionKey: a });
      await vi.waitFor(() => expect(calls).toEqual([{ lane: 'subagent', sessionKey: a }]), DEADLINE);
    });

    test('a wake that came before anyone worked the lane is kept', async () => {
      const { queue, handler } = await start();
      await queue.wake({ lane: 'main', sessionKey: a });
      queue.work(lanes(1), handler.handle);
      await vi.waitFor(() => expect(handler.begun).toEqual([a]), DEADLINE);
    });

    test('wakes of a session that is still waiting become one call', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(handler.begun).toEqual([a]), DEADLINE);
      for (let i = 0; i < 5; i++) await queue.wake({ lane: 'main', sessionKey: b });
      await queue.wake({ lane: 'main', sessionKey: c });
      handler.open();
      await vi.waitFor(() => expect(handler.begun).toEqual([a, b, c]), DEADLINE);
    });

    test('a session is never handled twice at the same time, not even from two lanes', async () => {
      const { queue } = await start();
      const active = new Map<SessionKey, number>();
      let mostAtOnce = 0;
      let calls = 0;
      queue.work(lanes(4, 4), async ({ sessionKey }) => {
        active.set(sessionKey, (active.get(sessionKey) ?? 0) + 1);
        mostAtOnce = Math.max(mostAtOnce, active.get(sessionKey)!);
        await new Promise((resolve) => setImmediate(resolve));
        active.set(sessionKey, active.get(sessionKey)! - 1);
        calls++;
      });
      for (let i = 0; i < 20; i++) {
        await queue.wake({ lane: i % 2 === 0 ? 'main' : 'subagent', sessionKey: i % 3 === 0 ? a : b });
        await new Promise((resolve) => setImmediate(resolve));
      }
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ waiting: 0, active: 0 }), DEADLINE);
      expect(calls).toBeGreaterThanOrEqual(4);
      expect(mostAtOnce).toBe(1);
    });

    test('a session that is busy in one lane is handled in the other lane afterwards', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(handler.active()).toEqual([`main ${a}`]), DEADLINE);
      await queue.wake({ lane: 'subagent', sessionKey: a });
      await queue.wake({ lane: 'subagent', sessionKey: b });
      await vi.waitFor(() => expect(handler.active()).toEqual([`main ${a}`, `subagent ${b}`]), DEADLINE);
      handler.letGo(a);
      handler.letGo(b);
      await vi.waitFor(() => expect(handler.active()).toEqual([`subagent ${a}`]), DEADLINE);
    });

    test('a wake while the handler is busy with that session calls it again', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(2), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(handler.begun).toEqual([a]), DEADLINE);
      await queue.wake({ lane: 'main', sessionKey: a });
      await queue.wake({ lane: 'main', sessionKey: a });
      handler.letGo(a);
      await vi.waitFor(() => expect(handler.begun).toEqual([a, a]), DEADLINE);
      handler.letGo(a);
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ waiting: 0, active: 0 }), DEADLINE);
      expect(handler.begun).toEqual([a, a]);
    });

    test('a handler that wakes its own session is called again', async () => {
      const { queue } = await start();
      let calls = 0;
      queue.work(lanes(1), async (wake) => {
        calls++;
        if (calls < 3) await queue.wake(wake);
      });
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(calls).toBe(3), DEADLINE);
    });

    test('a lane runs as many handlers as it may, and no more', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(2), handler.handle);
      for (const sessionKey of [a, b, c]) await queue.wake({ lane: 'main', sessionKey });
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ waiting: 1, active: 2 }), DEADLINE);
      await vi.waitFor(() => expect(handler.active()).toEqual([`main ${a}`, `main ${b}`]), DEADLINE);
      handler.letGo(b);
      await vi.waitFor(() => expect(handler.active()).toEqual([`main ${a}`, `main ${c}`]), DEADLINE);
    });

    test('a full lane does not hold up another lane', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await queue.wake({ lane: 'main', sessionKey: b });
      await queue.wake({ lane: 'subagent', sessionKey: c });
      await vi.waitFor(
        () => expect(handler.active().sort()).toEqual([`main ${a}`, `subagent ${c}`]),
        DEADLINE,
      );
    });

    test('a session that keeps being woken does not starve the others', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(handler.begun).toEqual([a]), DEADLINE);
      await queue.wake({ lane: 'main', sessionKey: b });
      await queue.wake({ lane: 'main', sessionKey: a });
      handler.open();
      await vi.waitFor(() => expect(handler.begun).toEqual([a, b, a]), DEADLINE);
    });

    test('a handler that fails harms neither its lane nor its session', async () => {
      const { queue } = await start();
      const calls: SessionKey[] = [];
      queue.work(lanes(1), async ({ sessionKey }) => {
        calls.push(sessionKey);
        if (calls.length === 1) throw new Error('on purpose');
      });
      await queue.wake({ lane: 'main', sessionKey: a });
      await queue.wake({ lane: 'main', sessionKey: b });
      await vi.waitFor(() => expect(calls).toContain(b), DEADLINE);
      const before = calls.length;
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(calls.slice(before)).toContain(a), DEADLINE);
    });

    test('close waits for handlers that are running and begins no others', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(handler.begun).toEqual([a]), DEADLINE);
      await queue.wake({ lane: 'main', sessionKey: b });
      let isClosed = false;
      const closing = queue.close().then(() => {
        isClosed = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(isClosed).toBe(false);
      handler.letGo(a);
      await closing;
      expect(handler.begun).toEqual([a]);
    });

    test('closing twice is the same as closing once, also at the same time', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.wake({ lane: 'main', sessionKey: a });
      await vi.waitFor(() => expect(handler.begun).toEqual([a]), DEADLINE);
      const both = [queue.close(), queue.close()];
      handler.open();
      await Promise.all(both);
      await queue.close();
    });

    test('a wake after close resolves and does nothing', async () => {
      const { queue, handler } = await start();
      queue.work(lanes(1), handler.handle);
      await queue.close();
      await queue.wake({ lane: 'main', sessionKey: a });
      await new Promise((resolve) => setImmediate(resolve));
      expect(handler.begun).toEqual([]);
    });
  });
}
