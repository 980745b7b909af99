/** Compares what people see at the end with what they said: nothing lost, nothing twice, everything in its order and place. */
import type { Accepted } from './people.ts';
import type { PlannedConversation } from './plan.ts';
import type { ChatMessage, WebChat } from './web-chat.ts';

export interface Verdict {
  readonly accepted: number;
  readonly answeredOnce: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  readonly outOfOrder: readonly string[];
  /** Subagents that reported exactly once, where they were asked for. */
  readonly children: number;
  readonly leftOver: readonly string[];
}

/** One place and what the bot said there, oldest first. */
interface Place {
  readonly name: string;
  readonly accepted: readonly string[];
  readonly texts: readonly string[];
}

export async function judge(
  chat: WebChat,
  conversations: readonly PlannedConversation[],
  accepted: readonly Accepted[],
): Promise<Verdict> {
  const found = { lost: [], duplicated: [], outOfOrder: [], leftOver: [] } as Record<
    'lost' | 'duplicated' | 'outOfOrder' | 'leftOver',
    string[]
  >;
  let answeredOnce = 0;
  let children = 0;

  const judgeOnce = (place: Place, what: string, id: string, pattern: RegExp): boolean => {
    const times = place.texts.reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0);
    if (times === 0) found.lost.push(`${place.name}: ${what} ${id}`);
    if (times > 1) found.duplicated.push(`${place.name}: ${what} ${id}, ${times} times`);
    return times === 1;
  };
  const judgePlace = (place: Place) => {
    for (const id of place.accepted) {
      if (judgeOnce(place, 'the answer to', id, new RegExp(`\\bre ${id}(?![\\w-])`, 'g'))) answeredOnce++;
    }
    const answered = place.texts.flatMap((text) =>
      [...text.matchAll(/\bre (m-\w+)/g)].map((match) => match[1]!),
    );
    found.outOfOrder.push(...outOfOrder(place.accepted, answered).map((id) => `${place.name}: ${id}`));
  };
  const judgeCards = (name: string, messages: readonly ChatMessage[]) => {
    for (const { card } of messages) {
      if (card && card.state !== 'succeeded' && card.state !== 'interrupted') {
        found.leftOver.push(`${name}: the card of ${card.label} says ${card.state}`);
      }
    }
  };
  const acceptedIn = (conversation: string, thread?: string) =>
    accepted
      .filter((message) => message.conversation === conversation && message.thread === thread)
      .map(({ id }) => id);

  for (const { name, messages: planned } of conversations) {
    const messages = await chat.messages(name);
    const channel = { name, accepted: acceptedIn(name), texts: botTexts(messages) };
    judgePlace(channel);
    judgeCards(name, messages);
    const threads = await chat.threads(name);
    for (const label of planned.flatMap((message) => message.children)) {
      if (label.startsWith('c-')) {
        // In the model's words, or in the runtime's own where no model could say it.
        const pattern = new RegExp(`\\btold ${label}(?![\\w-])|\\*\\*${label}\\*\\*\\nStatus:`, 'g');
        if (judgeOnce(channel, 'the report of', label, pattern)) children++;
        continue;
      }
      const own = threads.filter(({ title }) => title === label);
      if (own.length !== 1) found.leftOver.push(`${name}: ${own.length} threads for ${label}`);
      const inThread = own[0] ? await chat.messages(name, own[0].id) : [];
      const place = {
        name: `${name}/${label}`,
        accepted: acceptedIn(name, label),
        texts: botTexts(inThread),
      };
      judgePlace(place);
      judgeCards(place.name, inThread);
      if (judgeOnce(place, 'the words of', label, new RegExp(`\\bfound ${label}(?![\\w-])`, 'g'))) children++;
    }
  }
  return { accepted: accepted.length, answeredOnce, children, ...found };
}

function botTexts(messages: readonly ChatMessage[]): readonly string[] {
  return messages.filter(({ author, card }) => author.kind === 'bot' && !card).map(({ text }) => text);
}

/** Answers that stand behind the answer to a later message. */
function outOfOrder(accepted: readonly string[], answered: readonly string[]): readonly string[] {
  const position = new Map(accepted.map((id, i) => [id, i]));
  let newest = -1;
  return answered.filter((id) => {
    const at = position.get(id) ?? -1;
    if (at < newest) return true;
    newest = at;
    return false;
  });
}
