/** The end of a round: what was given up is gone on with, as its note offers, until nothing is under way any more. */
import { setTimeout as pause } from 'node:timers/promises';
import type { StateReader } from './leftovers.ts';
import type { PlannedConversation } from './plan.ts';
import type { WebChat } from './web-chat.ts';

const SETTLE_MS = 90_000;
const LOOK_MS = 250;

/** Waits until nothing is under way any more; returns what never came to an end. */
export async function settle(
  chat: WebChat,
  state: StateReader,
  conversations: readonly PlannedConversation[],
): Promise<readonly string[]> {
  const giveUpAt = performance.now() + SETTLE_MS;
  let pressed = 0;
  for (;;) {
    const unfinished = state.unfinished();
    if (performance.now() > giveUpAt) return unfinished;
    if (unfinished.length === 0) {
      const resumed = await pressResume(chat, conversations, pressed);
      if (resumed === 0) return [];
      pressed += resumed;
    }
    await pause(LOOK_MS);
  }
}

/** What was given up is gone on with, as the note about it offers. Returns how many were pressed. */
async function pressResume(
  chat: WebChat,
  conversations: readonly PlannedConversation[],
  pressed: number,
): Promise<number> {
  let count = 0;
  for (const { name } of conversations) {
    const places = [undefined, ...(await chat.threads(name)).map(({ id }) => id)];
    for (const thread of places) {
      for (const { card } of await chat.messages(name, thread)) {
        const command = card?.actions?.find((action) => action.command.startsWith('/resume'))?.command;
        if (command === undefined) continue;
        const id = `resume-${pressed + ++count}`;
        await chat.post({ id, conversation: name, text: command, via: 'button', ...(thread && { thread }) });
      }
    }
  }
  return count;
}
