/** A run card as the page draws it. What it shows comes from the stored card alone, so a reload never shows old work. */
import { html } from 'hono/html';
import type { CardAction, RunCard } from '../../../src/core/card.ts';
import { formatDuration } from '../../../src/core/duration.ts';
import type { MessageView } from '../view.ts';
import { icon } from './icons.ts';
import { threadPath } from './paths.ts';

const STATE_WORDS: Readonly<Record<RunCard['state'], string>> = {
  opening: 'Opening its thread',
  queued: 'Waiting for its turn',
  running: 'Working',
  waiting: 'Waiting for subagents',
  succeeded: 'Done',
  failed: 'Failed',
  timed_out: 'Ran out of time',
  cancelled: 'Stopped',
  interrupted: 'Interrupted',
};

export function cardView(card: RunCard, message: MessageView, now: number) {
  const isElsewhere = card.thread !== undefined && card.thread !== message.thread;
  const actions = [
    ...(isElsewhere ? [openThreadLink(message.conversation, card.thread)] : []),
    ...card.actions.map((action) => actionButton(action, card, message)),
  ];
  return html`<section class="card" data-state="${card.state}" aria-label="Run: ${card.label}">
    <header class="card-head">
      <span class="card-label">${card.label}</span>
      <span class="card-state">${icon(card.state)}<span>${STATE_WORDS[card.state]}</span></span>
    </header>
    <dl class="card-facts">${facts(card, now)}</dl>
    ${card.note ? html`<p class="card-note">${card.note}</p>` : ''}
    ${actions.length > 0 ? html`<div class="card-actions">${actions}</div>` : ''}
    <p class="card-problem" role="status"></p>
  </section>`;
}

function openThreadLink(conversation: string, thread: string) {
  return html`<a class="button" href="${threadPath(conversation, thread)}">${icon('thread')}Open thread</a>`;
}

function facts(card: RunCard, now: number) {
  const { tool, startedAt, endedAt, usage, activeChildren } = card;
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    tool !== undefined ? fact('Tool', html`<code>${tool}</code>`) : '',
    startedAt !== undefined ? fact('Time', elapsed(startedAt, endedAt, now)) : '',
    tokens > 0 ? fact('Tokens', tokens.toLocaleString('en-US')) : '',
    activeChildren > 0 ? fact('Subagents', `${activeChildren} at work`) : '',
  ];
}

function fact(name: string, value: unknown) {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Goes on ticking in the page while the run has not ended. */
function elapsed(startedAt: number, endedAt: number | undefined, now: number) {
  if (endedAt !== undefined) return formatDuration(endedAt - startedAt);
  return html`<span data-since="${startedAt}">${formatDuration(now - startedAt)}</span>`;
}

function actionButton(action: CardAction, card: RunCard, message: MessageView) {
  return html`<button type="button" class="button" data-command="${action.command}"
    data-conversation="${message.conversation}" data-thread="${action.thread ?? message.thread ?? ''}"
    aria-label="${action.label}: ${card.label}">${action.label}</button>`;
}
