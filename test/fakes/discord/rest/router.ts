/** From a method and a path to the route, the most literal one first. */
import { applicationRoutes } from './applications.ts';
import { channelRoutes } from './channels.ts';
import { commandRoutes } from './commands.ts';
import { guildRoutes } from './guilds.ts';
import { interactionRoutes } from './interactions.ts';
import { messageRoutes } from './messages.ts';
import type { Route } from './route.ts';
import { threadRoutes } from './threads.ts';

interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  /** The id whose buckets are apart: channel, guild or webhook. */
  readonly major: string;
}

const routes: readonly Route[] = [
  ...applicationRoutes,
  ...channelRoutes,
  ...messageRoutes,
  ...threadRoutes,
  ...guildRoutes,
  ...commandRoutes,
  ...interactionRoutes,
];

const partsOf = (path: string): readonly string[] => path.split('/').slice(1);

function match(route: Route, parts: readonly string[]): Readonly<Record<string, string>> | undefined {
  const pattern = partsOf(route.path);
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = part;
    else if (name !== part) return undefined;
  }
  return params;
}

/** `parts` are the decoded parts of the path. */
export function findRoute(method: string, parts: readonly string[]): Found | undefined {
  const found = routes
    .filter((route) => route.method === method)
    .flatMap((route) => {
      const params = match(route, parts);
      return params ? [{ route, params }] : [];
    })
    .sort((one, other) => Object.keys(one.params).length - Object.keys(other.params).length)[0];
  if (!found) return undefined;
  const { channel, guild, token, interaction } = found.params;
  return { ...found, major: channel ?? guild ?? token ?? interaction ?? '' };
}
