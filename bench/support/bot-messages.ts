/** What the bot says, as an open page learns of it: from the event stream. */
import { get } from 'node:http';
import type { Cleanup } from './cleanup.ts';
import { monotonicMs } from './monotonic.ts';

export interface BotMessage {
  readonly conversation: string;
  readonly text: string;
  /** When it had been received. */
  readonly seenAt: number;
}

export interface BotMessages {
  /** Called for every message of the bot, in order, until the benchmark ends. */
  onMessage(handler: (message: BotMessage) => void): void;
  /** The next message of the bot for which `isWanted`; rejects when it takes too long. */
  next(isWanted: (message: BotMessage) => boolean): Promise<BotMessage>;
}

const PATIENCE_MS = 30_000;

export async function listenForBot(
  cleanup: Cleanup,
  url: string,
  authorization: string,
): Promise<BotMessages> {
  const handlers = new Set<(message: BotMessage) => void>();
  let rest = '';
  const take = (text: string) => {
    const seenAt = monotonicMs();
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const message = botMessage(block, seenAt);
      if (message) for (const handler of [...handlers]) handler(message);
    }
  };
  await new Promise<void>((resolve, reject) => {
    const call = get(url, { agent: false, headers: { authorization } }, (response) => {
      response.setEncoding('utf8').on('data', take);
      response.once('data', () => resolve());
      response.once('error', () => undefined);
    });
    call.on('error', reject);
    cleanup.add(() => void call.destroy());
  });
  return {
    onMessage: (handler) => void handlers.add(handler),
    next: (isWanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          handlers.delete(look);
          reject(new Error(`the bot said nothing of the kind for ${PATIENCE_MS} ms`));
        }, PATIENCE_MS);
        const look = (message: BotMessage) => {
          if (!isWanted(message)) return;
          clearTimeout(timer);
          handlers.delete(look);
          resolve(message);
        };
        handlers.add(look);
      }),
  };
}

/** Everything else is passed over unparsed, so that the client stays cheap. */
function botMessage(block: string, seenAt: number): BotMessage | undefined {
  if (!block.includes('event: message\n') || !block.includes('"kind":"bot"')) return undefined;
  const data = JSON.parse(block.slice(block.indexOf('data: ') + 'data: '.length)) as BotMessage;
  return { conversation: data.conversation, text: data.text, seenAt };
}
