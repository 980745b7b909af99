/**
 * What people are going to say. Each message bears its number, and says which subagents are to be started for it:
 *
 *   "m-7 plain" · "m-7 spawn c-7" · "m-7 thread t-7" · "m-7 several c-7a c-7b"
 *
 * A subagent c-… reports in the channel, a subagent t-… speaks in its own thread, where people go on talking to it.
 */
import type { Random } from './random.ts';

export interface PlannedMessage {
  /** As the text has it, and the id under which it is posted. */
  readonly id: string;
  readonly text: string;
  /** Labels of the subagents that it asks for. */
  readonly children: readonly string[];
  /** What is said in the thread of its subagent, once that is there. */
  readonly followUps: readonly PlannedMessage[];
}

export interface PlannedConversation {
  readonly name: string;
  /** Absent: messages join the answer that is being worked out. */
  readonly queueMode?: 'followup' | 'collect';
  readonly messages: readonly PlannedMessage[];
}

export function planConversations(
  messages: number,
  conversations: number,
  random: Random,
): readonly PlannedConversation[] {
  const planned: PlannedMessage[][] = Array.from({ length: conversations }, () => []);
  let number = 0;
  for (let said = 0; said < messages; ) {
    const message = planMessage(++number, random);
    planned[number % conversations]!.push(message);
    said += 1 + message.followUps.length;
  }
  return planned.map((said, i) => ({
    name: `r-${i}`,
    messages: said,
    ...(i % 4 === 1 && { queueMode: 'followup' as const }),
    ...(i % 4 === 2 && { queueMode: 'collect' as const }),
  }));
}

function planMessage(number: number, random: Random): PlannedMessage {
  const id = `m-${number}`;
  const dice = random.next();
  if (dice < 0.5) return { id, text: `${id} plain`, children: [], followUps: [] };
  if (dice < 0.7) {
    return { id, text: `${id} spawn c-${number}`, children: [`c-${number}`], followUps: [] };
  }
  if (dice < 0.85) {
    const followUps = Array.from({ length: 1 + random.below(2) }, (_, i) => followUp(`${id}f${i + 1}`));
    return { id, text: `${id} thread t-${number}`, children: [`t-${number}`], followUps };
  }
  const children = Array.from({ length: 2 + random.below(2) }, (_, i) => `c-${number}${'abc'[i]}`);
  return { id, text: `${id} several ${children.join(' ')}`, children, followUps: [] };
}

function followUp(id: string): PlannedMessage {
  return { id, text: `${id} plain`, children: [], followUps: [] };
}
