/** People of the fake Discord: they write, run commands and press buttons, under the rules that hold for the bot too. */
import { createInteractionHandle, type InteractionHandle } from './answer.ts';
import { addReaction, deleteMessage, editMessage, removeReaction, setPinned } from './change-message.ts';
import { openDm } from './channels.ts';
import { commandData, type OptionValues } from './command-input.ts';
import { startInteraction } from './interactions.ts';
import { publishTyping } from './message-events.ts';
import { openFromMessage, openPlain, openPost } from './open-thread.ts';
import { demand } from './permissions.ts';
import type { Platform } from './platform.ts';
import { type NonceMemory, sendMessage, systemMessage } from './send-message.ts';
import { changeThread, removeThread, type Thread } from './threads.ts';
import { componentsOf } from './visible.ts';
import type { Watch } from './watch.ts';
import { type Channel, isThread, type Json, type Message, type User } from './world.ts';

export interface ActorMessage {
  /** Writes `<@bot> ` in front. */
  readonly mention?: boolean;
  readonly replyTo?: Message;
  /** False: a reply without a sound for the author; default true. */
  readonly pingReply?: boolean;
  readonly attachments?: readonly { readonly name: string; readonly bytes: Uint8Array | string }[];
}

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

export interface Actor {
  readonly id: string;
  readonly name: string;
  readonly user: User;
  /** The direct channel with the bot. */
  readonly dm: Channel;
  /** What only this person sees. */
  readonly ephemerals: readonly Message[];
  sendMessage(channel: Channel, text: string, message?: ActorMessage): Message;
  sendDm(text: string, message?: ActorMessage): Message;
  editMessage(message: Message, text: string): void;
  deleteMessage(message: Message): void;
  react(message: Message, emoji: string): void;
  unreact(message: Message, emoji: string): void;
  /** Pins it, with the system message that says so. */
  pin(message: Message): Message;
  type(channel: Channel): void;
  /** `line` such as `/subagents spawn`. Throws for what Discord would not let a person send. */
  runCommand(channel: Channel, line: string, values?: OptionValues): InteractionHandle;
  /** The choices offered while `partial` is typed into the option. */
  autocomplete(
    channel: Channel,
    line: string,
    typing: { readonly option: string; readonly partial: string; readonly others?: OptionValues },
  ): Promise<readonly Choice[]>;
  /** By the label of a button that is there and can be pressed. */
  clickButton(message: Message, label: string): InteractionHandle;
  /** A press on an old or forged button: whatever id, on whatever message. */
  clickCustomId(message: Message, customId: string): InteractionHandle;
  /** Choices of the message's select menu; the first one where no id is given. */
  select(message: Message, values: readonly string[], customId?: string): InteractionHandle;
  /** Sends the form of that answer back, by the ids of its fields. */
  submitModal(opened: InteractionHandle, fields: Readonly<Record<string, string>>): InteractionHandle;
  /** From a message, or by itself in a channel. */
  openThread(from: Message | Channel, name: string): Thread;
  createPost(
    forum: Channel,
    name: string,
    post: { readonly text: string; readonly tags?: readonly string[]; readonly mention?: boolean },
  ): { readonly thread: Thread; readonly message: Message };
  renameThread(thread: Channel, name: string): void;
  archiveThread(thread: Channel): void;
  unarchiveThread(thread: Channel): void;
  /** Locks and archives, as the menu entry of Discord does. */
  lockThread(thread: Channel): void;
  deleteThread(thread: Channel): void;
}

interface ActorParts {
  readonly platform: Platform;
  readonly nonces: NonceMemory;
  readonly watch: Watch;
}

const PINNED = 6;
const NAME_CHANGED = 4;
const BUTTON = 2;

const bytesOf = (bytes: Uint8Array | string): Uint8Array =>
  typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;

