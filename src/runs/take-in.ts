/**
 * What a message brings beside its words: the message that it answers and its files become part of the input. Pictures are
 * stored for the session; of files that are not taken both the sender and the model are told.
 */
import { createHash } from 'node:crypto';
import { inputText, refusalReply } from '../core/attachment-text.ts';
import { type SortedFile, sortFiles } from '../core/attachments.ts';
import type { Inbound } from '../core/message.ts';
import type { Picture } from '../core/transcript.ts';
import type { Session, StoreTx } from '../ports/store/index.ts';

export interface TakenIn {
  readonly text: string;
  readonly images?: readonly Picture[];
  /** What the sender is told at once. */
  readonly refusal?: string;
}

/** `text`: the words, which for a message given through a command are not its own. */
export async function takeIn(
  tx: StoreTx,
  session: Session,
  { files = [], quote }: Pick<Inbound, 'files' | 'quote'>,
  text: string,
  now: number,
): Promise<TakenIn> {
  const sorted = sortFiles(files);
  const images: Picture[] = [];
  for (const file of sorted) {
    if (file.kind === 'picture') images.push(await kept(tx, session, file, now));
  }
  const refusal = refusalReply(sorted);
  return {
    text: inputText({ text, files: sorted, ...(quote && { quote }) }),
    ...(images.length > 0 && { images }),
    ...(refusal !== undefined && { refusal }),
  };
}

async function kept(
  tx: StoreTx,
  session: Session,
  { name, mediaType, bytes }: Extract<SortedFile, { kind: 'picture' }>,
  now: number,
): Promise<Picture> {
  const file = createHash('sha256').update(bytes).digest('hex');
  await tx.files.put(session.key, { id: file, mediaType, bytes }, now);
  return { file, mediaType, name };
}
