import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatText } from '../../adapters/discord/outbound/format.ts';
import { drawPart, messageBody, newMessageBody } from '../../adapters/discord/outbound/message-body.ts';
import { nonceOf } from '../../adapters/discord/outbound/nonce.ts';
import { isPreviewText, previewText } from '../../adapters/discord/signs/preview-text.ts';
import { snowflakeAt, snowflakeTime } from '../../adapters/discord/snowflake.ts';
import { fencedBlocks } from '../../src/core/fences.ts';

describe('Markdown for Discord', () => {
  test('headings below the third level become bold, others stay', () => {
    expect(formatText('# a\n### b\n#### c\n###### d **e** ##\n####no')).toBe(
      '# a\n### b\n**c**\n**d e**\n####no',
    );
  });

  test('code is left alone', () => {
    const code = 'x\n```sh\n#### not a heading\n```\n';
    expect(formatText(`${code}#### yes`)).toBe(`${code}**yes**`);
  });

  test('a text without deep headings stays as it is, and none grows longer', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('#', ' ', 'a', '*', '\n', '`', '\t') }), (text) => {
        const formatted = formatText(text);
        expect(formatted.length).toBeLessThanOrEqual(text.length);
        if (!text.includes('####')) expect(formatted).toBe(text);
      }),
    );
  });
});

describe('a message for Discord', () => {
  test('J6 notifies nobody, whatever it says', () => {
    const drawn = drawPart({ text: '@everyone <@&1> <@2> `@here`' });
    expect(messageBody(drawn).allowed_mentions).toEqual({ parse: [] });
    expect(newMessageBody(drawn, { id: 'p' }).allowed_mentions).toEqual({ parse: [] });
  });

  test('a reply notifies whom it answers, and is sent also when that message is gone', () => {
    expect(newMessageBody(drawPart({ text: 'yes' }), { id: 'p', replyTo: '7' })).toMatchObject({
      allowed_mentions: { parse: [], replied_user: true },
      message_reference: { message_id: '7', fail_if_not_exists: false },
    });
  });

  test('D7 carries one enforced nonce of 22 characters over all attempts', () => {
    const body = newMessageBody(drawPart({ text: 'x' }), { id: 'part' });
    expect(body).toMatchObject({ enforce_nonce: true, nonce: nonceOf('part') });
    expect(body.nonce).toMatch(/^[\w-]{22}$/);
    expect(nonceOf('part')).not.toBe(nonceOf('part2'));
  });

  test('F1 more than 2,000 characters are refused before anything is begun; 2,000 are not', () => {
    expect(() => drawPart({ text: 'x'.repeat(2_001) })).toThrow(
      expect.objectContaining({ code: 'channel-invalid' }),
    );
    expect(drawPart({ text: 'x'.repeat(2_000) }).content).toHaveLength(2_000);
  });

  test('nothing at all is refused, a file alone is not', () => {
    expect(() => drawPart({ text: ' \n' })).toThrow(expect.objectContaining({ code: 'channel-invalid' }));
    expect(drawPart({ text: '', file: { name: 'answer.md', text: 'x' } }).content).toBe('');
  });
});

describe('the preview of a reply', () => {
  test('says that it goes on, and is told by that', () => {
    expect(previewText('Hello')).toBe('Hello\n-# still writing…');
    expect(isPreviewText(previewText('Hello')!)).toBe(true);
    expect(isPreviewText('still writing…')).toBe(false);
    expect(previewText(' \n')).toBeUndefined();
  });

  test('F1 F3 shows the newest part of a long text, with balanced fences and whole characters', () => {
    for (const text of [
      '😀'.repeat(3_000),
      `\`\`\`ts\n${'let x = 1;\n'.repeat(400)}`,
      'word '.repeat(1_000),
    ]) {
      const shown = previewText(text)!;
      expect(shown.length).toBeLessThanOrEqual(2_000);
      expect(shown.isWellFormed()).toBe(true);
      expect(fencedBlocks(shown).every(({ isClosed }) => isClosed)).toBe(true);
    }
  });
});

test('an id tells when it was made, and a moment gives the first id of it', () => {
  expect(snowflakeTime('175928847299117063')).toBe(Date.UTC(2016, 3, 30, 11, 18, 25, 796));
  expect(snowflakeTime(snowflakeAt(1_767_600_000_123))).toBe(1_767_600_000_123);
  expect(snowflakeAt(0)).toBe('0');
});
