/** The button under a note about work that was given up. */
import type { WebChat } from './web-chat.ts';

/** Presses it wherever the conversation shows it, in the channel and its threads. Returns how often. */
export async function pressResume(chat: WebChat, conversation: string): Promise<number> {
  let count = 0;
  const places = [undefined, ...(await chat.threads(conversation)).map(({ id }) => id)];
  for (const thread of places) {
    for (const { card } of await chat.messages(conversation, thread)) {
      const command = card?.actions?.find((action) => action.command.startsWith('/resume'))?.command;
      if (card === undefined || command === undefined) continue;
      // The same press again has no second effect, whoever repeats it.
      const id = `resume-${card.runId}`;
      await chat.post({ id, conversation, text: command, via: 'button', ...(thread && { thread }) });
      count++;
    }
  }
  return count;
}
