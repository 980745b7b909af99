/**
 * Looks in a channel for a message that may have been posted. What Discord shows of a message afterwards holds no nonce, so
 * it is told by its author, text, buttons, file and the message it answers, among those that are new enough.
 */
import { Routes } from 'discord.js';
import type { OutboundPart } from '../../src/ports/channel.ts';
import type { CallDiscord } from './calls.ts';
import type { DrawnPart } from './message-body.ts';
import { type DiscordMessage, messagesSchema } from './schema.ts';
import { snowflakeAt } from './snowflake.ts';

/** Discord's limit for one look. */
const PAGE = 100;
const MAX_PAGES = 5;
/** How far Discord's clock may be behind ours. */
const CLOCK_SKEW_MS = 5_000;

export interface Wanted {
  readonly self: string;
  readonly drawn: DrawnPart;
  readonly replyTo: string | undefined;
  readonly file: OutboundPart['file'];
  /** Messages that are known to be something else. */
  readonly others: ReadonlySet<string>;
}

/** The oldest that fits. `since`: nothing older counts; absent: only the last page is looked at. */
export async function searchSent(
  call: CallDiscord,
  channelId: string,
  since: number | undefined,
  wanted: Wanted,
): Promise<string | undefined> {
  let after = since === undefined ? undefined : snowflakeAt(since - CLOCK_SKEW_MS);
  for (let page = 0; page < MAX_PAGES; page++) {
    const messages = await call({
      what: 'look for a message',
      method: 'GET',
      route: Routes.channelMessages(channelId),
      query: { limit: String(PAGE), ...(after !== undefined && { after }) },
      answer: messagesSchema,
    });
    // Newest first.
    const found = messages.findLast((message) => isWanted(message, wanted));
    if (found) return found.id;
    const newest = messages[0];
    if (after === undefined || messages.length < PAGE || !newest) return undefined;
    after = newest.id;
  }
  return undefined;
}

/** Exported for its test. A reference that Discord has dropped, since the message is gone, does not tell against it. */
export function isWanted(message: DiscordMessage, { self, drawn, replyTo, file, others }: Wanted): boolean {
  const reference = message.message_reference?.message_id;
  return (
    message.author.id === self &&
    !others.has(message.id) &&
    message.content.trim() === drawn.content.trim() &&
    (reference === undefined || reference === replyTo) &&
    message.attachments.map(({ filename }) => filename).join() === (file?.name ?? '') &&
    buttonsOf(message.components ?? []).join('\n') === buttonsOf(drawn.components).join('\n')
  );
}

function buttonsOf(
  rows: readonly { components?: readonly { custom_id?: string | undefined }[] | undefined }[],
) {
  return rows.flatMap((row) => (row.components ?? []).flatMap(({ custom_id: id }) => (id ? [id] : [])));
}
