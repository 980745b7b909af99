import { ButtonStyle } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { decodeButton, encodeButton, readButton } from '../../adapters/discord/outbound/buttons.ts';
import { drawCard } from '../../adapters/discord/outbound/card.ts';
import type { CardAction, RunCard } from '../../src/core/card.ts';
import { NO_USAGE, RUN_STATUSES } from '../../src/core/run.ts';
import { createMapMemory } from '../support/map-memory.ts';

const card = (changed: Partial<RunCard> = {}): RunCard => ({
  runId: 'run_1',
  agent: 'main',
  label: 'notes',
  state: 'running',
  usage: NO_USAGE,
  activeChildren: 0,
  actions: [],
  ...changed,
});
const lines = (changed: Partial<RunCard>) => drawCard(card(changed)).content.split('\n');

describe('the run card on Discord', () => {
  test('shows label, state, thread, tool, time, tokens and subagents in two lines', () => {
    const shown = lines({
      thread: '77',
      tool: 'web_search',
      startedAt: 1_767_600_000_123,
      usage: { inputTokens: 1_204, outputTokens: 356, cachedTokens: 0 },
      activeChildren: 2,
    });
    expect(shown).toEqual([
      '⚙️ **notes** · Working · <#77>',
      '-# `web_search` · started <t:1767600000:R> · 1,204 tokens in, 356 out · 2 subagents at work',
    ]);
  });

  test('an ended one says how long it took, and why it failed', () => {
    const shown = lines({ state: 'failed', startedAt: 0, endedAt: 65_000, note: 'The model is *away*.' });
    expect(shown).toEqual(['❌ **notes** · Failed', '-# took 1m 5s', String.raw`-# The model is \*away\*.`]);
  });

  test('one that asks something shows its question alone', () => {
    const note = 'I gave up (**notes**). Shall I go on?';
    expect(lines({ state: 'interrupted', startedAt: 0, endedAt: 1, note, isQuestion: true })).toEqual([note]);
    expect(lines({ note: 'x'.repeat(3_000), isQuestion: true }).join().length).toBeLessThanOrEqual(2_000);
  });

  test('has words for every state', () => {
    const states = ['opening', ...RUN_STATUSES] as const;
    const heads = states.map((state) => lines({ state })[0]);
    expect(new Set(heads).size).toBe(states.length);
    expect(heads.join()).not.toContain('undefined');
  });

  test('F3 F6 whatever it is called, it fits into a message, on its lines, with no half character', () => {
    for (const label of ['😀'.repeat(400), '\n# big\n'.repeat(50), '**||__`'.repeat(200)]) {
      const { content } = drawCard(card({ label, note: label, tool: label.replaceAll('\n', ' ') }));
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content.isWellFormed()).toBe(true);
      expect(content.split('\n')).toHaveLength(3);
    }
  });

  test('the same card is always drawn alike, so that it is found again after a crash', () => {
    expect(drawCard(card({ startedAt: 5_000 }))).toEqual(drawCard(card({ startedAt: 5_000 })));
  });

  test('buttons stand in rows of five, Stop in red', () => {
    const action = (i: number): CardAction => ({ label: i === 0 ? 'Stop' : `B${i}`, command: `/x ${i}` });
    const { rows } = drawCard(card({ actions: Array.from({ length: 7 }, (_, i) => action(i)) }));
    expect(rows.map(({ components }) => components.length)).toEqual([5, 2]);
    expect(rows[0]!.components.map(({ style }) => style)).toEqual([
      ButtonStyle.Danger,
      ...Array(4).fill(ButtonStyle.Secondary),
    ]);
  });
});

describe('what a button carries', () => {
  const uuid = '0199aaaa-bbbb-7ccc-8ddd-eeeeffff0000';
  const full = { command: `/subagents kill ${uuid}`, thread: '1'.repeat(20), presser: '2'.repeat(20) };

  test('a Stop button of the longest ids needs no memory', () => {
    const { customId, remember } = encodeButton(full);
    expect(customId.length).toBeLessThanOrEqual(100);
    expect(remember).toBeUndefined();
    expect(decodeButton(customId)).toEqual(full);
  });

  test.each([
    [{ command: '/unfocus' }],
    [{ command: '/unfocus', thread: '7' }],
    [{ command: '/x a|b|\nc', presser: '8' }],
  ])('%j comes back as it went', (button) => {
    expect(decodeButton(encodeButton(button).customId)).toEqual(button);
  });

  test('a long command is remembered under its hash, and forgotten ones are not guessed', async () => {
    const button = { command: `/steer ${'x'.repeat(200)}`, thread: '7' };
    const { customId, remember } = encodeButton(button);
    expect(customId.length).toBeLessThanOrEqual(100);
    const memory = createMapMemory();
    expect(await readButton(customId, memory)).toBeUndefined();
    await memory.set(remember!.key, remember!.value);
    expect(await readButton(customId, memory)).toEqual(button);
  });

  test('a button of somebody else is not ours', async () => {
    for (const id of ['', 'skein', 'other|1|2|/stop', 'skein|only', 'skein|../users/7||/stop']) {
      expect(await readButton(id, createMapMemory())).toBeUndefined();
    }
  });
});
