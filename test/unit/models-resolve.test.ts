import { describe, expect, it } from 'vitest';
import { apiUrl, type ProviderSettings, type Providers, rootUrl } from '../../adapters/models/providers.ts';
import { redactKey } from '../../adapters/models/redact-key.ts';
import { describeResolved, resolveModel } from '../../adapters/models/resolve-model.ts';

const chat: ProviderSettings = { api: 'openai-chat' };
const cost = { input: 1, output: 2 };
const providers: Providers = new Map<string, ProviderSettings>([
  ['offline', { api: 'offline' }],
  ['openai', chat],
  ['openrouter', { api: 'openai-chat', models: [{ id: 'vendor/large', cost }] }],
]);

describe('a model reference', () => {
  it.each([
    ['openai/gpt-5', 'openai', 'openai/gpt-5'],
    [' openai/gpt-5 ', 'openai', 'openai/gpt-5'],
    ['gpt-5', 'openai', 'openai/gpt-5'],
    ['openrouter/vendor/large', 'openai', 'openrouter/vendor/large'],
    ['vendor/large', 'openrouter', 'openrouter/vendor/large'],
    ['stand-in', 'offline', 'offline/stand-in'],
  ])('%s with the default provider %s is %s', (ref, defaultProvider, expected) => {
    const model = resolveModel(ref, defaultProvider, providers);
    expect(model && describeResolved(model).ref).toBe(expected);
  });

  it.each([
    ['nobody/gpt-5', 'openai'],
    ['openrouter/vendor/small', 'openai'],
    ['offline/other', 'openai'],
    ['gpt-5', 'offline'],
    ['openai/', 'openai'],
    ['', 'openai'],
    ['the big one', 'openai'],
  ])('%s with the default provider %s is unknown', (ref, defaultProvider) => {
    expect(resolveModel(ref, defaultProvider, providers)).toBeUndefined();
  });

  it('carries the configured price and says whether it is the stand-in', () => {
    const priced = resolveModel('openrouter/vendor/large', 'openai', providers)!;
    expect(describeResolved(priced)).toEqual({
      ref: 'openrouter/vendor/large',
      isOffline: false,
      takesImages: true,
      cost,
    });
    const offline = resolveModel('offline/stand-in', 'openai', providers)!;
    expect(describeResolved(offline)).toEqual({
      ref: 'offline/stand-in',
      isOffline: true,
      takesImages: true,
    });
  });
});

describe('the address of a provider', () => {
  it.each([
    ['ollama', 'http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1'],
    ['ollama', 'http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1'],
    ['proxy', 'https://models.example/openai/v1', 'https://models.example/openai/v1'],
    ['proxy', 'https://models.example/openai', 'https://models.example/openai'],
    ['openai', undefined, 'https://api.openai.com/v1'],
    ['unheard-of', undefined, undefined],
    ['unheard-of', '  ', undefined],
  ])('%s at %s is %s', (id, baseUrl, expected) => {
    expect(apiUrl(id, { ...chat, ...(baseUrl !== undefined && { baseUrl }) })).toBe(expected);
  });

  it('has its root above /v1', () => {
    expect(rootUrl('http://127.0.0.1:11434/v1')).toBe('http://127.0.0.1:11434');
  });
});

describe('a message of a provider', () => {
  it('loses the configured key, look-alikes and logins', () => {
    const text = 'key my.secret+key, Bearer abc.def, sk-proj-abc***xyz at http://me:pw@host/v1';
    expect(redactKey(text, 'my.secret+key')).toBe(
      'key [redacted], Bearer [redacted], [redacted] at http://[redacted]@host/v1',
    );
  });

  it('is cut when it is a page', () => {
    expect(redactKey('x'.repeat(9000), undefined).length).toBeLessThan(500);
  });
});
