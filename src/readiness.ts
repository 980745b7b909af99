/** How the gateway is doing, in words for whoever watches it: its store, its channels, and what wakes its work. */
import type { Readiness } from './http/index.ts';
import type { ChannelAdapter } from './ports/channel.ts';

export interface ReadinessNow {
  /** Before the start has come to its end, and once the stop has begun, channels are not told of. */
  isReady: boolean;
  look(): Readiness;
}

/** `health`: of what wakes work, by component. */
export function createReadiness(
  channels: readonly ChannelAdapter[],
  health: () => Readonly<Record<string, string>>,
): ReadinessNow {
  const now: ReadinessNow = {
    isReady: false,
    look() {
      const { isReady } = now;
      const states = isReady ? channels.map((adapter) => [labelOf(adapter), stateOf(adapter)] as const) : [];
      return { isReady, components: { store: 'ready', ...Object.fromEntries(states), ...health() } };
    },
  };
  return now;
}

/** Where there is one account only, its name would tell nothing. */
function labelOf({ channel, account }: ChannelAdapter): string {
  return account === 'default' ? channel : `${channel}:${account}`;
}

function stateOf(adapter: ChannelAdapter): string {
  const { status, detail } = adapter.state?.() ?? { status: 'ready' };
  return detail === undefined ? status : `${status}: ${detail}`;
}
