/** What is asked of Discord about itself: channels, servers, and the bot. */
import { Routes } from 'discord.js';
import type { Clock } from '../../src/ports/clock.ts';
import type { CallDiscord } from './calls.ts';
import type { PermissionFacts } from './permissions/permissions.ts';
import { channelSchema, type DiscordChannel, guildSchema, memberSchema, userSchema } from './schema.ts';

export interface Lookups {
  /** The bot's user id. */
  selfId(): Promise<string>;
  /** A channel or a thread, as it is now. */
  channel(id: string): Promise<DiscordChannel>;
  /** What the bot's permissions in that channel of a server follow from. */
  permissionFacts(channel: DiscordChannel, guildId: string): Promise<PermissionFacts>;
}

export function createLookups(call: CallDiscord, clock: Clock): Lookups {
  let self: Promise<string> | undefined;

  async function askSelf(): Promise<string> {
    const answer = userSchema;
    return (await call({ what: 'look at the bot', method: 'GET', route: Routes.user(), answer })).id;
  }

  async function selfId(): Promise<string> {
    const asked = self ?? askSelf();
    self = asked;
    try {
      return await asked;
    } catch (thrown) {
      self = undefined;
      throw thrown;
    }
  }

  return {
    selfId,
    channel: (id) =>
      call({ what: 'look at a channel', method: 'GET', route: Routes.channel(id), answer: channelSchema }),
    async permissionFacts(channel, guildId) {
      const memberId = await selfId();
      const [guild, member] = await Promise.all([
        call({
          what: 'look at a server',
          method: 'GET',
          route: Routes.guild(guildId),
          answer: guildSchema,
        }),
        call({
          what: 'look at the bot in a server',
          method: 'GET',
          route: Routes.guildMember(guildId, memberId),
          answer: memberSchema,
        }),
      ]);
      return {
        guildId,
        guildOwnerId: guild.owner_id,
        memberId,
        memberRoleIds: member.roles,
        isTimedOut: Date.parse(member.communication_disabled_until ?? '') > clock.now(),
        roles: guild.roles,
        overwrites: channel.permission_overwrites ?? [],
      };
    },
  };
}
