import { describe, expect, it } from 'vitest';
import { createPresence, type Signal } from '../../adapters/webchat/presence.ts';
import type { Clock } from '../../src/ports/clock.ts';

/** Time that passes when a test says so. */
function steppedClock(): Clock & { pass(ms: number): void } {
  let now = 0;
  const due = new Map<() => void, number>();
  return {
    now: () => now,
    after(delayMs, fire) {
      due.set(fire, now + delayMs);
      return () => due.delete(fire);
    },
    pass(ms) {
      now += ms;
      for (const [fire, at] of [...due].sort((a, b) => a[1] - b[1])) {
        if (at > now || !due.delete(fire)) continue;
        fire();
      }
    },
  };
}

function observe() {
  const clock = steppedClock();
  const emitted: Signal[] = [];
  return { clock, emitted, presence: createPresence(clock, (signal) => emitted.push(signal)) };
}

const place = { conversation: 'general', thread: 't1' };

describe('what is happening just now', () => {
  it('says once that somebody is working, and once that nobody is', () => {
    const { presence, emitted } = observe();
    presence.typing(place, true);
    presence.typing(place, true);
    presence.typing(place, false);
    expect(emitted).toEqual([
      { type: 'typing', ...place, working: true },
      { type: 'typing', ...place, working: false },
    ]);
  });

  it('shows the first text at once and then only the newest, at a pace that can be read', () => {
    const { presence, emitted, clock } = observe();
    for (const text of ['a', 'ab', 'abc']) presence.preview(place, 'run_1', text);
    clock.pass(100);
    clock.pass(100);
    expect(emitted).toEqual([
      { type: 'delta', ...place, runId: 'run_1', text: 'a' },
      { type: 'delta', ...place, runId: 'run_1', text: 'abc' },
    ]);
  });

  it('never shows a preview after the message that replaced it', () => {
    const { presence, emitted, clock } = observe();
    presence.preview(place, 'run_1', 'a');
    presence.preview(place, 'run_1', 'ab');
    presence.said(place);
    clock.pass(1_000);
    expect(emitted).toHaveLength(1);
    expect(presence.snapshot()).toEqual([]);
  });

  it('tells a newcomer what holds now', () => {
    const { presence } = observe();
    presence.typing(place, true);
    presence.preview(place, 'run_1', 'so far');
    expect(presence.snapshot()).toEqual([
      { type: 'typing', ...place, working: true },
      { type: 'delta', ...place, runId: 'run_1', text: 'so far' },
    ]);
  });

  it('forgets work of which nothing was heard for a long time', () => {
    const { presence, emitted, clock } = observe();
    presence.typing(place, true);
    clock.pass(11 * 60_000);
    expect(presence.snapshot()).toEqual([]);
    expect(emitted.at(-1)).toEqual({ type: 'typing', ...place, working: false });
  });

  it('says that a message waits its turn until it does not, also to whoever comes later', () => {
    const { presence, emitted } = observe();
    presence.queued(place, 'm1', true);
    expect(presence.snapshot()).toEqual([{ type: 'queued', ...place, id: 'm1', queued: true }]);
    presence.queued(place, 'm1', false);
    presence.queued(place, 'never-waited', false);
    expect(presence.snapshot()).toEqual([]);
    expect(emitted.map((signal) => signal.type === 'queued' && signal.queued)).toEqual([true, false]);
  });
});
