/** The gateway's address, the application and the bot itself. */

import { openDm } from '../channels.ts';
import { guildPermissions } from '../permissions.ts';
import { channelJson } from '../wire-channel.ts';
import { applicationJson, userJson } from '../wire-user.ts';
import { bodyOf, ok, type Route, userOf } from './route.ts';

const application: Route['run'] = ({ platform }) => ok(applicationJson(platform.world));

export const applicationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/gateway',
    isOpen: true,
    run: ({ gatewayInfo }) => ok({ url: gatewayInfo().url }),
  },
  { method: 'GET', path: '/gateway/bot', run: ({ gatewayInfo }) => ok(gatewayInfo()) },
  { method: 'GET', path: '/applications/@me', run: application },
  { method: 'GET', path: '/oauth2/applications/@me', run: application },
  {
    method: 'GET',
    path: '/users/:user',
    run: (side, request) => {
      const user = userOf(side, request);
      return ok(
        user.isBot
          ? { ...userJson(user), verified: true, mfa_enabled: false, locale: 'en-US', email: null }
          : userJson(user),
      );
    },
  },
  {
    method: 'GET',
    path: '/users/@me/guilds',
    run: ({ platform: { world } }) =>
      ok(
        [...world.guilds.values()]
          .filter((guild) => guild.members.has(world.bot.id))
          .map((guild) => ({
            id: guild.id,
            name: guild.name,
            icon: null,
            banner: null,
            owner: guild.ownerId === world.bot.id,
            permissions: guildPermissions(guild, world.bot.id).toString(),
            features: [],
          })),
      ),
  },
  {
    method: 'POST',
    path: '/users/@me/channels',
    run: (side, request) => {
      const user = userOf(side, { ...request, params: { user: String(bodyOf(request).recipient_id) } });
      return ok(channelJson(side.platform.world, openDm(side.platform, user)));
    },
  },
];
