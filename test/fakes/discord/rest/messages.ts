/** Messages are read, written, edited and deleted, and reacted to. */
import { refuse } from '../api-error.ts';
import {
  addReaction,
  deleteMessage,
  editMessage,
  removeMessage,
  removeReaction,
  setPinned,
} from '../change-message.ts';
import { demand, may } from '../permissions.ts';
import { sendMessage, systemMessage } from '../send-message.ts';
import { messageJson } from '../wire-message.ts';
import { userJson } from '../wire-user.ts';
import { type Message, messagesOf } from '../world.ts';
import {
  type ApiRequest,
  bodyOf,
  channelOf,
  messageOf,
  nothing,
  ok,
  type RestSide,
  type Route,
} from './route.ts';

const PINNED = 6;

/** The page that `before`, `after` or `around` asks for, newest first. */
function pageOf(all: readonly Message[], query: Readonly<Record<string, string>>): readonly Message[] {
  const limit = Math.min(Math.max(Number(query.limit ?? 50), 1), 100);
  const newest = (messages: readonly Message[], count: number) => (count > 0 ? messages.slice(-count) : []);
  const older = (id: bigint) => all.filter((message) => BigInt(message.id) < id);
  const newer = (id: bigint) => all.filter((message) => BigInt(message.id) > id);
  if (query.around !== undefined) {
    const id = BigInt(query.around);
    const half = Math.floor(limit / 2);
    const middle = all.filter((message) => BigInt(message.id) === id);
    return [...newest(older(id), half), ...middle, ...newer(id).slice(0, half)].reverse();
  }
  if (query.after !== undefined) return newer(BigInt(query.after)).slice(0, limit).reverse();
  const left = query.before === undefined ? all : older(BigInt(query.before));
  return [...newest(left, limit)].reverse();
}

function listMessages(side: RestSide, request: ApiRequest) {
  const { platform } = side;
  const channel = channelOf(side, request);
  const { world } = platform;
  demand(world, channel, world.bot.id);
  if (!may(world, channel, world.bot.id, 'readMessageHistory')) return ok([]);
  const page = pageOf(messagesOf(world, channel.id), request.query);
  return ok(page.map((message) => messageJson(platform, message)));
}

/** `@me`, or a user's id. */
function reactingUser({ platform: { world } }: RestSide, { params }: ApiRequest) {
  const user = params.user === '@me' ? world.bot : world.users.get(params.user ?? '');
  if (!user) throw refuse(10013);
  return user;
}

const pinning =
  (isPinned: boolean): Route['run'] =>
  (side, request) => {
    const channel = channelOf(side, request);
    const message = messageOf(side, request);
    const { bot } = side.platform.world;
    setPinned(side.platform, channel, { message, user: bot, isPinned });
    if (isPinned) systemMessage(side.platform, { channel, author: bot, type: PINNED, replied: message });
    return nothing;
  };

const listPins: Route['run'] = (side, request) => {
  const channel = channelOf(side, request);
  const pinned = messagesOf(side.platform.world, channel.id).filter(({ isPinned }) => isPinned);
  return ok(pinned.map((message) => messageJson(side.platform, message)));
};

export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/channels/:channel/messages', run: listMessages },
  {
    method: 'POST',
    path: '/channels/:channel/messages',
    run: (side, request) => {
      const body = bodyOf(request);
      const message = sendMessage(side.platform, side.nonces, {
        channel: channelOf(side, request),
        author: side.platform.world.bot,
        body,
        files: request.files,
      });
      const nonce = body.nonce === undefined || body.nonce === null ? {} : { nonce: body.nonce };
      return ok({ ...messageJson(side.platform, message), ...nonce });
    },
  },
  {
    method: 'GET',
    path: '/channels/:channel/messages/:message',
    run: (side, request) => {
      const channel = channelOf(side, request);
      const { world } = side.platform;
      demand(world, channel, world.bot.id, 'readMessageHistory');
      return ok(messageJson(side.platform, messageOf(side, request)));
    },
  },
  {
    method: 'PATCH',
    path: '/channels/:channel/messages/:message',
    run: (side, request) => {
      const channel = channelOf(side, request);
      const message = messageOf(side, request);
      const { bot } = side.platform.world;
      editMessage(side.platform, channel, {
        message,
        user: bot,
        body: bodyOf(request),
        files: request.files,
      });
      return ok(messageJson(side.platform, message));
    },
  },
  {
    method: 'DELETE',
    path: '/channels/:channel/messages/:message',
    run: (side, request) => {
      const channel = channelOf(side, request);
      deleteMessage(side.platform, channel, messageOf(side, request), side.platform.world.bot);
      return nothing;
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/messages/bulk-delete',
    run: (side, request) => {
      const channel = channelOf(side, request);
      const { world } = side.platform;
      demand(world, channel, world.bot.id, 'manageMessages');
      const ids = new Set((bodyOf(request).messages ?? []) as readonly string[]);
      for (const message of messagesOf(world, channel.id))
        if (ids.has(message.id)) removeMessage(side.platform, message);
      return nothing;
    },
  },
  { method: 'GET', path: '/channels/:channel/pins', run: listPins },
  { method: 'PUT', path: '/channels/:channel/pins/:message', run: pinning(true) },
  { method: 'DELETE', path: '/channels/:channel/pins/:message', run: pinning(false) },
  { method: 'PUT', path: '/channels/:channel/messages/pins/:message', run: pinning(true) },
  { method: 'DELETE', path: '/channels/:channel/messages/pins/:message', run: pinning(false) },
  {
    method: 'GET',
    path: '/channels/:channel/messages/:message/reactions/:emoji',
    run: (side, request) => {
      channelOf(side, request);
      const { world } = side.platform;
      const users = messageOf(side, request).reactions.get(request.params.emoji ?? '') ?? [];
      return ok([...users].flatMap((id) => world.users.get(id) ?? []).map(userJson));
    },
  },
  {
    method: 'PUT',
    path: '/channels/:channel/messages/:message/reactions/:emoji/:user',
    run: (side, request) => {
      const channel = channelOf(side, request);
      const message = messageOf(side, request);
      const { bot } = side.platform.world;
      addReaction(side.platform, channel, { message, user: bot, emoji: request.params.emoji ?? '' });
      return nothing;
    },
  },
  {
    method: 'DELETE',
    path: '/channels/:channel/messages/:message/reactions/:emoji/:user',
    run: (side, request) => {
      const channel = channelOf(side, request);
      const user = reactingUser(side, request);
      const { world } = side.platform;
      if (user !== world.bot) demand(world, channel, world.bot.id, 'manageMessages');
      const message = messageOf(side, request);
      removeReaction(side.platform, channel, { message, user, emoji: request.params.emoji ?? '' });
      return nothing;
    },
  },
];
