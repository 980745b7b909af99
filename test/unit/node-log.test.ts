import { expect, test } from 'vitest';
import { createPinoLog } from '../../adapters/node/index.ts';

function recorded(options: { level?: 'debug' | 'info'; secrets?: string[]; isForPeople?: boolean } = {}) {
  const lines: string[] = [];
  const log = createPinoLog({
    level: 'info',
    secrets: [],
    destination: { write: (line) => lines.push(line) },
    ...options,
  });
  return { log, lines };
}

test('a line is one JSON object with level, time, fields and message', () => {
  const { log, lines } = recorded();
  log.child({ runId: 'run_1' }).info({ step: 2 }, 'step stored');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', runId: 'run_1', step: 2, msg: 'step stored' });
});

test('lines below the level are not written', () => {
  const { log, lines } = recorded();
  log.debug({}, 'quiet');
  expect(lines).toEqual([]);
});

test('CFG-05 no secret gets through: known, token-shaped, named as one, or inside an error', () => {
  const { log, lines } = recorded({ secrets: ['a very private value'] });
  const shaped = `xoxb-${'123456789012-abcdefghijkl'}`;
  log.error(
    {
      error: new Error(`refused: a very private value ${shaped}`),
      apiKey: 'plain',
      nested: { token: 'q"x' },
    },
    'failed with a very private value',
  );
  const text = lines.join('');
  for (const secret of ['a very private value', shaped, 'plain', 'q\\"x']) expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({ apiKey: '[redacted]', nested: { token: '[redacted]' } });
});

test('fields that cannot be written do not throw, and the message is still there', () => {
  const { log, lines } = recorded();
  const hostile = {
    get broken() {
      throw new Error('no');
    },
  };
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  log.info(hostile, 'first');
  log.info(circular, 'second');
  log.info({ big: 1n }, 'third');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['first', 'second', 'third']);
});

test('at a terminal a line is short, and the stack of an error stands below it', () => {
  const { log, lines } = recorded({ isForPeople: true });
  log.warn({ error: new Error('gone away'), thread: 't 1' }, 'thread closed');
  expect(lines[0]).toContain('thread closed');
  expect(lines[0]).toContain('error="gone away"');
  expect(lines[0]).toMatch(/\n.*at /);
});
