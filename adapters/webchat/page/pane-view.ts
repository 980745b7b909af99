/** One place to talk in: its head, its messages and the composer. The channel and an open thread are each one. */
import { html } from 'hono/html';
import type { MessageView, ThreadView } from '../view.ts';
import { icon } from './icons.ts';
import { messageItem } from './message-view.ts';
import { channelPath } from './paths.ts';
import { bindingLine } from './sidebar-view.ts';

export interface Pane {
  readonly conversation: string;
  readonly messages: readonly MessageView[];
  readonly threads: readonly ThreadView[];
  readonly now: number;
}

const EXAMPLES = [
  'Look into the history of tea in a thread',
  'Spawn a subagent to compare SQLite and PostgreSQL',
  '/help',
];

export function channelPane(pane: Pane) {
  return html`<main class="pane channel-pane" data-pane data-conversation="${pane.conversation}" data-thread="">
  <header class="pane-head">
    <button type="button" class="icon-button only-narrow" data-open-sidebar aria-controls="sidebar" aria-label="Channels and threads">${icon('menu')}</button>
    <h1><span class="hash" aria-hidden="true">#</span>${pane.conversation}</h1>
  </header>
  ${messageArea(pane, `in #${pane.conversation}`, emptyChannel())}
  ${composer('channel', `Message #${pane.conversation}`)}
</main>`;
}

export function threadPane(pane: Pane & { readonly thread: ThreadView }) {
  const { thread, conversation } = pane;
  return html`<section class="pane thread-pane" data-pane data-conversation="${conversation}" data-thread="${thread.id}" aria-label="Thread: ${thread.title}">
  <header class="pane-head">
    <a class="icon-button" data-close-thread href="${channelPath(conversation)}" aria-label="Close the thread">${icon('close')}${icon('back')}</a>
    <div class="pane-title"><h2>${thread.title}</h2><p class="thread-bound" data-thread-bound>${bindingLine(thread)}</p></div>
  </header>
  ${messageArea(pane, `in the thread ${thread.title}`, emptyThread(thread))}
  ${composer('thread', 'Reply in this thread')}
</section>`;
}

function messageArea({ messages, threads, now }: Pane, where: string, empty: unknown) {
  const threadOf = new Map(threads.map((thread) => [thread.id, thread]));
  return html`<div class="scroll" data-scroll tabindex="0" role="region" aria-label="Messages ${where}">
    <div class="empty" data-empty ${messages.length > 0 ? html`hidden` : ''}>${empty}</div>
    <ol class="messages" data-messages>${messages.map((message) => {
      const thread = threadOf.get(message.id);
      return messageItem(message, { now, ...(thread && { thread }) });
    })}</ol>
    <div class="previews" data-previews></div>
    <p class="typing" data-typing hidden><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>working on it…</p>
  </div>
  <button type="button" class="to-newest button" data-to-newest hidden>New messages ↓</button>`;
}

function emptyChannel() {
  return html`<h2>Say what you need</h2>
  <p>The agent answers here. For anything longer, let it hand the work to a subagent in a thread of its own, where you can talk to it.</p>
  <ul class="examples">${EXAMPLES.map(
    (example) =>
      html`<li><button type="button" class="example" data-example="${example}">${example}</button></li>`,
  )}</ul>
  <p class="hint">Type <kbd>/</kbd> for commands.</p>`;
}

function emptyThread(thread: ThreadView) {
  return thread.boundTo === undefined
    ? html`<p>Nothing here yet. What you write in this thread goes to the agent, apart from the channel.</p>`
    : html`<p>Nothing here yet. What you write goes to <strong>${thread.label ?? thread.boundTo}</strong>.</p>`;
}

function composer(kind: 'channel' | 'thread', label: string) {
  const id = `composer-${kind}`;
  return html`<form class="composer" data-composer>
    <ul class="completions" id="${id}-choices" role="listbox" aria-label="Commands" hidden></ul>
    <div class="composer-box">
      <label class="visually-hidden" for="${id}">${label}</label>
      <textarea id="${id}" rows="1" placeholder="${label}" autocomplete="off" maxlength="100000"
        aria-autocomplete="list" aria-controls="${id}-choices" aria-describedby="${id}-problem" enterkeyhint="send"></textarea>
      <button type="button" class="send" data-send aria-label="Send">${icon('send')}</button>
    </div>
    <p class="composer-problem" id="${id}-problem" role="alert"></p>
    <noscript><p class="composer-problem">Writing needs JavaScript; reading does not.</p></noscript>
  </form>`;
}
