/** What a client must ask for rightly when it identifies, and what it is told first. */
import { GatewayClose } from './gateway-frames.ts';
import type { GatewaySession } from './gateway-session.ts';
import { APPLICATION_FLAGS, INTENTS } from './platform.ts';
import { userJson } from './wire-user.ts';
import type { Guild, Json, World } from './world.ts';

const ALL_INTENTS = 2 ** 26 - 1;

/** Privileged intents, and the application flags of which one must be set. */
const PRIVILEGED: readonly (readonly [intent: number, flags: number])[] = [
  [INTENTS.guildMembers, APPLICATION_FLAGS.guildMembers | APPLICATION_FLAGS.guildMembersLimited],
  [INTENTS.guildPresences, APPLICATION_FLAGS.presence | APPLICATION_FLAGS.presenceLimited],
  [INTENTS.messageContent, APPLICATION_FLAGS.messageContent | APPLICATION_FLAGS.messageContentLimited],
];

export interface Identity {
  readonly intents: number;
  readonly index: number;
  readonly count: number;
}

/** Shard and intents of an IDENTIFY. Throws GatewayClose 4010, 4013 or 4014. */
export function checkIdentify(flags: number, body: Json): Identity {
  const [index = 0, count = 1] = (body.shard ?? [0, 1]) as readonly number[];
  if (index >= count) throw new GatewayClose(4010, 'Invalid shard.');
  const intents = Number(body.intents);
  if (!Number.isInteger(intents) || intents < 0 || intents > ALL_INTENTS)
    throw new GatewayClose(4013, 'Invalid intent(s).');
  const isRefused = PRIVILEGED.some(([intent, granting]) => intents & intent && (flags & granting) === 0);
  if (isRefused) throw new GatewayClose(4014, 'Disallowed intent(s).');
  return { intents, index, count };
}

export function readyJson(
  world: World,
  { session, guilds, resumeUrl }: { session: GatewaySession; guilds: readonly Guild[]; resumeUrl: string },
): Json {
  return {
    v: 10,
    user: { ...userJson(world.bot), verified: true, mfa_enabled: false, email: null },
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: resumeUrl,
    session_type: 'normal',
    shard: session.shard,
    application: { id: world.application.id, flags: world.application.flags },
    private_channels: [],
    relationships: [],
    presences: [],
  };
}
