/** Interactions from their making to their answers: the deadline, the token's life, and what is seen by whom. */
import { ApiError, refuse } from './api-error.ts';
import type { UploadedFile } from './attachments.ts';
import { applyEdit } from './change-message.ts';
import { publishMessageCreate, publishMessageUpdate } from './message-events.ts';
import { channelPermissions } from './permissions.ts';
import type { Platform } from './platform.ts';
import { checkBody, writeMessage } from './send-message.ts';
import { wakeThread } from './threads.ts';
import { channelJson } from './wire-channel.ts';
import { FLAG_EPHEMERAL, FLAG_LOADING, messageEventJson } from './wire-message.ts';
import { memberJson, userJson } from './wire-user.ts';
import {
  type Channel,
  type Interaction,
  isThread,
  type Json,
  type Message,
  messagesOf,
  type User,
} from './world.ts';

export interface NewInteraction {
  readonly type: number;
  readonly user: User;
  readonly channel: Channel;
  readonly data: Json;
  readonly source?: Message;
}

/** Makes the interaction and sends it to the bot. */
export function startInteraction(platform: Platform, request: NewInteraction): Interaction {
  const { channel, user } = request;
  const id = platform.newId();
  const interaction: Interaction = {
    id,
    token: `aW50ZXJhY3Rpb24-${id}-${user.id}`,
    type: request.type,
    at: platform.now(),
    user,
    channelId: channel.id,
    ...(channel.guildId === undefined ? {} : { guildId: channel.guildId }),
    data: request.data,
    ...(request.source ? { source: request.source } : {}),
    followups: [],
    hasAnswer: false,
  };
  platform.world.interactions.set(id, interaction);
  platform.publish({
    name: 'INTERACTION_CREATE',
    ...(channel.guildId === undefined ? {} : { guildId: channel.guildId }),
    intents: 0,
    data: () => interactionJson(platform, interaction, channel),
  });
  platform.changed();
  return interaction;
}

function interactionJson(platform: Platform, interaction: Interaction, channel: Channel): Json {
  const { world } = platform;
  const { user, guildId, source } = interaction;
  const member = world.guilds.get(guildId ?? '')?.members.get(user.id);
  const permissions = channelPermissions(world, channel, user.id).toString();
  const place = guildId === undefined ? {} : { guild_id: guildId, guild_locale: 'en-US' };
  return {
    id: interaction.id,
    application_id: world.application.id,
    type: interaction.type,
    token: interaction.token,
    version: 1,
    data: interaction.data,
    ...place,
    channel_id: channel.id,
    channel: { ...channelJson(world, channel), permissions },
    ...(member ? { member: { ...memberJson(member), permissions } } : { user: userJson(user) }),
    ...(source ? { message: messageEventJson(platform, source, true) } : {}),
    app_permissions: channelPermissions(world, channel, world.bot.id).toString(),
    locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: { '0': guildId ?? '0' },
    context: guildId === undefined ? 1 : 0,
    attachment_size_limit: platform.settings.maxFileBytes,
  };
}

export function findInteraction(platform: Platform, id: string, token: string): Interaction {
  const interaction = platform.world.interactions.get(id);
  if (interaction?.token !== token) throw refuse(10062);
  return interaction;
}

/** By the token alone, as the webhook calls name it. Throws 50027 when it has run out. */
export function findByToken(platform: Platform, token: string): Interaction {
  const interaction = [...platform.world.interactions.values()].find((each) => each.token === token);
  if (!interaction) throw refuse(10015);
  if (platform.now() - interaction.at > platform.settings.interactionTokenLifeMs) throw refuse(50027);
  return interaction;
}

