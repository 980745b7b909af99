import { describe, expect, test } from 'vitest';
import { createInProcessLive } from '../../adapters/embedded/index.ts';
import { runId } from '../../src/core/ids.ts';
import type { LiveEvent } from '../../src/ports/live.ts';
import type { Log } from '../../src/ports/log.ts';

const ignore = () => undefined;

function start() {
  const errors: string[] = [];
  const log: Log = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_fields, message) => void errors.push(message),
    child: () => log,
  };
  return { live: createInProcessLive({ log }), errors };
}

const cancel = (id: string): LiveEvent => ({ type: 'cancel', runId: runId(id) });

describe('live signals within one process', () => {
  test('every listener hears every event, in the order of publishing', () => {
    const { live } = start();
    const heard: LiveEvent[][] = [[], []];
    live.subscribe((event) => void heard[0]!.push(event));
    live.subscribe((event) => void heard[1]!.push(event));
    live.publish(cancel('run_1'));
    live.publish(cancel('run_2'));
    expect(heard).toEqual([
      [cancel('run_1'), cancel('run_2')],
      [cancel('run_1'), cancel('run_2')],
    ]);
  });

  test('an event published by a listener comes after the one being delivered, for all', () => {
    const { live } = start();
    const heard: LiveEvent[] = [];
    live.subscribe((event) => {
      if (event.type === 'cancel' && event.runId === 'run_1') live.publish(cancel('run_2'));
    });
    live.subscribe((event) => void heard.push(event));
    live.publish(cancel('run_1'));
    expect(heard).toEqual([cancel('run_1'), cancel('run_2')]);
  });

  test('a listener that throws is logged and disturbs neither the publisher nor the others', () => {
    const { live, errors } = start();
    const heard: LiveEvent[] = [];
    live.subscribe(() => {
      throw new Error('on purpose');
    });
    live.subscribe((event) => void heard.push(event));
    live.publish(cancel('run_1'));
    live.publish(cancel('run_2'));
    expect(heard).toHaveLength(2);
    expect(errors).toHaveLength(2);
  });

  test('whoever stops listening hears nothing more, even within the same delivery', () => {
    const { live } = start();
    const heard: LiveEvent[] = [];
    let stop = ignore as () => void;
    live.subscribe(() => stop());
    stop = live.subscribe((event) => void heard.push(event));
    live.publish(cancel('run_1'));
    stop();
    expect(heard).toEqual([]);
  });

  test('the same function may listen twice and stops separately', () => {
    const { live } = start();
    let count = 0;
    const handler = () => void count++;
    const stop = live.subscribe(handler);
    live.subscribe(handler);
    live.publish(cancel('run_1'));
    stop();
    live.publish(cancel('run_2'));
    expect(count).toBe(3);
  });
});
