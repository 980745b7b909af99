/** The list of channels, with the threads of the open one: what each is bound to and how long that still holds. */
import { html } from 'hono/html';
import { formatDuration } from '../../../src/core/duration.ts';
import type { ThreadView } from '../view.ts';
import { icon } from './icons.ts';
import { channelPath, threadPath } from './paths.ts';

export interface Sidebar {
  readonly conversations: readonly string[];
  readonly conversation: string;
  readonly thread?: string;
  readonly threads: readonly ThreadView[];
}

export function sidebarView(sidebar: Sidebar) {
  const { conversations, conversation, thread } = sidebar;
  return html`<nav class="sidebar" id="sidebar" aria-label="Channels and threads">
  <div class="brand"><span class="brand-mark" aria-hidden="true"></span><span>Skein</span>
    <button type="button" class="icon-button only-narrow" data-close-sidebar aria-label="Close the menu">${icon('close')}</button></div>
  <h2>Channels</h2>
  <ul class="channels">
    ${conversations.map(
      (name) => html`<li><a href="${channelPath(name)}" data-place="${name}"
        ${name === conversation && thread === undefined ? html`aria-current="page"` : ''}
        class="${name === conversation ? 'is-open' : ''}"><span class="hash" aria-hidden="true">#</span>${name}<span class="unread" hidden>new</span></a></li>`,
    )}
  </ul>
  <form class="new-channel" action="/c" method="get">
    <label class="visually-hidden" for="new-channel-name">Name of the channel to open</label>
    <input id="new-channel-name" name="name" placeholder="new-channel" autocomplete="off" required maxlength="64"
      pattern="[a-z0-9][a-z0-9_\\-]*" title="Small letters, digits, _ and -">
    <button class="icon-button" aria-label="Open the channel">${icon('plus')}</button>
  </form>
  <h2>Threads in #${conversation}</h2>
  <div id="threads">${threadList(sidebar)}</div>
  <div hidden hx-get="/fragments/threads?conversation=${conversation}&amp;thread=${thread ?? ''}" hx-target="#threads"
    hx-select="unset" hx-swap="innerHTML" hx-trigger="threads-changed from:body, every 60s"></div>
  <div class="sidebar-foot">
    <button type="button" class="text-button" data-theme-toggle>${icon('theme')}<span>Theme: <span data-theme-name>automatic</span></span></button>
  </div>
</nav>`;
}

/** Newest first. */
export function threadList({
  conversation,
  thread,
  threads,
}: Pick<Sidebar, 'conversation' | 'thread' | 'threads'>) {
  if (threads.length === 0)
    return html`<p class="hint">None yet. A subagent can open one, or you can, from any message.</p>`;
  return html`<ul class="threads">${threads.toReversed().map(
    (item) => html`<li><a href="${threadPath(conversation, item.id)}" data-place="${conversation}/${item.id}"
      ${item.id === thread ? html`aria-current="page"` : ''}>
      <span class="thread-title">${item.title}<span class="unread" hidden>new</span></span>
      <span class="thread-bound">${bindingLine(item)}</span></a></li>`,
  )}</ul>`;
}

/** `● research · ends in 23h 59m · at most 6d 2h` */
export function bindingLine(thread: ThreadView) {
  if (thread.boundTo === undefined) return thread.archived ? html`archived` : html`not focused`;
  return html`<span class="bound-dot" aria-hidden="true"></span><span class="bound-label" title="what is written there goes to it">${boundName(thread)}</span>${timer(
    'ends in',
    'unfocused after this long without a message',
    thread.idleLeftMs,
  )}${timer('at most', 'unfocused after this long in any case', thread.maxAgeLeftMs)}`;
}

/** A subagent's thread often bears its name already. */
function boundName(thread: ThreadView) {
  return thread.label === thread.title ? 'focused' : (thread.label ?? thread.boundTo);
}

function timer(name: string, meaning: string, leftMs: number | undefined) {
  if (leftMs === undefined) return '';
  return html`<span class="timer" title="${meaning}">${name} <span data-left="${leftMs}">${formatDuration(leftMs)}</span></span>`;
}
