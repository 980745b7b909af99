/** Many conversations at once, each of which goes on when it has its reply. */
import type { Skein } from './skein.ts';

const CONVERSATIONS = 50;

/** Returns what carries out that many turns in new conversations, all at once. */
export function createDriver(skein: Skein): (turns: number, name: string) => Promise<void> {
  let replied: (conversation: string) => void = () => undefined;
  let said = 0;
  skein.bot.onMessage(({ conversation }) => replied(conversation));
  return (turns, name) =>
    new Promise((resolve, reject) => {
      let toSend = turns;
      let toCome = turns;
      const send = (conversation: string) => {
        if (toSend === 0) return;
        toSend--;
        skein.say(conversation, `message ${said++}`).catch(reject);
      };
      replied = (conversation) => {
        toCome--;
        if (toCome === 0) resolve();
        else send(conversation);
      };
      for (let n = 0; n < CONVERSATIONS; n++) send(`${name}-${n}`);
    });
}
