/**
 * Message text as HTML: a small, safe part of Markdown. Everything is escaped first and only the tags below are ever
 * written, so no text of a user, model or tool can put markup, script or a foreign scheme into the page.
 *
 *   blocks: fenced code · list · quote · heading (as bold) · paragraph      inline: `code` · **bold** · *italic* · links
 */
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)\s*$/;
const LIST_ITEM = /^\s{0,8}(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const QUOTE = /^>\s?(.*)$/;
/** Tried at each place from left to right; the first that fits wins. */
const INLINE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^\s*][^*\n]*)\*|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s()<>]{1,2000}|\/c\/[\w/-]{1,200})\)|(https?:\/\/[^\s<>"'`]{1,2000})/g;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export function renderText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: string[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]!.trim() === '') {
      at++;
      continue;
    }
    const block =
      readFence(lines, at) ?? readList(lines, at) ?? readQuote(lines, at) ?? readParagraph(lines, at);
    blocks.push(block.html);
    at = block.next;
  }
  return blocks.join('');
}

interface Block {
  readonly html: string;
  /** The line after the block. */
  readonly next: number;
}

/** A fence that is not closed runs to the end: text that is still being written looks like that. */
function readFence(lines: readonly string[], at: number): Block | undefined {
  const open = FENCE.exec(lines[at]!);
  if (!open) return undefined;
  let end = at + 1;
  while (end < lines.length && !isClosing(lines[end]!, open[1]!)) end++;
  const code = escapeHtml(lines.slice(at + 1, end).join('\n'));
  const language = open[2] ? ` data-language="${escapeHtml(open[2])}"` : '';
  return { html: `<pre tabindex="0"${language}><code>${code}</code></pre>`, next: end + 1 };
}

function isClosing(line: string, fence: string): boolean {
  const word = line.trim();
  return word.length >= fence.length && word === fence[0]!.repeat(word.length);
}

function readList(lines: readonly string[], at: number): Block | undefined {
  const first = LIST_ITEM.exec(lines[at]!);
  if (!first) return undefined;
  const tag = first[1] ? 'ul' : 'ol';
  const items: string[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const item = LIST_ITEM.exec(lines[next]!);
    if (!item || (item[1] ? 'ul' : 'ol') !== tag) break;
    items.push(`<li>${renderInline(item[2]!)}</li>`);
  }
  return { html: `<${tag}>${items.join('')}</${tag}>`, next };
}

function readQuote(lines: readonly string[], at: number): Block | undefined {
  if (!QUOTE.test(lines[at]!)) return undefined;
  const quoted: string[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = QUOTE.exec(lines[next]!);
    if (!line) break;
    quoted.push(renderInline(line[1]!));
  }
  return { html: `<blockquote>${quoted.join('<br>')}</blockquote>`, next };
}

function readParagraph(lines: readonly string[], at: number): Block {
  const heading = HEADING.exec(lines[at]!);
  if (heading) return { html: `<p><strong>${renderInline(heading[1]!)}</strong></p>`, next: at + 1 };
  let next = at + 1;
  while (next < lines.length && !beginsBlock(lines[next]!)) next++;
  return { html: `<p>${lines.slice(at, next).map(renderInline).join('<br>')}</p>`, next };
}

function beginsBlock(line: string): boolean {
  return [FENCE, LIST_ITEM, QUOTE, HEADING].some((form) => form.test(line)) || line.trim() === '';
}

function renderInline(text: string): string {
  let html = '';
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(from, match.index));
    const [whole, code, bold, italic, label, target, bare] = match;
    from = match.index + whole.length;
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`;
    else if (bold !== undefined) html += `<strong>${renderInline(bold)}</strong>`;
    else if (italic !== undefined) html += `<em>${renderInline(italic)}</em>`;
    else if (target !== undefined) html += link(target, label!);
    else html += bareLink(bare!);
  }
  return html + escapeHtml(text.slice(from));
}

/** A full stop or bracket after an address belongs to the sentence, not to the address. */
function bareLink(address: string): string {
  const target = address.replace(/[.,;:!?)\]}*]+$/, '');
  return link(target, target) + escapeHtml(address.slice(target.length));
}

function link(target: string, label: string): string {
  // A place in this chat, as thread links are written.
  if (target.startsWith('/c/')) return `<a href="${escapeHtml(target)}">${escapeHtml(label)}</a>`;
  if (!URL.canParse(target)) return escapeHtml(label);
  return `<a href="${escapeHtml(target)}" target="_blank" rel="noopener noreferrer">${escapeHtml(label)}</a>`;
}
