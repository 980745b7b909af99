/** The end of a round: what was given up is gone on with, as its note offers, until nothing is under way any more. */
import { setTimeout as pause } from 'node:timers/promises';
import type { StateReader } from './leftovers.ts';
import type { PlannedConversation } from './plan.ts';
import { pressResume } from './resume.ts';
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
  for (;;) {
    const unfinished = state.unfinished();
    if (performance.now() > giveUpAt) return unfinished;
    if (unfinished.length === 0) {
      let pressed = 0;
      for (const { name } of conversations) pressed += await pressResume(chat, name);
      if (pressed === 0) return [];
    }
    await pause(LOOK_MS);
  }
}