/** The first answer. Throws 10062 when it comes too late and 40060 when there was one. */
export function answerInteraction(
  platform: Platform,
  interaction: Interaction,
  { body, files }: { body: Json; files: readonly UploadedFile[] },
): void {
  if (interaction.ack) throw refuse(40060);
  if (platform.now() - interaction.at > platform.settings.interactionDeadlineMs) throw refuse(10062);
  const type = Number(body.type);
  const data = (body.data ?? {}) as Json;
  const isEphemeral = (Number(data.flags ?? 0) & FLAG_EPHEMERAL) !== 0;
  if (type === 4) {
    checkBody(data, files);
    interaction.original = show(platform, interaction, { body: data, files, isEphemeral });
  } else if (type === 5) {
    interaction.original = show(platform, interaction, {
      body: {},
      files: [],
      isEphemeral,
      flags: FLAG_LOADING,
    });
  } else if (type === 6 || type === 7) {
    answerComponent(platform, interaction, type === 7 ? { body: data, files } : undefined);
  } else if (type !== 8 && type !== 9) {
    throw new ApiError(400, 50035, 'Invalid Form Body');
  }
  interaction.ack = { type, at: platform.now(), isEphemeral, data };
  interaction.hasAnswer = type !== 5 && type !== 6;
  platform.changed();
}

function answerComponent(
  platform: Platform,
  interaction: Interaction,
  edit: { body: Json; files: readonly UploadedFile[] } | undefined,
): void {
  const { source } = interaction;
  if (!source) throw new ApiError(400, 50035, 'Invalid Form Body');
  interaction.original = source;
  if (edit) change(platform, source, edit);
}

function change(
  platform: Platform,
  message: Message,
  edit: { body: Json; files: readonly UploadedFile[] },
): void {
  if (message.isDeleted) throw refuse(10008);
  applyEdit(platform, { message, ...edit });
  if (message.onlyFor === undefined) publishMessageUpdate(platform, message);
}

interface Shown {
  readonly body: Json;
  readonly files: readonly UploadedFile[];
  readonly isEphemeral: boolean;
  readonly flags?: number;
}

function show(platform: Platform, interaction: Interaction, shown: Shown): Message {
  const channel = platform.world.channels.get(interaction.channelId);
  if (!channel) throw refuse(10003);
  if (isThread(channel) && !shown.isEphemeral) wakeThread(platform, channel);
  const reference =
    interaction.original && interaction.ack?.type !== 6
      ? messagesOf(platform.world, channel.id).find(({ id }) => id === interaction.original?.id)
      : undefined;
  const message = writeMessage(
    platform,
    {
      channel,
      author: platform.world.bot,
      body: { allowed_mentions: undefined, ...shown.body },
      files: shown.files,
      interactionId: interaction.id,
      extraFlags: (shown.flags ?? 0) | (shown.isEphemeral ? FLAG_EPHEMERAL : 0),
      type: interaction.original ? 0 : interaction.type === 2 ? 20 : 0,
      ...(shown.isEphemeral ? { onlyFor: interaction.user.id } : {}),
    },
    reference,
  );
  if (!shown.isEphemeral) publishMessageCreate(platform, message);
  return message;
}

/** Changes the original or a followup; the first edit after a deferred answer is the answer. */
export function editAnswer(
  platform: Platform,
  interaction: Interaction,
  message: Message,
  edit: { body: Json; files: readonly UploadedFile[] },
): void {
  change(platform, message, edit);
  if (message === interaction.original) interaction.hasAnswer = true;
  platform.changed();
}

/** One more message; the first one after a deferred answer takes the place of the waiting sign. */
export function followUp(
  platform: Platform,
  interaction: Interaction,
  { body, files }: { body: Json; files: readonly UploadedFile[] },
): Message {
  if (!interaction.ack) throw refuse(10015);
  checkBody(body, files);
  const { original } = interaction;
  if (original && !original.isDeleted && original.flags & FLAG_LOADING) {
    editAnswer(platform, interaction, original, { body, files });
    return original;
  }
  const isEphemeral = (Number(body.flags ?? 0) & FLAG_EPHEMERAL) !== 0;
  const message = show(platform, interaction, { body, files, isEphemeral });
  interaction.followups.push(message);
  platform.changed();
  return message;
}
