/**
 * What a button carries: the command that pressing it gives, where, and who may press it. All of it is in the button's own
 * id, so that a button still works after a restart; a command too long for that is remembered under its hash.
 */
import { createHash } from 'node:crypto';
import type { CardAction } from '../../../src/core/card.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';

export type Button = Omit<CardAction, 'label'>;

/** https://docs.discord.com/developers/components/reference#button */
const MAX_ID_LENGTH = 100;
const WHOLE = 'skein|';
const HASHED = 'skein#';
const MEMORY_PREFIX = 'button:';

export interface EncodedButton {
  readonly customId: string;
  /** What must be in the memory before the button is shown. */
  readonly remember?: { readonly key: string; readonly value: string };
}

/** Ids of threads and people hold no `|`. */
export function encodeButton({ command, thread = '', presser = '' }: Button): EncodedButton {
  const customId = `${WHOLE}${thread}|${presser}|${command}`;
  if (customId.length <= MAX_ID_LENGTH) return { customId };
  const hash = createHash('sha256').update(customId).digest('base64url');
  return { customId: HASHED + hash, remember: { key: MEMORY_PREFIX + hash, value: customId } };
}

/**
 * `undefined`: not one of our buttons, or one that is only known by its hash. Its thread becomes part of the address of calls:
 * nothing but an id is taken for one.
 */
export function decodeButton(customId: string): Button | undefined {
  const match = /^skein\|(\d*)\|([^|]*)\|([\s\S]*)$/.exec(customId);
  if (!match) return undefined;
  const [, thread, presser, command] = match as unknown as [string, string, string, string];
  return { command, ...(thread && { thread }), ...(presser && { presser }) };
}

/** The button with that id, looked up where its id alone does not say it. `undefined`: not ours, or forgotten. */
export async function readButton(customId: string, memory: AdapterMemory): Promise<Button | undefined> {
  if (!customId.startsWith(HASHED)) return decodeButton(customId);
  const key = MEMORY_PREFIX + customId.slice(HASHED.length);
  const remembered = (await memory.list(key)).find((entry) => entry.key === key);
  return remembered && decodeButton(remembered.value);
}
