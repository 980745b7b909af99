import { defineCommand, say } from './command.ts';

const MEANING = {
  steer: 'messages join the answer that is being worked out',
  followup: 'each message gets its own answer, in order',
  collect: 'messages that come meanwhile are answered together afterwards',
  interrupt: 'a new message stops the answer that is being worked out',
} as const;
type Mode = keyof typeof MEANING;

export const queue = defineCommand({
  name: 'queue',
  summary: 'Show or set what happens to messages that come while I am at work here',
  options: {
    mode: {
      summary: 'What to do with them',
      type: 'word',
      choices: ['steer', 'followup', 'collect', 'interrupt', 'default'],
      meanings: { ...MEANING, default: 'as the configuration says' },
    },
  },
  permission: 'authorized',
  where: 'anywhere',
  async run({ mode }, { tx, session, settings, address, clock }) {
    const configured = settings.queue(address.channel).mode;
    if (mode === undefined) {
      const now = session.queueMode ?? configured;
      return say(`Queue mode: ${now} (${MEANING[now]}).`);
    }
    const chosen = mode === 'default' ? null : (mode as Mode);
    await tx.sessions.update(session.key, { queueMode: chosen }, clock.now());
    const now = chosen ?? configured;
    return say(`Queue mode: ${now} (${MEANING[now]}).`);
  },
});
