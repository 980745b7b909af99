/** One message as the page draws it: the same for the first paint and for what comes later through the event stream. */
import { html, raw } from 'hono/html';
import { renderText } from '../format.ts';
import { OWNER } from '../schema.ts';
import type { MessageView, ThreadView } from '../view.ts';
import { cardView } from './card-view.ts';
import { icon } from './icons.ts';
import { threadPath } from './paths.ts';

export interface MessageContext {
  readonly now: number;
  /** The thread that was opened from this message. */
  readonly thread?: ThreadView;
}

export function messageItem(message: MessageView, { now, thread }: MessageContext) {
  const { id, author, at, card, text } = message;
  const name = author.kind === 'user' && author.name === OWNER ? 'You' : author.name;
  const hasOwnThread = message.thread === undefined;
  return html`<li class="message from-${author.kind}" id="message-${id}" data-message="${id}" data-seq="${message.seq}">
  <span class="avatar" aria-hidden="true">${[...name][0]?.toUpperCase() ?? ''}</span>
  <article class="message-body">
    <p class="message-head"><span class="author">${name}</span>${author.kind === 'bot' ? html`<span class="tag">agent</span>` : ''}
      ${timeOf(at)}</p>
    ${card ? cardView(card, message, now) : html`<div class="text">${raw(renderText(text))}</div>`}
    ${hasOwnThread ? html`<div class="message-thread">${thread && !card ? threadLink(thread) : ''}</div>` : ''}
  </article>
  ${hasOwnThread ? openThreadButton(message) : ''}
</li>`;
}

/** The line below a message that leads to its thread. */
export function threadLink(thread: ThreadView) {
  return html`<a class="thread-link" href="${threadPath(thread.conversation, thread.id)}">${icon('thread')}<span>${thread.title}</span></a>`;
}

function openThreadButton(message: MessageView) {
  return html`<div class="message-tools">
    <button type="button" class="tool" data-open-thread="${message.id}" data-conversation="${message.conversation}"
      title="Reply in a thread">${icon('thread')}<span>Thread</span></button>
  </div>`;
}

/** In UTC until the page's script puts the reader's own time in its place. */
function timeOf(at: number) {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(11, 16)}</time>`;
}

/** The text of a reply that is still being written. */
export function previewHtml(text: string): string {
  return renderText(text);
}
