import { defineCommand, say } from './command.ts';

export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop what is at work here, and every subagent it started',
  options: {},
  permission: 'authorized',
  where: 'anywhere',
  async run(_args, { tx, after, session, stop: stopping }) {
    const { own, subagents, cleared } = await stopping.stopSession(tx, after, session);
    if (own + subagents + cleared === 0) return say('Nothing is running here.');
    const parts = [
      own > 0 ? 'the answer that was being worked out' : '',
      subagents > 0 ? `${subagents} ${subagents === 1 ? 'subagent' : 'subagents'}` : '',
    ].filter(Boolean);
    const waiting =
      cleared > 0 ? ` ${cleared} waiting ${cleared === 1 ? 'message was' : 'messages were'} removed.` : '';
    return say(`Stopped ${parts.join(' and ') || 'nothing that was running'}.${waiting}`);
  },
});
