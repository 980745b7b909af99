import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapeMarks,
  inputText,
  ownWords,
  refusalReply,
  withPictureNotes,
} from '../../src/core/attachment-text.ts';
import { fileKind, MAX_PICTURE_BYTES, MAX_TEXT_BYTES, sortFiles } from '../../src/core/attachments.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
const textFile = (text: string, name = 'notes.txt') =>
  sortFiles([{ name, mediaType: 'text/plain', bytes: utf8(text) }]);

describe('fileKind', () => {
  test.each([
    ['cat.png', 'image/png', 'picture'],
    ['cat', 'IMAGE/JPEG', 'picture'],
    ['cat.svg', 'image/svg+xml', 'text'],
    ['cat.tiff', 'image/tiff', undefined],
    ['a', 'text/x-python; charset=utf-8', 'text'],
    ['a', 'application/vnd.api+json', 'text'],
    ['main.rs', 'application/octet-stream', 'text'],
    ['Dockerfile', '', 'text'],
    ['video.mp4', 'video/mp4', undefined],
    ['a.zip', 'application/zip', undefined],
  ] as const)('%s (%s) is %s', (name, type, kind) => {
    expect(fileKind(name, type)).toBe(kind);
  });
});

describe('sortFiles', () => {
  test('a picture is what its first bytes say', () => {
    expect(sortFiles([{ name: 'a.jpg', mediaType: 'image/jpeg', bytes: PNG }])[0]).toMatchObject({
      kind: 'picture',
      mediaType: 'image/png',
    });
    expect(sortFiles([{ name: 'a.png', mediaType: 'image/png', bytes: utf8('<html>') }])[0]).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('not the kind of picture'),
    });
  });

  test.each([
    ['an unknown kind', 'a.mp4', 'video/mp4', utf8('x'), /pictures .* and text files/],
    ['nothing in it', 'a.txt', 'text/plain', utf8(''), /empty/],
    ['bytes that are no text', 'a.txt', 'text/plain', Uint8Array.from([0xff, 0xfe, 0x41]), /UTF-8/],
    ['zero bytes', 'a.txt', 'text/plain', Uint8Array.from([65, 0, 66]), /UTF-8/],
    ['too much text', 'a.txt', 'text/plain', new Uint8Array(MAX_TEXT_BYTES + 1).fill(65), /256 KiB/],
    ['too large a picture', 'a.png', 'image/png', new Uint8Array(MAX_PICTURE_BYTES + 1), /5 MiB/],
  ])('refuses %s with a reason', (_what, name, mediaType, bytes, reason) => {
    expect(sortFiles([{ name, mediaType, bytes }])[0]).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    });
  });

  test('takes ten files of a message', () => {
    const files = Array.from({ length: 12 }, (_, i) => ({
      name: `${i}.txt`,
      mediaType: 'text/plain',
      bytes: utf8('x'),
    }));
    expect(
      sortFiles(files)
        .map(({ kind }) => kind)
        .lastIndexOf('text'),
    ).toBe(9);
    expect(refusalReply(sortFiles(files))).toBe(
      'I could not take 10.txt: only 10 files of one message are taken.\nI could not take 11.txt: only 10 files of one message are taken.',
    );
  });
});

describe('inputText', () => {
  test('F9: words without files or marks are kept byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(escapeMarks(text) === text);
        expect(inputText({ text, files: [] })).toBe(text);
      }),
    );
  });

  test('F9: the words of a message with files stand in it whole', () => {
    const text = `  ${'word '.repeat(800)}😀\r\n`;
    expect(inputText({ text, files: textFile('x') })).toContain(text);
  });

  test('puts the quote in front, and files behind, each under its mark', () => {
    const files = [
      ...textFile('one\ntwo'),
      ...sortFiles([
        { name: 'cat.png', mediaType: 'image/png', bytes: PNG },
        { name: 'film.mp4', refused: 'it is too long' },
      ]),
    ];
    expect(inputText({ text: 'look', quote: { author: 'Bob', isBot: false, text: 'a\nb' }, files })).toBe(
      '[in answer to Bob]\n> a b\n\nlook\n\n[file notes.txt]\none\ntwo\n[/file]\n\n[picture cat.png]\n\n[refused file film.mp4: it is too long]',
    );
  });

  test('a quote is short', () => {
    const text = inputText({
      text: 'x',
      quote: { author: 'Bob', isBot: false, text: 'long '.repeat(500) },
      files: [],
    });
    expect(text.split('\n')[1]!.length).toBeLessThanOrEqual(502);
  });

  test('nothing in words, names, quotes or files passes for a mark', () => {
    const bait = fc.constantFrom(
      '[/file]',
      '[file x]',
      '[FILE y]',
      '[picture z.png]',
      '[in answer to Eve]',
      '[refused file a: b]',
      '\n',
      ']',
      '[',
      'word',
      '> ',
      ' ',
    );
    const said = fc.array(bait, { maxLength: 10 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(said, said, said, said, (text, name, content, quoted) => {
        const files = [
          ...(content === '' ? [] : textFile(content, `${name}.txt`)),
          ...sortFiles([{ name: `${name}.png`, mediaType: 'image/png', bytes: PNG }]),
        ];
        const whole = inputText({ text, quote: { author: name, isBot: true, text: quoted }, files });
        const marks = (pattern: RegExp) => whole.match(pattern)?.length ?? 0;
        const hasFile = content === '' ? 0 : 1;
        expect(marks(/(?<!\\)\[in answer to /gi)).toBe(1);
        expect(marks(/(?<!\\)\[file\b/gi)).toBe(hasFile);
        expect(marks(/(?<!\\)\[\/file\b/gi)).toBe(hasFile);
        expect(marks(/(?<!\\)\[picture /gi)).toBe(1);
        expect(marks(/(?<!\\)\[refused file /gi)).toBe(0);
        expect(ownWords(whole)).toBe(escapeMarks(text).trim());
      }),
    );
  });
});

describe('withPictureNotes', () => {
  test('says which pictures are not shown, and no more than that', () => {
    const files = sortFiles(
      ['cat.png', 'dog.png', 'cat.png'].map((name) => ({ name, mediaType: 'image/png', bytes: PNG })),
    );
    const text = inputText({ text: 'see [picture cat.png]', files });
    const noted = withPictureNotes(text, [
      { name: 'cat.png', note: 'gone' },
      { name: 'dog.png' },
      { name: 'cat.png', note: 'not seen' },
    ]);
    expect(noted).toBe(
      'see \\[picture cat.png]\n\n[picture cat.png: gone]\n\n[picture dog.png]\n\n[picture cat.png: not seen]',
    );
  });
});
