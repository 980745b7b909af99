import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema/root.ts';
import { allKnownPaths, formatPath } from '../../src/config/schema-walk.ts';
import { tempDir } from '../support/temp-dir.ts';

const document = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('CFG-01 .env.example lists every variable that is read, and no other', () => {
  const listed = [...document('.env.example').matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(ENVIRONMENT_VARIABLES.toSorted());
});

test('.env.example as it is changes nothing', () => {
  const cwd = tempDir();
  const env = Object.fromEntries(ENVIRONMENT_VARIABLES.map((name) => [name, '']));
  const { config } = loadConfig({ cwd, env, home: cwd });
  expect(config.home).toBe(join(cwd, '.skein'));
  expect(config.defaultModel.provider).toBe('offline');
});

test('docs/configuration.md names every variable and every section of the file', () => {
  const page = document('docs/configuration.md');
  const sections = new Set(allKnownPaths(configSchema).map((path) => formatPath(path.slice(0, 2))));
  const missing = [...ENVIRONMENT_VARIABLES, ...sections].filter((name) => !page.includes(`\`${name}`));
  expect(missing).toEqual([]);
});
