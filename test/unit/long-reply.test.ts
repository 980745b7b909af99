import { describe, expect, test } from 'vitest';
import { replyParts } from '../../src/core/long-reply.ts';

const LIMITS = { maxTextLength: 100, maxFileBytes: 1_000_000, showsTables: true };
const words = (count: number) => 'nine char '.repeat(count).trimEnd();

describe('replyParts', () => {
  test('a blank text is no message', () => {
    expect(replyParts(' \n', LIMITS)).toEqual([]);
  });

  test('up to five messages are sent as they are', () => {
    const parts = replyParts(words(50), LIMITS);
    expect(parts).toHaveLength(5);
    expect(parts.some(({ file }) => file)).toBe(false);
  });

  test('more than five become the beginning and a file with the whole', () => {
    const text = `First sentence. ${words(60)}`;
    const [part, ...rest] = replyParts(text, LIMITS);
    expect(rest).toEqual([]);
    expect(part!.text.length).toBeLessThanOrEqual(100);
    expect(part!.text).toMatch(/^First sentence\.[\s\S]*whole answer is in answer\.md/);
    expect(part!.file).toEqual({ name: 'answer.md', text });
  });

  test('code in the beginning is closed before the note', () => {
    const text = `\`\`\`ts\n${'let x = 1;\n'.repeat(100)}\`\`\``;
    const [part] = replyParts(text, { ...LIMITS, maxTextLength: 200 });
    expect(part!.text).toMatch(/^```ts\n[\s\S]*\n```\n\n\*\(This/);
  });

  test.each([
    ['no files can be sent', 0],
    ['the file would be too large', 500],
  ])('where %s, all parts are sent', (_why, maxFileBytes) => {
    const parts = replyParts(words(60), { ...LIMITS, maxFileBytes });
    expect(parts).toHaveLength(6);
    expect(parts.some(({ file }) => file)).toBe(false);
  });

  test('the size of the file is counted in bytes', () => {
    const text = '汉'.repeat(600);
    expect(replyParts(text, { ...LIMITS, maxFileBytes: 1_799 })).toHaveLength(6);
    expect(replyParts(text, { ...LIMITS, maxFileBytes: 1_800 })).toHaveLength(1);
  });

  test('a limit without room for the note still gives the file', () => {
    const [part] = replyParts(words(60), { ...LIMITS, maxTextLength: 20 });
    expect(part!.file?.text).toBe(words(60));
  });

  test('tables are laid out before splitting where they are not drawn, and stay as they are in the file', () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |';
    expect(replyParts(table, LIMITS)).toEqual([{ text: table }]);
    const plain = { ...LIMITS, showsTables: false };
    expect(replyParts(table, plain)).toEqual([{ text: '```\na  b\n-  -\n1  2\n```' }]);
    const [part] = replyParts(`${table}\n\n${words(60)}`, plain);
    expect(part!.text).toMatch(/^```\na {2}b/);
    expect(part!.file?.text).toMatch(/^\| a \| b \|/);
  });
});
