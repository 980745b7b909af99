/** Who may speak where, as the configuration says it for one channel account: the account's own value wins, key by key. Pure. */
import type { AccessRules, SpaceRules } from '../core/access-rules.ts';
import { EVERYBODY } from '../core/access-rules.ts';
import type { Config } from './load.ts';

/** The keys of a channel or account that access is about; `guilds` are Discord's servers, `channels` those of Slack. */
type AccessKeys = Partial<
  Pick<
    Config['channels']['discord'] & Config['channels']['slack'],
    'dmPolicy' | 'groupPolicy' | 'allowFrom' | 'allowBots' | 'guilds' | 'channels'
  >
>;

interface Section extends AccessKeys {
  readonly accounts?: Readonly<Record<string, AccessKeys>>;
}

/** Channels of these names are guarded by who may write there; on any other, whoever gets there is let in (the web chat's token). */
type Guarded = Readonly<Record<string, Section>>;

export function accessRules(
  config: Pick<Config, 'channels' | 'commands'>,
  channel: string,
  account: string,
): AccessRules {
  const { discord, slack } = config.channels;
  const guarded: Guarded = { discord, slack };
  const commandsFrom = config.commands.allowFrom?.[channel] ?? config.commands.allowFrom?.[EVERYBODY];
  const commands = commandsFrom && { commandsFrom };
  if (!Object.hasOwn(guarded, channel))
    return { direct: 'open', groups: 'open', allowFrom: [], allowsBots: false, spaces: {}, ...commands };
  const { accounts, ...section } = guarded[channel]!;
  const keys: AccessKeys = { ...section, ...accounts?.[account] };
  return {
    direct: keys.dmPolicy ?? 'pairing',
    groups: keys.groupPolicy ?? 'allowlist',
    allowFrom: keys.allowFrom ?? [],
    allowsBots: keys.allowBots ?? false,
    spaces: spacesOf(keys),
    ...commands,
  };
}

function spacesOf({ guilds, channels }: AccessKeys): Readonly<Record<string, SpaceRules>> {
  return { ...(channels && { [EVERYBODY]: { channels } }), ...guilds };
}
