import { MISSED_CHOICES, type MissedChoice } from '../src/runs/missed-note.ts';
import { defineCommand, say } from './command.ts';

export const missed = defineCommand({
  name: 'missed',
  summary: 'Say whether messages that came in while I was away are answered',
  options: {
    which: {
      summary: 'Which of them are answered',
      type: 'word',
      isRequired: true,
      choices: MISSED_CHOICES,
      meanings: {
        all: 'Answer each, in order',
        newest: 'Answer only the newest one',
        none: 'Leave them unanswered',
      },
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ which }, { tx, after, address, answerMissed }) {
    const answer = await answerMissed(tx, after, address, which as MissedChoice);
    if (answer.kind === 'none-waits') return say('No missed message waits here for an answer.');
    // The note itself says what becomes of them.
    return answer.hasNote ? undefined : say(answer.text);
  },
});
