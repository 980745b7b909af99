import { expect, test } from 'vitest';
import { completionStatus, normalisedText, statsLine } from '../../src/core/announce.ts';
import { failureReply, failureText } from '../../src/core/failure-text.ts';

test.each([
  ['succeeded', true, 'success'],
  ['succeeded', false, 'unknown'],
  ['failed', true, 'error'],
  ['cancelled', true, 'error'],
  ['timed_out', true, 'timeout'],
  ['interrupted', true, 'unknown'],
] as const)('ANN-05, ANN-06: a run that %s (with words: %s) is told as %s', (status, hasResult, expected) => {
  expect(completionStatus(status, hasResult)).toBe(expected);
});

test.each([
  ['success', 'completed successfully'],
  ['error', 'failed'],
  ['timeout', 'timed out'],
  ['unknown', 'unknown'],
] as const)('ANN-04, ANN-06: %s reads "%s" to people', (status, words) => {
  const text = normalisedText({ label: 'notes', status, result: 'Status: completed successfully' });
  expect(text).toBe(`**notes**\nStatus: ${words}\nResult: Status: completed successfully`);
});

test('ANN-04, ANN-08: Notes follow when there are any, and no output is said as such', () => {
  expect(normalisedText({ label: 'a', status: 'unknown', result: '(no output)', notes: 'late' })).toBe(
    '**a**\nStatus: unknown\nResult: (no output)\nNotes: late',
  );
});

const stats = {
  runtimeMs: 312_000,
  usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 50 },
  sessionKey: 'agent:main:subagent:x',
  sessionId: 'id-1',
};

test('ANN-16: the stats line holds runtime, tokens, keys and the transcript', () => {
  expect(statsLine(stats)).toBe(
    'runtime 5m12s | tokens 100 in / 20 out / 120 total | sessionKey agent:main:subagent:x | sessionId id-1 | transcript sessions/id-1',
  );
});

test('ANN-16: the cost stands there only when prices are known, also when it is nothing', () => {
  expect(statsLine({ ...stats, cost: 0.01234 })).toContain(' | cost $0.0123 | ');
  expect(statsLine({ ...stats, cost: 0 })).toContain(' | cost $0.0000 | ');
});

test('U3: a failure is told by its class; one without words of its own points to the log', () => {
  expect(failureText('rate-limit')).toMatch(/limiting how often/);
  expect(failureText('never-heard-of')).toBe('Something went wrong. The log of the bot says what.');
  expect(failureReply('timeout')).toMatch(/^I could not answer this\. The model did not answer in time\./);
});

test.each(['toString', 'constructor', '__proto__'])(
  'a code called "%s" is told like any unknown one',
  (code) => {
    expect(failureText(code)).toBe('Something went wrong. The log of the bot says what.');
  },
);
