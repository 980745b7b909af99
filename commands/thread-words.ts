/** How a thread is named in lists: where people go by pressing it, and by its id. */
import type { Address } from '../src/core/address.ts';
import { type ChannelDirectory, threadLink } from '../src/delivery/directory.ts';

/** `at`: a place in the conversation that the thread is in. */
export function threadWords(directory: ChannelDirectory, at: Address, thread: string): string {
  return `${threadLink(directory, at, thread)} thread:${thread}`;
}