export function createActor({ platform, nonces, watch }: ActorParts, user: User): Actor {
  const { world } = platform;

  const channelOf = (message: Message): Channel => {
    const channel = world.channels.get(message.channelId);
    if (!channel) throw new Error(`the channel of message ${message.id} is gone`);
    return channel;
  };
  const threadOf = (channel: Channel): Thread => {
    if (!isThread(channel)) throw new Error(`${channel.name} is no thread`);
    return channel;
  };

  const write = (channel: Channel, text: string, options: ActorMessage = {}): Message => {
    const { mention, replyTo, pingReply = true, attachments = [] } = options;
    return sendMessage(platform, nonces, {
      channel,
      author: user,
      body: {
        content: mention ? `<@${world.bot.id}> ${text}` : text,
        allowed_mentions: { parse: ['users', 'roles', 'everyone'], replied_user: pingReply },
        ...(replyTo ? { message_reference: { message_id: replyTo.id } } : {}),
      },
      files: attachments.map(({ name, bytes }, index) => ({
        field: `files[${index}]`,
        name,
        contentType: '',
        bytes: bytesOf(bytes),
      })),
    });
  };

  const interact = (type: number, channel: Channel, data: Json, source?: Message): InteractionHandle => {
    demand(world, channel, user.id);
    if (isThread(channel) && channel.thread.isArchived)
      throw new Error(`${channel.name} is archived: nothing can be run or pressed in it`);
    const request = { type, user, channel, data, ...(source ? { source } : {}) };
    return createInteractionHandle(watch, startInteraction(platform, request));
  };

  const press = (message: Message, customId: string): InteractionHandle =>
    interact(3, channelOf(message), { custom_id: customId, component_type: BUTTON, id: 1 }, message);

  const change = (channel: Channel, body: Json): void =>
    changeThread(platform, threadOf(channel), user.id, body);

  return {
    id: user.id,
    name: user.name,
    user,
    get dm() {
      return openDm(platform, user);
    },
    get ephemerals() {
      return world.ephemerals.get(user.id) ?? [];
    },
    sendMessage: write,
    sendDm: (text, options) => write(openDm(platform, user), text, options),
    editMessage: (message, text) =>
      editMessage(platform, channelOf(message), { message, user, body: { content: text } }),
    deleteMessage: (message) => deleteMessage(platform, channelOf(message), message, user),
    react: (message, emoji) => addReaction(platform, channelOf(message), { message, user, emoji }),
    unreact: (message, emoji) => removeReaction(platform, channelOf(message), { message, user, emoji }),
    pin: (message) => {
      const channel = channelOf(message);
      setPinned(platform, channel, { message, user, isPinned: true });
      return systemMessage(platform, { channel, author: user, type: PINNED, replied: message });
    },
    type: (channel) => {
      demand(world, channel, user.id);
      publishTyping(platform, channel, user);
    },
    runCommand: (channel, line, values = {}) =>
      interact(2, channel, commandData(platform, { channel, user, line, values })),
    autocomplete: async (channel, line, { option, partial, others = {} }) => {
      const values = { ...others, [option]: partial };
      const data = commandData(platform, { channel, user, line, values, focused: option });
      const { interaction } = interact(4, channel, data);
      const ack = await watch.until(() => interaction.ack, { what: `choices for ${line} ${option}` });
      return (ack.data.choices ?? []) as readonly Choice[];
    },
    clickButton: (message, label) => {
      const buttons = componentsOf(message).filter(({ type }) => type === BUTTON);
      const button = buttons.find((each) => each.label === label);
      if (!button)
        throw new Error(`there is no button ${label}; there are: ${buttons.map((each) => each.label)}`);
      if (button.disabled === true) throw new Error(`the button ${label} is disabled`);
      if (button.custom_id === undefined) throw new Error(`the button ${label} is a link`);
      return press(message, String(button.custom_id));
    },
    clickCustomId: press,
    select: (message, values, customId) => {
      const menu = componentsOf(message).find(
        (each) =>
          Number(each.type) >= 3 &&
          Number(each.type) <= 8 &&
          each.type !== 4 &&
          (customId === undefined || each.custom_id === customId),
      );
      if (!menu) throw new Error('there is no such menu');
      const data = { custom_id: menu.custom_id, component_type: menu.type, values, id: 1 };
      return interact(3, channelOf(message), data, message);
    },
    submitModal: ({ interaction }, fields) => {
      const form = interaction.ack?.type === 9 ? interaction.ack.data : undefined;
      const channel = world.channels.get(interaction.channelId);
      if (!form || !channel) throw new Error('the answer is no form');
      const components = Object.entries(fields).map(([customId, value], index) => ({
        type: 1,
        id: index + 1,
        components: [{ type: 4, id: index + 100, custom_id: customId, value }],
      }));
      return interact(5, channel, { custom_id: form.custom_id, components }, interaction.source);
    },
    openThread: (from, name) => {
      const body = { name, type: 11 };
      if (!('author' in from)) return openPlain(platform, { parent: from, user, body });
      return openFromMessage(platform, { parent: channelOf(from), user, body }, from);
    },
    createPost: (forum, name, { text, tags = [], mention = false }) =>
      openPost(platform, {
        parent: forum,
        user,
        body: {
          name,
          applied_tags: forum.tags.filter((tag) => tags.includes(tag.name)).map(({ id }) => id),
          message: { content: mention ? `<@${world.bot.id}> ${text}` : text },
        },
      }),
    renameThread: (channel, name) => {
      change(channel, { name });
      systemMessage(platform, { channel, author: user, type: NAME_CHANGED, content: name });
    },
    archiveThread: (channel) => change(channel, { archived: true }),
    unarchiveThread: (channel) => change(channel, { archived: false }),
    lockThread: (channel) => change(channel, { locked: true, archived: true }),
    deleteThread: (channel) => {
      demand(world, channel, user.id, 'manageThreads');
      removeThread(platform, threadOf(channel));
    },
  };
}
