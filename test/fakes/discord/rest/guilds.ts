/** Guilds are read: themselves, their channels, roles and members. */
import { refuse } from '../api-error.ts';
import { channelJson, guildJson } from '../wire-channel.ts';
import { memberJson, rolesJson } from '../wire-user.ts';
import { channelsOf, isThread } from '../world.ts';
import { guildOf, ok, type Route } from './route.ts';

export const guildRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/guilds/:guild',
    run: (side, request) => ok(guildJson(guildOf(side, request))),
  },
  {
    method: 'GET',
    path: '/guilds/:guild/channels',
    run: (side, request) => {
      const { world } = side.platform;
      const channels = channelsOf(world, guildOf(side, request).id).filter((channel) => !isThread(channel));
      return ok(channels.map((channel) => channelJson(world, channel)));
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild/roles',
    run: (side, request) => ok(rolesJson(guildOf(side, request))),
  },
  {
    method: 'GET',
    path: '/guilds/:guild/members',
    run: (side, request) => ok([...guildOf(side, request).members.values()].map(memberJson)),
  },
  {
    method: 'GET',
    path: '/guilds/:guild/members/:user',
    run: (side, request) => {
      const guild = guildOf(side, request);
      const id = request.params.user === '@me' ? side.platform.world.bot.id : (request.params.user ?? '');
      const member = guild.members.get(id);
      if (!member) throw refuse(10007);
      return ok(memberJson(member));
    },
  },
];
