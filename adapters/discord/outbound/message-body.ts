/** Parts as the bodies of Discord's requests. Nobody is ever notified by what a text says. */
import type { RawFile } from 'discord.js';
import { AppError } from '../../../src/errors.ts';
import type { OutboundFile, OutboundPart } from '../../../src/ports/channel.ts';
import { wellFormed } from '../well-formed.ts';
import { type ButtonRow, type DrawnCard, drawCard } from './card.ts';
import { formatText } from './format.ts';
import { nonceOf } from './nonce.ts';

/** For the text of one message, in UTF-16 units. https://docs.discord.com/developers/resources/message#create-message */
export const MAX_TEXT_LENGTH = 2_000;

export interface DrawnPart {
  readonly content: string;
  readonly components: ButtonRow[];
  readonly remember: DrawnCard['remember'];
}

/** Throws `channel-invalid` for a text that Discord would refuse, before anything is begun. */
export function drawPart({ text, card, file }: Pick<OutboundPart, 'text' | 'card' | 'file'>): DrawnPart {
  const drawn = card ? drawCard(card) : { content: formatText(text), rows: [], remember: [] };
  const { content, rows: components, remember } = drawn;
  if (content.length > MAX_TEXT_LENGTH) {
    const message = `A message of Discord may hold ${MAX_TEXT_LENGTH} characters, not ${content.length}.`;
    throw new AppError('channel-invalid', message);
  }
  if (content.trim() === '' && !file) throw new AppError('channel-invalid', 'A message must hold something.');
  // As it is found again afterwards.
  return { content: wellFormed(content), components, remember };
}

export function messageBody({ content, components }: DrawnPart) {
  return { content, components, allowed_mentions: { parse: [] } };
}

/** With what makes sending it again harmless, and with the message that it answers. */
export function newMessageBody(drawn: DrawnPart, { id, replyTo }: Pick<OutboundPart, 'id' | 'replyTo'>) {
  return {
    ...messageBody(drawn),
    nonce: nonceOf(id),
    enforce_nonce: true,
    ...(replyTo !== undefined && {
      message_reference: { message_id: replyTo, fail_if_not_exists: false },
      allowed_mentions: { parse: [], replied_user: true },
    }),
  };
}

export function uploads(file: OutboundFile | undefined): RawFile[] {
  if (!file) return [];
  return [{ name: file.name, data: Buffer.from(file.text), contentType: 'text/markdown; charset=utf-8' }];
}
