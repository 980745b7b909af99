import { describe, expect, test } from 'vitest';
import { readReply, SILENCE_TOKENS, shownSoFar } from '../../src/core/silence.ts';

describe('readReply', () => {
  test.each(SILENCE_TOKENS)('F10: %s as the whole reply is silence', (token) => {
    for (const text of [token, `  ${token}\n`, `\n\n${token}\t`, `\r\n${token}\r\n`]) {
      expect(readReply(text)).toEqual({ kind: 'silent', token });
    }
  });

  test.each([
    ['after a paragraph', 'All done.\n\nNO_REPLY', 'All done.'],
    ['on the next line, padded', 'All done.\n  ANNOUNCE_SKIP  \n', 'All done.'],
    ['with Windows line breaks', 'All done.\r\nREPLY_SKIP\r\n', 'All done.'],
    ['twice', 'All done.\nNO_REPLY\n\nREPLY_SKIP', 'All done.'],
    ['after a closed code block', '```\ncode\n```\nNO_REPLY', '```\ncode\n```'],
    ['after inline code', 'Use `x`.\nNO_REPLY', 'Use `x`.'],
  ])('F10: a token alone on the last line is cut off: %s', (_name, text, rest) => {
    expect(readReply(text)).toEqual({ kind: 'text', text: rest });
  });

  test.each([
    ['inside a sentence', 'Answer NO_REPLY to stay silent.'],
    ['at the end of a sentence', 'To stay silent, say NO_REPLY'],
    ['in inline code', 'Silence is\n`NO_REPLY`'],
    ['in a closed code block', 'See:\n```\nNO_REPLY\n```'],
    ['in a code block that is still open', 'See:\n```\nNO_REPLY'],
    ['in an open block of tildes', '~~~\ncode\n\nNO_REPLY\n'],
    ['in other letter case', 'no_reply'],
    ['with a mark behind it', 'NO_REPLY.'],
    ['as part of a longer word', 'NO_REPLY_NOW'],
    ['on the first of several lines', 'NO_REPLY\nbut there is more'],
    ['in a quotation', '> NO_REPLY'],
    ['not at all', 'Just text.\n'],
    ['in an empty reply', ''],
  ])('F10: the text is kept as it is with the token %s', (_name, text) => {
    expect(readReply(text)).toEqual({ kind: 'text', text });
  });

  test('several tokens and nothing else are silence', () => {
    expect(readReply('NO_REPLY\nNO_REPLY')).toEqual({ kind: 'silent', token: 'NO_REPLY' });
  });
});

describe('shownSoFar', () => {
  test.each([
    ['', ''],
    ['  \n', ''],
    ['N', ''],
    ['NO_', ''],
    ['NO_REPLY\n', ''],
    ['All done.', 'All done.'],
    ['All done.\n\nNO_RE', 'All done.\n\n'],
    ['All done.\nNO_REPLY\nREPLY_SK', 'All done.\n'],
    ['NO_REPLY means that', 'NO_REPLY means that'],
    ['See:\n```\nNO_RE', 'See:\n```\nNO_RE'],
    ['A\nNot', 'A\nNot'],
  ])('F10: of %j as much is shown as cannot become a token: %j', (text, shown) => {
    expect(shownSoFar(text)).toBe(shown);
  });
});
