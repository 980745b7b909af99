/** What happens to messages that came while nobody listened: the account's value, else the channel's, else people are asked. Pure. */
import type { CatchUp } from '../ports/settings.ts';
import type { Config } from './load.ts';

interface Section {
  readonly catchUp?: CatchUp;
  readonly accounts?: Readonly<Record<string, { readonly catchUp?: CatchUp }>>;
}

export function catchUp({ channels }: Pick<Config, 'channels'>, channel: string, account: string): CatchUp {
  const sections: Readonly<Record<string, Section>> = { discord: channels.discord, slack: channels.slack };
  const section = Object.hasOwn(sections, channel) ? sections[channel] : undefined;
  return section?.accounts?.[account]?.catchUp ?? section?.catchUp ?? 'ask';
}
