import { describe, expect, it } from 'vitest';
import { createListener, type Frame } from '../../adapters/webchat/listener.ts';

const SIZE = 10_000;

/** A store of events that a test can add to, and a listener on it. */
function observe() {
  const events: Frame[] = [];
  const seen = { reads: 0, closed: 0, failures: [] as unknown[] };
  let failure: Error | undefined;
  const add = (count: number) => {
    for (let i = 0; i < count; i++) {
      events.push({ type: 'message', id: events.length + 1, data: { pad: 'x'.repeat(SIZE) } });
    }
    listener.wake();
  };
  const listener = createListener({
    cursor: 0,
    async read(after, limit) {
      seen.reads++;
      await Promise.resolve();
      if (failure) throw failure;
      return events.slice(after, after + limit).map((frame, i) => ({ seq: after + i + 1, frame }));
    },
    failed: (error) => seen.failures.push(error),
    closed: () => seen.closed++,
  });
  return {
    listener,
    seen,
    add,
    failWith: (error: Error) => {
      failure = error;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function readIds(reader: ReadableStreamDefaultReader<Uint8Array>, count: number): Promise<number[]> {
  const ids: number[] = [];
  const decoder = new TextDecoder();
  while (ids.length < count) {
    const { value } = await reader.read();
    const id = /^id: (\d+)$/m.exec(decoder.decode(value))?.[1];
    if (id) ids.push(Number(id));
  }
  return ids;
}

describe('one client of the event stream', () => {
  it('is given every stored event in order, at its own pace', async () => {
    const { listener, add, seen } = observe();
    add(500);
    await settled();
    const readsWhileFull = seen.reads;
    expect(readsWhileFull).toBeLessThanOrEqual(2);
    const reader = listener.stream.getReader();
    const first = await readIds(reader, 300);
    add(20);
    expect([...first, ...(await readIds(reader, 220))]).toEqual(Array.from({ length: 520 }, (_, i) => i + 1));
  });

  it('does not miss an event that is stored while it reads', async () => {
    const { listener, add } = observe();
    const reader = listener.stream.getReader();
    listener.wake();
    add(1);
    expect(await readIds(reader, 1)).toEqual([1]);
    add(1);
    expect(await readIds(reader, 1)).toEqual([2]);
  });

  it('is not given passing signals while it is slow, and is let go at the next beat', async () => {
    const { listener, add, seen } = observe();
    add(100);
    await settled();
    listener.push({ type: 'typing', data: {} });
    listener.beat();
    expect(seen.closed).toBe(1);
    const text = await new Response(listener.stream).text();
    expect(text).not.toContain('typing');
    expect(text.length).toBeLessThan(100 * SIZE);
  });

  it('is kept by a beat while it takes what it is given', async () => {
    const { listener, seen } = observe();
    listener.beat();
    listener.close();
    expect(await new Response(listener.stream).text()).toBe(': still here\n\n');
    expect(seen.closed).toBe(1);
  });

  it('is let go when the events cannot be read, so that it tries again', async () => {
    const { listener, add, seen, failWith } = observe();
    failWith(new Error('broken'));
    add(1);
    expect(await new Response(listener.stream).text()).toBe('');
    expect(seen.failures).toHaveLength(1);
    expect(seen.closed).toBe(1);
  });

  it('reads nothing more once it has gone', async () => {
    const { listener, add, seen } = observe();
    await listener.stream.cancel();
    add(5);
    await settled();
    expect(seen.closed).toBe(1);
    expect(seen.reads).toBe(0);
  });
});
