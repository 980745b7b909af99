/** A message that is kept until somebody says whether it is to be answered. The bytes of its files are not kept. */
import type { Inbound, InboundFile } from './message.ts';

export type HeldMessage = Omit<Inbound, 'files'> & {
  readonly files?: readonly { readonly name: string; readonly refused: string }[];
};

const NOT_KEPT = 'it came while I was away, and I have not kept it; please send it again';

/** Fields of the message alone, whatever else the given object carries. */
export function heldMessage(message: Inbound): HeldMessage {
  const { address, eventId, sender, text, source, isAddressed, at } = message;
  const { isMention, place, command, presser, files, quote } = message;
  return {
    address,
    eventId,
    sender,
    text,
    source,
    isAddressed,
    at,
    ...(isMention !== undefined && { isMention }),
    ...(place && { place }),
    ...(command && { command }),
    ...(presser !== undefined && { presser }),
    ...(files && { files: files.map(heldFile) }),
    ...(quote && { quote }),
  };
}

function heldFile(file: InboundFile): { readonly name: string; readonly refused: string } {
  return { name: file.name, refused: 'refused' in file ? file.refused : NOT_KEPT };
}
