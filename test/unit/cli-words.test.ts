import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodeOf, UsageError } from '../../src/cli/exit-codes.ts';
import { failureText } from '../../src/cli/failure.ts';
import { readGatewayRecord, removeGatewayRecord, writeGatewayRecord } from '../../src/cli/gateway-record.ts';
import { greeting } from '../../src/cli/greeting.ts';
import { AppError } from '../../src/errors.ts';
import { tempDir } from '../support/temp-dir.ts';

const PAGE = 'http://127.0.0.1:4280/?token=abc';

test('the greeting gives the address, and for the stand-in how to connect a model', () => {
  const text = greeting({ defaultModel: { provider: 'offline', model: 'stand-in' } }, PAGE);
  expect(text).toContain(`Open ${PAGE}\n`);
  expect(text).toMatch(/stand-in.*OPENAI_API_KEY.*\.env/);
});

test('the greeting names the model', () => {
  expect(greeting({ defaultModel: { provider: 'openai', model: 'm-1' } }, PAGE)).toContain('openai/m-1');
  expect(greeting({ defaultModel: { provider: 'ollama' } }, PAGE)).toContain('first one installed in ollama');
});

test.each([
  [new AppError('config-invalid', 'x'), 78],
  [new AppError('port-in-use', 'x'), 69],
  [new AppError('state-unusable', 'x'), 69],
  [new AppError('state-locked', 'x'), 75],
  [new AppError('not-found', 'x'), 1],
  [new UsageError('x'), 2],
  [new TypeError('x'), 70],
])('%s ends with exit code %i', (error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});

test('a failure is one sentence without secrets and without a stack', () => {
  const token = `xoxb-${'123456789012-abcdefghijkl'}`;
  expect(failureText(new AppError('port-in-use', `Port 1 is taken (${token}).`), false)).toBe(
    'skein: Port 1 is taken ([redacted]).\n',
  );
  expect(failureText(new TypeError('x is not y'), false)).not.toMatch(/^\s+at /m);
});

test('the record of the gateway is for its owner only, and a broken one counts as none', () => {
  const home = tempDir();
  const record = { url: 'http://127.0.0.1:1', pid: 7 };
  expect(readGatewayRecord(home)).toBeUndefined();
  writeGatewayRecord(home, record);
  expect(readGatewayRecord(home)).toEqual(record);
  expect(statSync(join(home, 'gateway.json')).mode & 0o777).toBe(0o600);
  writeFileSync(join(home, 'gateway.json'), '{ "url":');
  expect(readGatewayRecord(home)).toBeUndefined();
  removeGatewayRecord(home);
  removeGatewayRecord(home);
  expect(readGatewayRecord(home)).toBeUndefined();
});
