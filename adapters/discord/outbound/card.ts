/**
 * The run card as Discord shows it: two or three lines of text, or a question, and a row of buttons. The same card always gives the same
 * text (Discord itself counts the time since the start), so that a card that was sent can be told by its text.
 */
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
  escapeMarkdown,
} from 'discord.js';
import type { CardAction, RunCard } from '../../../src/core/card.ts';
import { formatDuration } from '../../../src/core/duration.ts';
import { shorten } from '../../../src/core/shorten.ts';
import { type EncodedButton, encodeButton } from './buttons.ts';

export type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

export interface DrawnCard {
  readonly content: string;
  readonly rows: ButtonRow[];
  /** What the memory must hold before the buttons are shown. */
  readonly remember: readonly NonNullable<EncodedButton['remember']>[];
}

const MAX_LABEL_LENGTH = 150;
const MAX_TOOL_LENGTH = 60;
const MAX_NOTE_LENGTH = 300;
const MAX_QUESTION_LENGTH = 1_500;
/** https://docs.discord.com/developers/components/reference#button and #action-row */
const MAX_BUTTON_LABEL_LENGTH = 80;
const BUTTONS_PER_ROW = 5;
const MAX_ROWS = 5;

const STATES: Readonly<Record<RunCard['state'], { readonly icon: string; readonly words: string }>> = {
  opening: { icon: '🧵', words: 'Opening its thread' },
  queued: { icon: '⏳', words: 'Waiting for its turn' },
  running: { icon: '⚙️', words: 'Working' },
  waiting: { icon: '💤', words: 'Waiting for subagents' },
  succeeded: { icon: '✅', words: 'Done' },
  failed: { icon: '❌', words: 'Failed' },
  timed_out: { icon: '⌛', words: 'Ran out of time' },
  cancelled: { icon: '⏹️', words: 'Stopped' },
  interrupted: { icon: '⚡', words: 'Interrupted' },
};

export function drawCard(card: RunCard): DrawnCard {
  const buttons = card.actions.slice(0, BUTTONS_PER_ROW * MAX_ROWS).map(drawButton);
  return {
    content: question(card) ?? [headline(card), ...subtexts(card)].join('\n'),
    rows: inRows(buttons.map(({ button }) => button)),
    remember: buttons.flatMap(({ remember }) => (remember ? [remember] : [])),
  };
}

/** Said as it is: it has been written for people, in Markdown. */
function question({ isQuestion, note }: RunCard): string | undefined {
  return isQuestion && note !== undefined ? shorten(note, MAX_QUESTION_LENGTH) : undefined;
}

function headline({ state, label, thread }: RunCard): string {
  const { icon, words } = STATES[state];
  const title = escapeMarkdown(shorten(label, MAX_LABEL_LENGTH));
  return [`${icon} **${title}**`, words, ...(thread !== undefined ? [`<#${thread}>`] : [])].join(' · ');
}

/** Small grey lines. */
function subtexts(card: RunCard): string[] {
  const facts = [
    ...(card.tool !== undefined ? [`\`${shorten(card.tool.replaceAll('`', ''), MAX_TOOL_LENGTH)}\``] : []),
    ...time(card),
    ...tokens(card),
    ...(card.activeChildren > 0 ? [plural(card.activeChildren, 'subagent', 'at work')] : []),
  ];
  return [
    ...(facts.length > 0 ? [`-# ${facts.join(' · ')}`] : []),
    ...(card.note !== undefined ? [`-# ${escapeMarkdown(shorten(card.note, MAX_NOTE_LENGTH))}`] : []),
  ];
}

function time({ startedAt, endedAt }: RunCard): string[] {
  if (startedAt === undefined) return [];
  if (endedAt !== undefined) return [`took ${formatDuration(endedAt - startedAt)}`];
  return [`started <t:${Math.floor(startedAt / 1_000)}:R>`];
}

function tokens({ usage }: RunCard): string[] {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens + outputTokens === 0) return [];
  return [`${inputTokens.toLocaleString('en-US')} tokens in, ${outputTokens.toLocaleString('en-US')} out`];
}

function plural(count: number, noun: string, rest: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'} ${rest}`;
}

function drawButton(action: CardAction) {
  const { customId, remember } = encodeButton(action);
  const button: APIButtonComponentWithCustomId = {
    type: ComponentType.Button,
    style: action.label === 'Stop' ? ButtonStyle.Danger : ButtonStyle.Secondary,
    label: shorten(action.label, MAX_BUTTON_LABEL_LENGTH),
    custom_id: customId,
  };
  return { button, remember };
}

function inRows(buttons: readonly APIButtonComponentWithCustomId[]): ButtonRow[] {
  const rows: ButtonRow[] = [];
  for (let i = 0; i < buttons.length; i += BUTTONS_PER_ROW) {
    rows.push({ type: ComponentType.ActionRow, components: buttons.slice(i, i + BUTTONS_PER_ROW) });
  }
  return rows;
}
