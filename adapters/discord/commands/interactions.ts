/** Slash commands, buttons, and commands that are being typed: each is answered, whatever becomes of it. */
import { ApplicationCommandType, InteractionResponseType, Routes } from 'discord.js';
import { type Address, parentAddress, threadAddress } from '../../../src/core/address.ts';
import type { Inbound } from '../../../src/core/message.ts';
import { asError } from '../../../src/errors.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { ChannelHandlers, InboundMessage } from '../../../src/ports/channel.ts';
import type { Self } from '../account.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { type CommandData, type Interaction, interactionSchema } from '../gateway/events.ts';
import { type Insist, insist } from '../gateway/in-turn.ts';
import { addressIn, type KnownPlace, type Places, placeOf } from '../gateway/places.ts';
import { placeFacts, senderOf } from '../inbound/inbound.ts';
import type { MessageReplies } from '../inbound/message-reply.ts';
import { readButton } from '../outbound/buttons.ts';
import { snowflakeTime } from '../snowflake.ts';
import { givenCommand, shownChoices, typedCommand, typedSoFar } from './given-command.ts';
import { createInteractionAnswer, type InteractionAnswer } from './interaction-answer.ts';

const NOT_ALLOWED = 'You may not do that here.';
const FAILED = 'That did not work, and nothing was done. Please try again; the log says why.';
const OLD_BUTTON = 'That button does nothing any more.';

export interface Interactions {
  /** Rejects only for what cannot be read. */
  take(data: unknown, self: Self): Promise<void>;
  /** Nothing is put off any more. */
  stop(): void;
}

export interface InteractionsParts {
  readonly account: string;
  readonly handlers: ChannelHandlers;
  readonly places: Places;
  readonly call: CallDiscord;
  readonly replies: MessageReplies;
  readonly insisting: Insist;
  readonly memory: AdapterMemory;
  readonly isEphemeral: boolean;
}

type Common = Omit<Inbound, 'text' | 'source'>;

export function createInteractions(parts: InteractionsParts): Interactions {
  const { account, handlers, places, call, replies, insisting, memory } = parts;
  const { log } = insisting;
  const open = new Set<InteractionAnswer>();

  /** What an interaction says of its thread does not name who opened it. */
  function placeIn({ channel, guild_id }: Interaction): KnownPlace {
    return places.known(channel.id) ?? placeOf(channel, guild_id);
  }

  function commonOf(interaction: Interaction, self: Self): Common | undefined {
    const { id, member, user = member?.user } = interaction;
    if (!user) return undefined;
    const place = placeIn(interaction);
    return {
      address: addressIn(account, place),
      eventId: id,
      sender: senderOf(user, member),
      isAddressed: true,
      place: placeFacts({ place, placeName: places.nameOf(place), self }, member?.roles),
      at: snowflakeTime(id),
    };
  }

  function answerTo(interaction: Interaction, address: Address): InteractionAnswer {
    const answer = createInteractionAnswer(interaction, {
      call,
      insisting,
      isButton: interaction.type === 3,
      isEphemeral: interaction.type === 3 || parts.isEphemeral,
      sayInPlace: (text) => replies.say({ address, eventId: interaction.id }, text),
    });
    open.add(answer);
    return answer;
  }

  async function handOver(inbound: Inbound, answer: InteractionAnswer): Promise<void> {
    const message: InboundMessage = {
      ...inbound,
      reply: ({ text, isPrivate }) => answer.say(text, isPrivate ?? false),
    };
    const receipt = await insist(insisting, { eventId: inbound.eventId }, () => handlers.message(message));
    if (answer.hasSpoken) return;
    if (receipt?.status === 'dropped') await answer.say(NOT_ALLOWED, true);
    else if (receipt) await answer.finish();
    else if (!insisting.signal.aborted) await answer.say(FAILED, true);
  }

  /** Access is decided by the place of the button: its command must not act in another one. */
  function isElsewhere(thread: string, { conversation }: Address): boolean {
    const known = places.known(thread);
    return known !== undefined && known.parentId !== conversation;
  }

  async function pressed(interaction: Interaction & { type: 3 }, common: Common, answer: InteractionAnswer) {
    const button = await readButton(interaction.data.custom_id, memory);
    if (!button) return answer.say(OLD_BUTTON, true);
    const { command, thread, presser } = button;
    const conversation = parentAddress(common.address);
    if (thread !== undefined && isElsewhere(thread, conversation)) return answer.say(OLD_BUTTON, true);
    const address = thread === undefined ? common.address : threadAddress(conversation, thread);
    const inbound: Inbound = {
      ...common,
      address,
      text: command,
      source: 'button',
      ...(presser !== undefined && { presser }),
    };
    return handOver(inbound, answer);
  }

  async function given(data: CommandData, common: Common, answer: InteractionAnswer): Promise<void> {
    const command = givenCommand(data);
    const text = typedCommand(command, handlers.commands);
    await handOver({ ...common, text, source: 'command', command }, answer);
  }

  async function complete(interaction: Interaction & { type: 4 }, common: Common): Promise<void> {
    const { id, token, data } = interaction;
    const typed = typedSoFar(data, handlers.commands);
    const found = typed && (await handlers.complete({ ...common, text: typed.text, source: 'command' }));
    const choices = found ? shownChoices(found, typed) : [];
    await call({
      what: 'complete a command',
      method: 'POST',
      route: Routes.interactionCallback(id, token),
      body: { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } },
      answer: anyAnswer,
      isLossy: true,
      isTokenless: true,
    });
  }

  async function answered(interaction: Interaction & { type: 2 | 3 }, common: Common): Promise<void> {
    const answer = answerTo(interaction, common.address);
    try {
      if (interaction.type === 3) await pressed(interaction, common, answer);
      else if (interaction.data.type === ApplicationCommandType.ChatInput)
        await given(interaction.data, common, answer);
    } finally {
      answer.stop();
      open.delete(answer);
    }
  }

  return {
    async take(data, self) {
      const read = interactionSchema.safeParse(data);
      if (!read.success) {
        log.debug({ err: read.error }, 'an interaction is not one that is known');
        return;
      }
      const interaction = read.data;
      const common = commonOf(interaction, self);
      if (!common) return;
      const eventId = interaction.id;
      try {
        if (interaction.type === 4) await complete(interaction, common);
        else await answered(interaction, common);
      } catch (thrown) {
        log.warn({ eventId, err: asError(thrown) }, 'an interaction could not be answered');
      }
    },
    stop() {
      for (const answer of open) answer.stop();
    },
  };
}
