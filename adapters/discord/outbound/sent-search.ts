/**
 * Looks in a channel for a message that may have been posted. What Discord shows of a message afterwards holds no nonce, so
 * it is told by its author, text, buttons, file and the message it answers, among those that are new enough.
 */
import { Routes } from 'discord.js';
import type { OutboundPart } from '../../../src/ports/channel.ts';
import type { CallDiscord } from '../calls.ts';
import { type DiscordMessage, messagesSchema } from '../schema.ts';
import { CLOCK_SKEW_MS, snowflakeAt } from '../snowflake.ts';
import type { DrawnPart } from './message-body.ts';

/** https://docs.discord.com/developers/resources/message#get-channel-messages */
const PAGE = 100;
const MAX_PAGES = 5;

export interface Wanted {
  readonly self: string;
  readonly drawn: DrawnPart;
  readonly replyTo: string | undefined;
  readonly file: OutboundPart['file'];
  /** Messages that are known to be something else. */
  readonly others: ReadonlySet<string>;
}

/**
 * The oldest that fits. `since`: nothing older counts; absent: only the last page is looked at. Discord drops a reference
 * whose message is gone, so one without a reference counts where none with it is found.
 */
export async function searchSent(
  call: CallDiscord,
  channelId: string,
  since: number | undefined,
  wanted: Wanted,
): Promise<string | undefined> {
  let after = since === undefined ? undefined : snowflakeAt(since - CLOCK_SKEW_MS);
  let unreferenced: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const messages = await call({
      what: 'look for a message',
      method: 'GET',
      route: Routes.channelMessages(channelId),
      query: { limit: String(PAGE), ...(after !== undefined && { after }) },
      answer: messagesSchema,
    });
    // Newest first.
    const fitting = messages.filter((message) => isWanted(message, wanted)).reverse();
    const found = fitting.find((message) => referenceOf(message) === wanted.replyTo);
    if (found) return found.id;
    unreferenced ??= fitting.find((message) => referenceOf(message) === undefined)?.id;
    const newest = messages[0];
    if (after === undefined || messages.length < PAGE || !newest) break;
    after = newest.id;
  }
  return unreferenced;
}

function isWanted(message: DiscordMessage, { self, drawn, file, others }: Wanted): boolean {
  return (
    message.author.id === self &&
    !others.has(message.id) &&
    message.content.trim() === drawn.content.trim() &&
    message.attachments.map(({ filename }) => filename).join() === (file?.name ?? '') &&
    buttonsOf(message.components ?? []).join('\n') === buttonsOf(drawn.components).join('\n')
  );
}

const referenceOf = ({ message_reference: reference }: DiscordMessage) => reference?.message_id;

function buttonsOf(
  rows: readonly { components?: readonly { custom_id?: string | undefined }[] | undefined }[],
) {
  return rows.flatMap((row) => (row.components ?? []).flatMap(({ custom_id: id }) => (id ? [id] : [])));
}
