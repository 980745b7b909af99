/** Rules that span several keys. Pure; run on a file whose single values are all right. */

import { isLoopback } from '../core/loopback.ts';
import type { Problem } from './problems.ts';
import { isBuiltIn, isSpoken, keyVariable, knownProviders, type ProviderSettings } from './providers.ts';
import type { ConfigFile } from './schema/root.ts';

export function crossProblems(file: ConfigFile): readonly Problem[] {
  return [
    ...allowBesideAlsoAllow(file),
    ...duplicateAgents(file),
    ...openWithoutToken(file),
    ...unknownProviders(file),
    ...providersWithoutAddress(file),
    ...sharedTokens(file),
  ];
}

interface ToolScope {
  readonly allow?: readonly string[];
  readonly alsoAllow?: readonly string[];
}

function allowBesideAlsoAllow(file: ConfigFile): readonly Problem[] {
  const owners = [
    { path: 'tools', tools: file.tools },
    ...file.agents.list.flatMap(({ tools }, index) =>
      tools === undefined ? [] : [{ path: `agents.list[${index}].tools`, tools }],
    ),
  ];
  const scopes = owners.flatMap(({ path, tools }): readonly (readonly [string, ToolScope])[] => [
    [path, tools],
    ...Object.entries(tools.byProvider ?? {}).map(
      ([id, scope]) => [`${path}.byProvider.${id}`, scope] as const,
    ),
  ]);
  return scopes
    .filter(([, scope]) => scope.allow !== undefined && scope.alsoAllow !== undefined)
    .map(([path]) => ({
      path: `${path}.alsoAllow`,
      expected: `either "allow" or "alsoAllow" in ${path}, not both`,
    }));
}

function duplicateAgents(file: ConfigFile): readonly Problem[] {
  const ids = file.agents.list.map(({ id }) => id);
  return ids.flatMap((id, index) =>
    ids.indexOf(id) < index
      ? [
          {
            path: `agents.list[${index}].id`,
            expected: 'an id that no other agent has',
            found: `"${id}" again`,
          },
        ]
      : [],
  );
}

function openWithoutToken({ http }: ConfigFile): readonly Problem[] {
  if (http.token !== undefined || isLoopback(http.host)) return [];
  const expected = `a token of your own, since http.host "${http.host}" can be reached from other machines`;
  return [{ path: 'http.token', expected, found: 'nothing' }];
}

/** One bot that is connected twice would answer everything twice. */
function sharedTokens({ channels: { discord } }: ConfigFile): readonly Problem[] {
  const { token, accounts = {} } = discord;
  const named = [
    ...(token === undefined ? [] : [{ path: 'channels.discord.token', id: 'default', token }]),
    ...Object.entries(accounts).flatMap(([id, account]) =>
      account.token === undefined
        ? []
        : [{ path: `channels.discord.accounts.${id}.token`, id, token: account.token }],
    ),
  ];
  return named.flatMap(({ path, id, token: own }, index) => {
    const other = named.slice(0, index).find((earlier) => earlier.token === own && earlier.id !== id);
    return other === undefined
      ? []
      : [{ path, expected: 'the token of another bot', found: `the one of ${other.path} again` }];
  });
}

interface NamedModel {
  readonly path: string;
  readonly ref: string;
}

/** Every model reference of the file with its place. */
function namedModels({ agents }: ConfigFile): readonly NamedModel[] {
  const owners = [
    { path: 'agents.defaults', owner: agents.defaults },
    ...agents.list.map((owner, index) => ({ path: `agents.list[${index}]`, owner })),
  ];
  return owners.flatMap(({ path, owner }) => [
    ...(owner.model ? [{ path: `${path}.model`, ref: owner.model.primary }] : []),
    ...(owner.model?.fallbacks ?? []).map((ref, i) => ({ path: `${path}.model.fallbacks[${i}]`, ref })),
    ...(owner.subagents?.model ? [{ path: `${path}.subagents.model`, ref: owner.subagents.model }] : []),
  ]);
}

export function namedProviders(file: ConfigFile): readonly string[] {
  return namedModels(file).map(({ ref }) => providerOf(ref));
}

function unknownProviders(file: ConfigFile): readonly Problem[] {
  const known = knownProviders(file);
  return namedModels(file)
    .filter(({ ref }) => !known.includes(providerOf(ref)))
    .map(({ path, ref }) => ({
      path,
      expected: `a model of a known provider (${known.join(', ')}, or one added in models.providers)`,
      found: `"${ref}"`,
    }));
}

function providersWithoutAddress(file: ConfigFile): readonly Problem[] {
  return Object.entries(file.models.providers)
    .filter(([id, { api, baseUrl }]) => {
      const needsAddress = api === undefined || api === 'openai-chat';
      return baseUrl === undefined && needsAddress && !isBuiltIn(id);
    })
    .map(([id]) => ({
      path: `models.providers.${id}.baseUrl`,
      expected: 'the URL of its API',
      found: 'nothing',
    }));
}

/** A model that will answer nothing but an authentication error, said before anyone waits for it. */
export function missingKeys(file: ConfigFile, providers: readonly ProviderSettings[]): readonly string[] {
  return namedModels(file).flatMap(({ path, ref }) => {
    const provider = providers.find(({ id }) => id === providerOf(ref));
    const variable = keyVariable(providerOf(ref));
    if (provider === undefined || variable === undefined || provider.apiKey !== undefined) return [];
    if (!isSpoken(provider)) return [];
    return [`${path} names ${ref}, but there is no key for it; set ${variable}`];
  });
}

/** Models that nothing here can talk to yet, whatever their keys. */
export function silentModels(file: ConfigFile, providers: readonly ProviderSettings[]): readonly string[] {
  return namedModels(file).flatMap(({ path, ref }) => {
    const provider = providers.find(({ id }) => id === providerOf(ref));
    if (provider === undefined || isSpoken(provider)) return [];
    return [
      `${path} names ${ref}, but this version does not speak its API (${provider.api}); reach it through OpenRouter ` +
        "or another server with OpenAI's chat API",
    ];
  });
}

/** Channels that are named but cannot be served: only they stay off. */
export function silentChannels({ channels }: ConfigFile): readonly string[] {
  const { slack, discord } = channels;
  const isSlackNamed = slack.botToken !== undefined || slack.appToken !== undefined;
  const tokenless = Object.entries(discord.accounts ?? {}).filter(
    ([id, { token, enabled }]) =>
      token === undefined && enabled !== false && (id !== 'default' || discord.token === undefined),
  );
  return [
    ...(isSlackNamed
      ? ['channels.slack has a token, but this version does not connect to it; it stays off']
      : []),
    ...tokenless.map(([id]) => `channels.discord.accounts.${id} has no token; it stays off`),
  ];
}

function providerOf(ref: string): string {
  return ref.slice(0, ref.indexOf('/'));
}
