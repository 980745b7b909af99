/**
 * A Discord of our own, on this machine: it speaks the REST and gateway protocol, so that the real client library runs
 * against it, and is driven from tests by people (`addUser`) and by faults. It binds 127.0.0.1 and keeps nothing on disk.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createActor } from './actors.ts';
import { createApiServer } from './api-server.ts';
import { createCommandWrites } from './commands.ts';
import type { FakeDiscord, FakeDiscordOptions } from './control.ts';
import { createFaults } from './faults.ts';
import { createGateway } from './gateway.ts';
import { createGuildControl, newUser, userOf } from './guild-control.ts';
import { createJournal } from './journal.ts';
import { publishMessageCreate } from './message-events.ts';
import type { Platform } from './platform.ts';
import { createRateLimits } from './rate-limits.ts';
import { systemMessage } from './send-message.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';
import { createSnowflakes } from './snowflakes.ts';
import { createViolationLog } from './violations.ts';
import { createWaits } from './waits.ts';
import { createWatch } from './watch.ts';
import { type Application, createWorld, type User } from './world.ts';

export type { Actor, ActorMessage, Choice } from './actors.ts';
export type { InteractionHandle } from './answer.ts';
export type { ChannelSpec } from './channels.ts';
export type { FakeDiscord, FakeDiscordOptions } from './control.ts';
export type { Faults, Gate } from './faults.ts';
export type { JournalEntry } from './journal.ts';
export { APPLICATION_FLAGS } from './platform.ts';
export { snowflakeAt } from './snowflakes.ts';
export type { Thread } from './threads.ts';
export type { VisibleMessage } from './visible.ts';
export type { Channel, Guild, Message, Role, User, World } from './world.ts';

function tokenFor(id: string): string {
  const letters = Array.from({ length: 38 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
  return `${Buffer.from(id).toString('base64url')}.Gfakes.${letters}`;
}

export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const { port = 0, now = Date.now, flags = 0, botName = 'skein', ...changed } = options;
  const settings: Settings = { ...DEFAULT_SETTINGS, ...changed };
  const newId = createSnowflakes(now);
  const bot = newUser(newId(), botName, true);
  const ownerUser = newUser(newId(), 'owner', false);
  const application: Application = {
    id: bot.id,
    name: botName,
    flags,
    ownerId: ownerUser.id,
    teamId: newId(),
    teamMemberIds: [],
  };
  const world = createWorld(bot, application);
  world.users.set(ownerUser.id, ownerUser);
  const watch = createWatch();
  const token = tokenFor(bot.id);
  let isRevoked = false;
  const isToken = (given: unknown) => given === token && !isRevoked;

  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fake Discord has no port');
  const host = `127.0.0.1:${address.port}`;

  const platform: Platform = {
    world,
    settings,
    now,
    newId,
    fileUrl: () => `http://${host}`,
    publish: (event) => gateway.publish(event),
    changed: () => watch.changed(),
  };
  const gateway = createGateway({ platform, server, url: () => `ws://${host}/gateway`, isToken });
  const nonces = new Map();
  const commandWrites = createCommandWrites();
  const journal = createJournal();
  const faults = createFaults();
  const rateLimits = createRateLimits(now);
  const violations = createViolationLog();
  const side = { platform, nonces, commandWrites, gatewayInfo: gateway.info };
  server.on('request', createApiServer({ side, journal, faults, rateLimits, violations, isToken }));

  const actorFor = (user: User) => createActor({ platform, nonces, watch }, user);
  const owner = actorFor(ownerUser);
  const isStopped = { yes: false };

  return {
    apiUrl: `http://${host}/api`,
    token,
    botUser: bot,
    application,
    owner,
    world,
    settings,
    journal,
    violations: violations.list,
    faults,
    rateLimits,
    gateway,
    commandWrites,
    ...createGuildControl({ platform, owner, actorFor }),
    ...createWaits({ platform, watch, connections: () => gateway.connections }),
    setFlags: (next) => {
      application.flags = next;
    },
    setTeam: (members) => {
      application.teamMemberIds = members.map(({ id }) => id);
    },
    revokeToken: () => {
      isRevoked = true;
      gateway.drop({ code: 4004, isResumable: false });
    },
    postSystemMessage: ({ author, ...notice }) =>
      systemMessage(platform, { ...notice, author: userOf(author) }),
    redeliver: (message) => publishMessageCreate(platform, message),
    dropGateway: gateway.drop,
    pauseGateway: gateway.pause,
    resumeGateway: gateway.resume,
    stop: async () => {
      if (isStopped.yes) return;
      isStopped.yes = true;
      faults.openGates();
      await gateway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
