import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderText } from '../../adapters/webchat/format.ts';

describe('message text', () => {
  it.each([
    ['one\ntwo\n\nthree', '<p>one<br>two</p><p>three</p>'],
    [
      '**bold** and *soft* and `a < b`',
      '<p><strong>bold</strong> and <em>soft</em> and <code>a &lt; b</code></p>',
    ],
    ['- a\n- b\n1. c', '<ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>'],
    ['> said\n> so', '<blockquote>said<br>so</blockquote>'],
    ['# Title\ntext', '<p><strong>Title</strong></p><p>text</p>'],
    [
      '```ts\nif (a < b) **x**\n```\nafter',
      '<pre tabindex="0" data-language="ts"><code>if (a &lt; b) **x**</code></pre><p>after</p>',
    ],
    ['```\nstill being written', '<pre tabindex="0"><code>still being written</code></pre>'],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
  ])('%j is drawn as it was meant', (text, html) => expect(renderText(text)).toBe(html));

  it('makes links of web addresses, without the full stop behind them', () => {
    expect(renderText('see https://example.com/a?b=1&c=2.')).toBe(
      '<p>see <a href="https://example.com/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer">https://example.com/a?b=1&amp;c=2</a>.</p>',
    );
    expect(renderText('[docs](https://example.com)')).toContain('>docs</a>');
  });

  it('makes links to places in this chat, and to nowhere else in the server', () => {
    expect(renderText('[open the thread](/c/general/t/m_1)')).toBe(
      '<p><a href="/c/general/t/m_1">open the thread</a></p>',
    );
    expect(renderText('[x](/api/webchat/events)')).not.toContain('<a');
    expect(renderText('[x](//evil.example)')).not.toContain('<a');
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](data:text/html,y)',
    '<a href="javascript:x">',
    'javascript:alert(1)',
  ])('never links %j', (text) => expect(renderText(text)).not.toContain('<a'));

  it('never lets text become markup, whatever it is', () => {
    const TAG = /<(?!\/?(?:p|br|strong|em|code|pre|ul|ol|li|blockquote|a)\b)/;
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '```',
      '*',
      '**',
      '[',
      '](',
      ')',
      'https://a',
      '/c/a',
      '\n',
      '- ',
      '> ',
      '# ',
      'x',
      'onerror=',
      '<script>',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const html = renderText(pieces.join(''));
        const withoutTags = html.replaceAll(/<\/?[a-z]+(?: [a-z-]+="[^"<>]*")*>/g, '');
        return !TAG.test(html) && !/[<>"']/.test(withoutTags);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays quick with hostile text', () => {
    const startedAt = performance.now();
    for (const unit of ['*', '**a', '`', '[', '[a](', '> ', '- ', '](https://', 'https://a.'])
      renderText(unit.repeat(20_000 / unit.length));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
