/** The web chat as a patient client uses it: whatever goes wrong, it asks again until it has an answer. */
import { setTimeout as pause } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 20_000;
const RETRY_MS = 100;
const PATIENCE_MS = 120_000;
const PAGE = 500;

export interface ChatMessage {
  readonly id: string;
  readonly seq: number;
  readonly thread?: string;
  readonly author: { readonly kind: 'user' | 'bot' };
  readonly text: string;
  readonly card?: {
    readonly runId: string;
    readonly state: string;
    readonly label: string;
    readonly actions?: readonly { readonly command: string }[];
  };
}

export interface ChatThread {
  readonly id: string;
  readonly title: string;
  readonly boundTo?: string;
}

export interface Post {
  readonly id: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly text: string;
  readonly via?: 'button';
}

export interface WebChat {
  /** Posts under the same id until it is accepted. */
  post(message: Post): Promise<void>;
  messages(conversation: string, thread?: string): Promise<readonly ChatMessage[]>;
  threads(conversation: string): Promise<readonly ChatThread[]>;
}

export function createWebChat(url: string, token: string): WebChat {
  async function ask(path: string, wanted: number, body?: unknown): Promise<unknown> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await fetch(`${url}/api/webchat/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch((thrown: unknown) => ({ status: 0, text: String(thrown) }));
      if (answer.status === wanted) return JSON.parse(answer.text);
      const isHopeless = answer.status >= 400 && answer.status < 500;
      if (isHopeless || performance.now() > giveUpAt) {
        throw new Error(`${path}: ${answer.status} ${answer.text} for ${JSON.stringify(body)}`);
      }
      await pause(RETRY_MS);
    }
  }

  return {
    post: async (message) => void (await ask('messages', 202, message)),
    async messages(conversation, thread) {
      const found: ChatMessage[] = [];
      for (;;) {
        const query = new URLSearchParams({
          conversation,
          limit: String(PAGE),
          after: String(found.at(-1)?.seq ?? 0),
          ...(thread !== undefined && { thread }),
        });
        const page = (await ask(`messages?${query}`, 200)) as { messages: ChatMessage[] };
        found.push(...page.messages);
        if (page.messages.length < PAGE) return found;
      }
    },
    async threads(conversation) {
      return ((await ask(`threads?conversation=${conversation}`, 200)) as { threads: ChatThread[] }).threads;
    },
  };
}
