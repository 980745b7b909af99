import { decidePairing, type PairingVerdict } from '../src/access/pairing.ts';
import { formatDuration } from '../src/core/duration.ts';
import { type CommandContext, defineCommand } from './command.ts';

const code = {
  summary: 'The code that they were given',
  type: 'text',
  isRequired: true,
  completes: 'pairing',
} as const;

/** Names of strangers are nobody else's business. */
const sayPrivately = (text: string) => ({ text, isPrivate: true });

async function decide(typed: string, verdict: PairingVerdict, context: CommandContext) {
  const { tx, after, actor, clock } = context;
  const by = `${actor.channel}:${actor.id}`;
  const pairing = await decidePairing(tx, after, typed, verdict, by, clock.now());
  if (!pairing) return sayPrivately(`Nobody waits with the code "${typed}". \`/pair list\` shows who does.`);
  return sayPrivately(
    verdict === 'approved'
      ? `**${pairing.name}** is let in and has been told so.`
      : `**${pairing.name}** is not let in. They are told nothing.`,
  );
}

export const pairApprove = defineCommand({
  name: 'pair approve',
  summary: 'Let somebody in who has written to me directly',
  options: { code },
  permission: 'owner',
  where: 'anywhere',
  run: (args, context) => decide(args.code, 'approved', context),
});

export const pairDeny = defineCommand({
  name: 'pair deny',
  summary: 'Do not let somebody in who has written to me directly',
  options: { code },
  permission: 'owner',
  where: 'anywhere',
  run: (args, context) => decide(args.code, 'denied', context),
});

export const pairList = defineCommand({
  name: 'pair list',
  summary: 'Show who waits to be let in',
  options: {},
  permission: 'owner',
  where: 'anywhere',
  async run(_args, { tx, clock }) {
    const now = clock.now();
    const rows = (await tx.pairings.pending(now)).map(
      ({ code, name, channel, peer, expiresAt }) =>
        `\`${code}\` **${name}** (${channel} user ${peer}), for ${formatDuration(expiresAt - now)} more`,
    );
    return sayPrivately(rows.length === 0 ? 'Nobody waits to be let in.' : rows.join('\n'));
  },
});
