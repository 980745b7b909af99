import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { tempDir } from '../support/temp-dir.ts';

function load(env: Readonly<Record<string, string>>, file = '{}') {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'skein.json5'), file);
  return loadConfig({ cwd, env, home: cwd }).config;
}

const OPENAI = { OPENAI_API_KEY: 'key-of-openai' };
const OPENROUTER = { OPENROUTER_API_KEY: 'key-of-openrouter' };
const OLLAMA = { OLLAMA_BASE_URL: 'http://127.0.0.1:11434' };

test.each([
  [{ ...OPENAI, ...OPENROUTER, ...OLLAMA }, 'openai'],
  [{ ...OPENROUTER, ...OLLAMA }, 'openrouter'],
  [OLLAMA, 'ollama'],
  [{}, 'offline'],
])('the default model follows the keys that are there: %j', (env, provider) => {
  expect(load(env).defaultModel.provider).toBe(provider);
});

test('for Ollama no model is fixed: the first installed one is taken later', () => {
  expect(load(OLLAMA).defaultModel).toEqual({ provider: 'ollama' });
});

test('a configured model wins over the keys, and may have slashes in its name', () => {
  const config = load(OPENAI, '{ agents: { defaults: { model: "openrouter/meta/llama" } } }');
  expect(config.defaultModel).toEqual({ provider: 'openrouter', model: 'meta/llama' });
});

test.each([
  ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1'],
  ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434/v1'],
  ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1'],
])('the address of Ollama may be given as %s', (given, baseUrl) => {
  const ollama = load({ OLLAMA_BASE_URL: given }).providers.find(({ id }) => id === 'ollama');
  expect(ollama?.baseUrl).toBe(baseUrl);
});

test('models.providers changes a built-in provider key by key and adds others', () => {
  const config = load(
    OPENAI,
    `{ models: { providers: {
      openai: { baseUrl: "http://proxy.local/v1/" },
      mine: { baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "small", cost: { input: 1, output: 2 } }] },
    } } }`,
  );
  expect(config.providers).toEqual([
    {
      id: 'openai',
      api: 'openai-chat',
      baseUrl: 'http://proxy.local/v1',
      apiKey: 'key-of-openai',
      models: [],
    },
    { id: 'offline', api: 'offline', models: [] },
    {
      id: 'mine',
      api: 'openai-chat',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: [{ id: 'small', cost: { input: 1, output: 2 } }],
    },
  ]);
});
