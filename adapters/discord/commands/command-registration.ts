/**
 * Makes Discord know exactly our commands: what is there is asked for, and only what differs is written. Registered either
 * for every server or for those that are named; when that changes, the others' are taken away.
 */
import { ApplicationCommandType, RESTJSONErrorCodes, type RouteLike, Routes } from 'discord.js';
import { z } from 'zod';
import type { CommandSpec } from '../../../src/core/command-grammar.ts';
import { asError } from '../../../src/errors.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { CommandSettings } from '../account.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { discordCode } from '../errors.ts';
import type { Insist } from '../gateway/in-turn.ts';
import { isPassing, retry } from '../retry.ts';
import { applicationSchema } from '../schema.ts';
import { changedCommands } from './command-difference.ts';
import { commandShapes } from './command-shape.ts';

const PACE = { firstMs: 2_000, longestMs: 30_000 };
const GIVE_UP_MS = 60_000;
/** Servers that have commands of their own are remembered, since they cannot be asked for. */
const MEMORY_PREFIX = 'commands:guild:';

const registeredSchema = z.array(
  z.looseObject({
    id: z.string(),
    type: z.number().default(ApplicationCommandType.ChatInput),
    name: z.string(),
  }),
);

export interface RegistrationParts {
  readonly call: CallDiscord;
  readonly specs: readonly CommandSpec[];
  readonly settings: CommandSettings;
  readonly memory: AdapterMemory;
  readonly insisting: Insist;
}

/**
 * Never rejects: without its slash commands the bot still takes them as text. False where it may go well another time.
 */
export async function registerCommands(parts: RegistrationParts): Promise<boolean> {
  const { clock, log, signal } = parts.insisting;
  const pace = { ...PACE, until: clock.now() + GIVE_UP_MS };
  const onPause = (err: Error) => log.warn({ err }, 'the slash commands are registered again soon');
  try {
    await retry(() => registerEverywhere(parts), pace, { clock, signal, onPause });
    return true;
  } catch (thrown) {
    log.warn({ err: asError(thrown) }, 'the slash commands could not be registered');
    return !isPassing(thrown);
  }
}

async function registerEverywhere(parts: RegistrationParts): Promise<void> {
  const { call, settings, memory, specs } = parts;
  const answer = applicationSchema;
  const route = Routes.currentApplication();
  const { id } = await call({ what: 'look at the application', method: 'GET', route, answer });
  const wanted = settings.isNative ? specs : [];
  const guilds = settings.isNative ? (settings.guilds ?? []) : [];
  await register(parts, Routes.applicationCommands(id), settings.guilds ? [] : wanted);
  for (const guild of guilds) {
    await memory.set(MEMORY_PREFIX + guild, '');
    await register(parts, Routes.applicationGuildCommands(id, guild), wanted);
  }
  for (const { key } of await memory.list(MEMORY_PREFIX)) {
    const guild = key.slice(MEMORY_PREFIX.length);
    if (guilds.includes(guild)) continue;
    if (await register(parts, Routes.applicationGuildCommands(id, guild), [])) await memory.remove(key);
  }
}

/** False where Discord does not let us, which is said. Rejects where it may later. */
async function register(
  { call, insisting: { log } }: RegistrationParts,
  route: RouteLike,
  specs: readonly CommandSpec[],
): Promise<boolean> {
  try {
    const what = 'look at the commands';
    const there = await call({ what, method: 'GET', route, answer: registeredSchema });
    const { made, changed, removed } = changedCommands(commandShapes(specs), there);
    const writes = [
      ...removed.map((id) => ({ method: 'DELETE' as const, route: `${route}/${id}` as const })),
      ...changed.map(({ id, shape }) => ({
        method: 'PATCH' as const,
        route: `${route}/${id}` as const,
        body: shape,
      })),
      ...made.map((shape) => ({ method: 'POST' as const, route, body: shape })),
    ];
    for (const write of writes) await call({ what: 'register a command', answer: anyAnswer, ...write });
    if (writes.length > 0) log.info({ writes: writes.length }, 'the slash commands are registered');
    return true;
  } catch (thrown) {
    const err = asError(thrown);
    const isSpent = discordCode(err) === RESTJSONErrorCodes.MaximumDailyApplicationCommandCreatesReached;
    if (!isSpent && isPassing(err)) throw err;
    const reason = isSpent
      ? 'Discord takes no more new slash commands today; they are registered at a later start'
      : 'Discord does not let the slash commands be registered there';
    log.warn({ route, err }, reason);
    return false;
  }
}
