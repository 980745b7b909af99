import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor, redact } from '../../src/core/redaction.ts';

const KEY_BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7';
/** Put together here, so that no scanner takes this file for a leak. */
const SECRETS: Readonly<Record<string, string>> = {
  'an OpenAI key': `sk-${'proj-Ab12Cd34Ef56Gh78Ij90'}`,
  'a key in lower case': `sk-${'abcdefghijklmnopqrstuvwx'}`,
  'a Slack bot token': `xoxb-${'123456789012-1234567890123-AbCdEfGhIjKl'}`,
  'a Slack app token': `xapp-${'1-A0123456789-1234567890123-abcdef0123456789'}`,
  'a Discord bot token': `MTIzNDU2Nzg5MDEyMzQ1Njc4.${'GaBcDe'}.${'abcdefghijklmnopqrstuvwxyz0123456789AB'}`,
  'a GitHub token': `ghp_${'abcdefghijklmnopqrstuvwxyz0123456789'}`,
  'a fine-grained GitHub token': `github_pat_${'11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz'}`,
  'an AWS access key id': `AKIA${'IOSFODNN7EXAMPLE'}`,
  'a JSON web token': `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxMjM0NTY3ODkwIn0'}.${'dozjgNryP4J3jVmNHl0w5N'}`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}\n-----END RSA PRIVATE KEY-----`,
};

for (const [name, secret] of Object.entries(SECRETS)) {
  test(`hides ${name}, bare, quoted and inside a sentence`, () => {
    expect(redact(secret)).toBe('[redacted]');
    expect(redact(`{"v":"${secret}"}`)).toBe('{"v":"[redacted]"}');
    expect(redact(`use ${secret} now`)).toBe('use [redacted] now');
  });
}

test('hides the token of an Authorization header and keeps its scheme', () => {
  expect(redact('authorization: Bearer abc123def456')).toBe('authorization: Bearer [redacted]');
});

test('hides the password in a URL and keeps user and host', () => {
  expect(redact('redis://bot:hunter2@cache:6379/0')).toBe('redis://bot:[redacted]@cache:6379/0');
  expect(redact('redis://:hunter2@cache')).toBe('redis://:[redacted]@cache');
});

test('hides a private key whose end was cut off, without what follows it', () => {
  const text = `before -----BEGIN PRIVATE KEY-----\\n${KEY_BODY}" after`;
  expect(redact(text)).toBe('before [redacted]" after');
});

test('hides known secrets whatever they look like, also as spelled in JSON and in URLs', () => {
  const secret = 'p"ss wörd/1';
  expect(redact(`a ${secret} b`, [secret])).toBe('a [redacted] b');
  expect(redact(JSON.stringify({ secret }), [secret])).toBe('{"secret":"[redacted]"}');
  expect(redact(`?k=${encodeURIComponent(secret)}`, [secret])).toBe('?k=[redacted]');
});

test('hides a known secret wholly when a shorter known secret begins it', () => {
  expect(redact('k=abcdefgh-tail', ['abcdefgh', 'abcdefgh-tail'])).toBe('k=[redacted]');
});

test('leaves known secrets alone that are as short as ordinary words', () => {
  expect(redact('the word open', ['open'])).toBe('the word open');
});

const CLEAN = [
  '0190f2aa-7c1e-7b3a-9c1d-5f0e8d7c6b5a',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '123456789012345678',
  'agent:main:subagent:0190f2aa-7c1e-7b3a-9c1d-5f0e8d7c6b5a',
  'agent:main:slack:channel:C0123456789:thread:1712345678.123456',
  'install sk-learn and sk-estimators-cross-validation',
  'the bearer authentication scheme; bearer of good tidings',
  'http://127.0.0.1:4280/#general and mailto:someone@example.com',
  'ask the task-runner about eyJ and AKIA',
];
test.each(CLEAN)('leaves %s as it is', (text) => {
  expect(redact(text)).toBe(text);
});

test('a second pass changes nothing, whatever the text', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ...Object.values(SECRETS),
      'Bearer ',
      '[redacted]',
      'redacted',
      'https://a:',
      '@',
      '-----',
    ),
  );
  const redactAll = createRedactor(['redacted', 'a secret of ours']);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const once = redactAll(pieces.join(''));
      expect(redactAll(once)).toBe(once);
    }),
  );
});

test.each([
  ['unfinished private keys', '-----BEGIN PRIVATE KEY-----'],
  ['one endless token', 'sk-aA1'],
  ['many half tokens', 'eyJabcdefgh.'],
  ['schemes without a host', 'http://a:'],
])('the work grows with the length of the text only: %s', (_name, unit) => {
  const costOf = (times: number) => {
    const text = unit.repeat(times);
    const startedAt = process.cpuUsage();
    redact(text);
    const used = process.cpuUsage(startedAt);
    return used.user + used.system;
  };
  costOf(1_000);
  // Were it quadratic, 2 MB would take minutes; the deadline of the test is seconds.
  expect(costOf(150_000)).toBeLessThan(5_000_000);
});
