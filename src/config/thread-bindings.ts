/** Thread binding settings of one place: the account's value, else the channel's, else the global one. Pure. */
import type { BindingSettings } from '../ports/settings.ts';
import type { Config } from './load.ts';

type Overrides = NonNullable<Config['channels']['discord']['threadBindings']>;

interface ChannelSection {
  readonly threadBindings?: Overrides;
  readonly accounts?: Readonly<Record<string, { readonly threadBindings?: Overrides }>>;
}

const HOUR_MS = 3_600_000;

export function threadBindingSettings(
  config: Pick<Config, 'session' | 'channels'>,
  channel: string,
  account: string,
): BindingSettings {
  const channels: Readonly<Record<string, ChannelSection>> = config.channels;
  const section = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
  const levels = [section?.accounts?.[account]?.threadBindings, section?.threadBindings].filter(
    (level) => level !== undefined,
  );
  const global = config.session.threadBindings;
  const merged = { ...global, ...levels[1], ...levels[0] };
  const canSpawn = levels.map((level) => level.spawnSubagentSessions ?? level.spawnSessions);
  return {
    isEnabled: merged.enabled,
    idleMs: Math.round(merged.idleHours * HOUR_MS),
    maxAgeMs: Math.round(merged.maxAgeHours * HOUR_MS),
    canSpawn: canSpawn.find((value) => value !== undefined) ?? global.spawnSessions,
    defaultContext: merged.defaultSpawnContext,
  };
}
