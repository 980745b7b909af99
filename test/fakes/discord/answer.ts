/** What a person who ran a command or pressed a button sees of the answer. */

import { visibleMessage } from './visible.ts';
import type { Watch } from './watch.ts';
import type { Interaction, Json, Message } from './world.ts';

export interface InteractionHandle {
  /** The live record. */
  readonly interaction: Interaction;
  /**
   * The answer with its words, ephemeral or not: the first message, the edit of a deferred one, or the message whose
   * button was pressed once it is updated. Default deadline 10 s.
   */
  reply(timeoutMs?: number): Promise<Message>;
  /** Resolves when the bot has acknowledged, in whatever way. */
  acknowledged(timeoutMs?: number): Promise<void>;
  /** The `index`th followup, from 0. */
  followup(index?: number, timeoutMs?: number): Promise<Message>;
  /** The form that the bot answered with. */
  modal(timeoutMs?: number): Promise<Json>;
  readonly isDeferred: boolean;
  readonly isEphemeral: boolean;
  /** From the interaction to its first answer; undefined before. */
  readonly ackMs: number | undefined;
}

const seenOf = ({ ack, original, followups }: Interaction) => ({
  ack: ack?.type ?? 'none',
  original: original ? visibleMessage(original) : 'none',
  followups: followups.map(visibleMessage),
});

export function createInteractionHandle(watch: Watch, interaction: Interaction): InteractionHandle {
  const until = <T>(probe: () => T | undefined, what: string, timeoutMs?: number): Promise<T> =>
    watch.until(probe, {
      what: `${what} to interaction ${String(interaction.data.name ?? interaction.data.custom_id)}`,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      seen: () => seenOf(interaction),
    });
  return {
    interaction,
    reply: (timeoutMs) =>
      until(
        () => (interaction.hasAnswer ? interaction.original : interaction.followups[0]),
        'an answer',
        timeoutMs,
      ),
    acknowledged: async (timeoutMs) => {
      await until(() => interaction.ack, 'an acknowledgement', timeoutMs);
    },
    followup: (index = 0, timeoutMs) =>
      until(() => interaction.followups[index], `followup ${index}`, timeoutMs),
    modal: (timeoutMs) =>
      until(() => (interaction.ack?.type === 9 ? interaction.ack.data : undefined), 'a form', timeoutMs),
    get isDeferred() {
      return interaction.ack?.type === 5 || interaction.ack?.type === 6;
    },
    get isEphemeral() {
      return interaction.ack?.isEphemeral ?? false;
    },
    get ackMs() {
      return interaction.ack ? interaction.ack.at - interaction.at : undefined;
    },
  };
}
