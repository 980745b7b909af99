/** The page's own files and htmx, read once when the adapter is made ready. They are public: nothing in them is personal. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Hono } from 'hono';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** In the order in which they are applied. */
export const STYLES = [
  'base.css',
  'sidebar.css',
  'panes.css',
  'messages.css',
  'live.css',
  'card.css',
  'empty.css',
  'composer.css',
  'pairings.css',
  'narrow.css',
];

const OWN_FILES = [
  ...STYLES,
  'page.js',
  'theme.js',
  'composer.js',
  'completion.js',
  'events.js',
  'clock.js',
  'pairings.js',
  'places.js',
  'api.js',
  'icon.svg',
];

export interface Assets {
  readonly routes: Hono;
  /** A digest of all of them; part of their addresses, so that a browser never mixes two versions. */
  version(): Promise<string>;
}

export function createAssets(): Assets {
  let loading: Promise<ReadonlyMap<string, Buffer>> | undefined;
  const load = () => {
    loading ??= readAll();
    return loading;
  };
  const version = async () => digest([...(await load()).values()]);

  const routes = new Hono();
  routes.get('/assets/:name', async (c) => {
    const name = c.req.param('name');
    const content = (await load()).get(name);
    if (!content) return c.notFound();
    const isCurrent = c.req.query('v') === (await version());
    const tag = `"${digest([content])}"`;
    c.header('ETag', tag);
    c.header('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    if (c.req.header('if-none-match') === tag) return c.body(null, 304);
    c.header('Content-Type', TYPES[name.split('.').at(-1)!]!);
    return c.body(new Uint8Array(content));
  });
  routes.get('/favicon.ico', (c) => c.redirect('/assets/icon.svg', 301));
  return { routes, version };
}

async function readAll(): Promise<ReadonlyMap<string, Buffer>> {
  const htmx = createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js');
  const files = [
    ...OWN_FILES.map((name) => ({ name, path: new URL(`static/${name}`, import.meta.url) })),
    { name: 'htmx.min.js', path: htmx },
  ];
  const contents = await Promise.all(files.map(({ path }) => readFile(path)));
  return new Map(files.map(({ name }, i) => [name, contents[i]!]));
}

function digest(contents: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('hex').slice(0, 12);
}
