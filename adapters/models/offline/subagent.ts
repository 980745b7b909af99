/** The stand-in at work on a task of its own: a report that shows what a real one would look like, and says so. */
import type { ModelMessage } from '../../../src/ports/model.ts';
import { understand } from './requests.ts';
import { excerpt } from './wording.ts';

const ANGLES = [
  'what it is for',
  'where it came from',
  'how it is done today',
  'what it costs',
  'what goes wrong most often',
];

function topicOf(task: string): string {
  const request = understand(task.split('\n')[0] ?? task);
  const topic = request.kind === 'spawn' ? (request.tasks[0] ?? task) : task;
  return excerpt(topic, 120).replace(/[.!?]+$/, '');
}

/** `isInThread`: people read the report where they can answer it. */
export function reportText(task: string, isInThread: boolean): string {
  const topic = topicOf(task);
  return [
    `(offline stand-in) Here is what a report on "${topic}" would look like:`,
    `1. The question: ${excerpt(task, 200)}`,
    `2. What would be looked at: ${ANGLES[0]}, ${ANGLES[1]} and ${ANGLES[2]}.`,
    '3. What a real model would add: its findings with their sources, and what stayed open.',
    `Nothing was really looked up.${isInThread ? ' Write "go on" for a further part, or "summary" for the short form.' : ''}`,
  ].join('\n');
}

function partText(task: string, part: number): string {
  const angle = ANGLES[(part + 1) % ANGLES.length];
  return `(offline stand-in) Part ${part} on "${topicOf(task)}": here a real model would go into ${angle}. Write "go on" for part ${part + 1}.`;
}

/** Parts so far: the report is the first. */
function partsIn(since: readonly ModelMessage[]): number {
  return since.filter(
    (message) => message.role === 'assistant' && /^\(offline stand-in\) (?:Part|Here)/.test(message.text),
  ).length;
}

export function followUpText(task: string, text: string, since: readonly ModelMessage[]): string {
  const parts = Math.max(1, partsIn(since));
  switch (understand(text).kind) {
    case 'go-on':
      return partText(task, parts + 1);
    case 'report':
      return `(offline stand-in) In short: the task was "${topicOf(task)}"; ${parts === 1 ? 'one part is' : `${parts} parts are`} written, and none of it is real research.`;
    default:
      return `About "${topicOf(task)}": I understood "${excerpt(text)}". A real model would work that into the report; I can "go on" or give a "summary".`;
  }
}
