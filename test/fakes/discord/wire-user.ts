/** Users, members and roles as JSON. */
import type { Guild, Json, Member, Role, User, World } from './world.ts';

export const userJson = (user: User): Json => ({
  id: user.id,
  username: user.name.toLowerCase().replaceAll(' ', '_'),
  global_name: user.isBot ? null : user.name,
  discriminator: user.isBot ? '0001' : '0',
  avatar: null,
  ...(user.isBot ? { bot: true } : {}),
  banner: null,
  accent_color: null,
  primary_guild: null,
  public_flags: 0,
  flags: 0,
});

/** A member without the user, as messages carry it. */
export const partialMemberJson = (member: Member): Json => ({
  roles: [...member.roles],
  nick: null,
  avatar: null,
  banner: null,
  joined_at: new Date(member.joinedAt).toISOString(),
  premium_since: null,
  deaf: false,
  mute: false,
  flags: 0,
  pending: false,
  communication_disabled_until:
    member.timedOutUntil === undefined ? null : new Date(member.timedOutUntil).toISOString(),
});

export const memberJson = (member: Member): Json => ({
  ...partialMemberJson(member),
  user: userJson(member.user),
});

export const roleJson = (role: Role, position: number): Json => ({
  id: role.id,
  name: role.name,
  permissions: role.permissions.toString(),
  position,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  managed: false,
  mentionable: false,
  flags: 0,
});

export const rolesJson = (guild: Guild): readonly Json[] => [...guild.roles.values()].map(roleJson);

export function applicationJson(world: World): Json {
  const { application, bot } = world;
  const owner = world.users.get(application.ownerId);
  const members = application.teamMemberIds.flatMap((id) => world.users.get(id) ?? []);
  // A team stands in the owner's place as a user of no use, whose id is the team's.
  const teamUser: User = {
    id: application.teamId,
    name: `team${application.teamId}`,
    isBot: false,
    takesDms: false,
  };
  const team = {
    id: application.teamId,
    name: `${application.name} team`,
    icon: null,
    owner_user_id: members[0]?.id ?? application.ownerId,
    members: members.map((user, index) => ({
      membership_state: 2,
      team_id: application.teamId,
      role: index === 0 ? 'admin' : 'developer',
      permissions: ['*'],
      user: userJson(user),
    })),
  };
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: application.flags,
    flags_new: String(application.flags),
    hook: true,
    type: null,
    bot: userJson(bot),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: [],
    integration_types_config: { '0': {} },
    team: members.length > 0 ? team : null,
    owner: userJson(members.length > 0 || !owner ? teamUser : owner),
  };
}
