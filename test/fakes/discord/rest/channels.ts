/** Channels are read, changed and deleted; somebody types in them. */
import { refuse } from '../api-error.ts';
import { publishChannel, removeChannel } from '../channels.ts';
import { publishTyping } from '../message-events.ts';
import { brokenThreadName, formError } from '../message-rules.ts';
import { demand } from '../permissions.ts';
import { demandWriting, systemMessage } from '../send-message.ts';
import { changeThread, removeThread } from '../threads.ts';
import { channelJson } from '../wire-channel.ts';
import { isThread } from '../world.ts';
import { bodyOf, channelOf, nothing, ok, type Route } from './route.ts';

const NAME_CHANGED = 4;

export const channelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/channels/:channel',
    run: (side, request) => {
      const channel = channelOf(side, request);
      const { world } = side.platform;
      demand(world, channel, world.bot.id);
      return ok(channelJson(world, channel));
    },
  },
  {
    method: 'PATCH',
    path: '/channels/:channel',
    run: (side, request) => {
      const { platform } = side;
      const channel = channelOf(side, request);
      const { bot } = platform.world;
      const body = bodyOf(request);
      const broken = 'name' in body ? brokenThreadName(body.name)[0] : undefined;
      if (broken) throw formError(broken);
      const before = channel.name;
      if (isThread(channel)) {
        changeThread(platform, channel, bot.id, body);
        if (channel.name !== before && !channel.thread.isArchived)
          systemMessage(platform, { channel, author: bot, type: NAME_CHANGED, content: channel.name });
      } else {
        demand(platform.world, channel, bot.id, 'manageChannels');
        if (typeof body.name === 'string') channel.name = body.name;
        if (typeof body.topic === 'string' || body.topic === null) channel.topic = body.topic;
        publishChannel(platform, 'CHANNEL_UPDATE', channel);
      }
      return ok(channelJson(platform.world, channel));
    },
  },
  {
    method: 'DELETE',
    path: '/channels/:channel',
    run: (side, request) => {
      const { platform } = side;
      const channel = channelOf(side, request);
      const body = channelJson(platform.world, channel);
      if (channel.guildId === undefined) throw refuse(50024);
      const { bot } = platform.world;
      demand(platform.world, channel, bot.id, isThread(channel) ? 'manageThreads' : 'manageChannels');
      if (isThread(channel)) removeThread(platform, channel);
      else removeChannel(platform, channel);
      return ok(body);
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/typing',
    run: (side, request) => {
      const { platform } = side;
      const channel = channelOf(side, request);
      const { bot } = platform.world;
      demandWriting(platform, channel, bot.id);
      platform.world.typing.push({ channelId: channel.id, userId: bot.id, at: platform.now() });
      publishTyping(platform, channel, bot);
      platform.changed();
      return nothing;
    },
  },
];
