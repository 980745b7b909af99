/** Threads are opened, listed and joined. */
import { refuse } from '../api-error.ts';
import { openFromMessage, openPlain, openPost } from '../open-thread.ts';
import { demand } from '../permissions.ts';
import { FORUMS, type Thread } from '../threads.ts';
import { channelJson, threadMemberJson } from '../wire-channel.ts';
import { messageJson } from '../wire-message.ts';
import { channelsOf, isThread } from '../world.ts';
import {
  type ApiRequest,
  bodyOf,
  channelOf,
  guildOf,
  messageOf,
  nothing,
  ok,
  type RestSide,
  type Route,
} from './route.ts';

function listed(side: RestSide, threads: readonly Thread[]) {
  const { world } = side.platform;
  return {
    threads: threads.map((thread) => channelJson(world, thread)),
    members: threads
      .filter(({ thread }) => thread.members.has(world.bot.id))
      .map((thread) => threadMemberJson(thread, world.bot.id)),
  };
}

function threadOf(side: RestSide, request: ApiRequest): Thread {
  const channel = channelOf(side, request);
  if (!isThread(channel)) throw refuse(50024);
  demand(side.platform.world, channel, side.platform.world.bot.id);
  return channel;
}

const setMember =
  (isMember: boolean): Route['run'] =>
  (side, request) => {
    const channel = threadOf(side, request);
    if (channel.thread.isArchived) throw refuse(50083);
    const id = request.params.user === '@me' ? side.platform.world.bot.id : (request.params.user ?? '');
    if (!side.platform.world.users.has(id)) throw refuse(10013);
    if (isMember) channel.thread.members.add(id);
    else channel.thread.members.delete(id);
    side.platform.changed();
    return nothing;
  };

export const threadRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/channels/:channel/messages/:message/threads',
    run: (side, request) => {
      const parent = channelOf(side, request);
      const { world } = side.platform;
      demand(world, parent, world.bot.id);
      const opening = { parent, user: world.bot, body: bodyOf(request) };
      const thread = openFromMessage(side.platform, opening, messageOf(side, request));
      return ok(channelJson(world, thread), 201);
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/threads',
    run: (side, request) => {
      const parent = channelOf(side, request);
      const { world } = side.platform;
      const opening = { parent, user: world.bot, body: bodyOf(request), files: request.files };
      if (!FORUMS.has(parent.type)) return ok(channelJson(world, openPlain(side.platform, opening)), 201);
      const { thread, message } = openPost(side.platform, opening);
      return ok({ ...channelJson(world, thread), message: messageJson(side.platform, message) }, 201);
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild/threads/active',
    run: (side, request) => {
      const guild = guildOf(side, request);
      const open = channelsOf(side.platform.world, guild.id).filter(isThread);
      return ok({
        ...listed(
          side,
          open.filter(({ thread }) => !thread.isArchived),
        ),
        has_more: false,
      });
    },
  },
  {
    method: 'GET',
    path: '/channels/:channel/threads/archived/public',
    run: (side, request) => {
      const parent = channelOf(side, request);
      const { world } = side.platform;
      demand(world, parent, world.bot.id, 'readMessageHistory');
      const archived = [...world.channels.values()]
        .filter(isThread)
        .filter(({ parentId, thread }) => parentId === parent.id && thread.isArchived);
      return ok({ ...listed(side, archived), has_more: false });
    },
  },
  {
    method: 'GET',
    path: '/channels/:channel/thread-members',
    run: (side, request) => {
      const channel = threadOf(side, request);
      return ok([...channel.thread.members].map((id) => threadMemberJson(channel, id)));
    },
  },
  {
    method: 'GET',
    path: '/channels/:channel/thread-members/:user',
    run: (side, request) => {
      const channel = threadOf(side, request);
      const id = request.params.user === '@me' ? side.platform.world.bot.id : (request.params.user ?? '');
      if (!channel.thread.members.has(id)) throw refuse(10007);
      return ok(threadMemberJson(channel, id));
    },
  },
  { method: 'PUT', path: '/channels/:channel/thread-members/:user', run: setMember(true) },
  { method: 'DELETE', path: '/channels/:channel/thread-members/:user', run: setMember(false) },
];
