/** What the tests of threads on Discord have in common: spawning by a message, and what is to be seen afterwards. */
import { APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, isSubagent, lastText, type Script } from '../fakes/scripted-models.ts';
import { type DiscordApp, type DiscordAppParts, discordWorld } from './discord-app.ts';
import { until } from './until.ts';

export const READS_ALL = { flags: APPLICATION_FLAGS.messageContent };

/** Whoever is asked to "spawn {…}" calls the tool with these arguments; `answer` says the rest. */
export function spawning(answer: Script = (request) => `echo: ${lastText(request)}`): Script {
  return (request) => {
    const wanted = /spawn (\{[\s\S]*\})/.exec(lastText(request))?.[1];
    if (isSubagent(request) || wanted === undefined) return answer(request);
    return { calls: [{ name: 'sessions_spawn', arguments: JSON.parse(wanted) as Record<string, unknown> }] };
  };
}

/** The message that has a subagent with a thread spawned. */
export const spawnInThread = (label: string, more: Record<string, unknown> = {}): string =>
  `spawn ${JSON.stringify({ task: `see to ${label}`, label, thread: true, ...more })}`;

/** A running bot that hears every message, and spawns when it is told to. */
export async function spawningWorld(answer?: Script, parts: DiscordAppParts = {}, options = READS_ALL) {
  const world = await discordWorld(options);
  const models = createScriptedModels(spawning(answer));
  return { ...world, models, skein: await world.start({ models, ...parts }) };
}

export const threadsOf = ({ world }: FakeDiscord, parent?: Channel) =>
  [...world.channels.values()].filter(
    ({ thread, parentId }) => thread !== undefined && (parent === undefined || parentId === parent.id),
  );

/** Ids in the paths of the bot's calls that are none of Discord's; everything else in them has a name. */
export const strangeIds = ({ journal }: FakeDiscord): readonly string[] =>
  journal.entries
    .flatMap(({ path }) => [...path.matchAll(/\/(?:channels|guilds|messages|threads)\/([^/?]+)/g)])
    .map((match) => match[1]!)
    .filter((id) => !/^\d{17,20}$/.test(id) && id !== 'active');

/** All that was decided to be said has been said, and it is written down that it was. */
export const settled = ({ store }: DiscordApp) =>
  until(
    async () => {
      const { queued } = await store.read.operations.counts();
      return queued === 0 && (await store.read.operations.owners()).length === 0;
    },
    { what: 'the end of all calls' },
  );

export const said = (fake: FakeDiscord, channel: Channel): string =>
  fake
    .visible(channel)
    .map(({ text }) => text)
    .join('\n');
