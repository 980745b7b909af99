/** Answers as people see them in Discord: split, fenced, laid out, as a file, each part once and in order. */
import { expect, test } from 'vitest';
import { fencedBlocks } from '../../src/core/fences.ts';
import type { FakeDiscord, Message } from '../fakes/discord/index.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';

/** Somebody asks, and the model says exactly that; resolves with all that the bot posts, at least `count` messages. */
async function answered(reply: string, count: number) {
  const { fake, general, user, start } = await discordWorld();
  const app = await start({ models: createScriptedModels(() => reply) });
  const asked = user.sendMessage(general, 'tell me', { mention: true });
  await fake.waitFor(`${count} messages`, () => (ours(fake).length >= count ? true : undefined));
  await app.stop();
  const parts = ours(fake);
  return { fake, asked, parts, texts: parts.map(({ content }) => content) };
}

const ours = (fake: FakeDiscord): readonly Message[] =>
  fake
    .messages(fake.channel([...fake.world.guilds.values()][0]!, 'general'))
    .filter(({ author }) => author.isBot);

/** What was added at the cuts of code, taken off again. */
function joined(texts: readonly string[]): string {
  return texts.reduce((whole, text) => {
    const closed = /\n(`{3,}|~{3,})$/.exec(whole)?.[1];
    const reopened = closed === undefined ? null : new RegExp(`^${closed}\\w*\n`).exec(text);
    return reopened
      ? `${whole.slice(0, -closed!.length)}${text.slice(reopened[0].length)}`
      : `${whole}\n\n${text}`;
  });
}

const isBalanced = (text: string) => fencedBlocks(text).every(({ isClosed }) => isClosed);

test('F1: an answer of 6,000 characters with code comes in parts that fit, each with its fences whole', async () => {
  const code = Array.from({ length: 120 }, (_, i) => `const value${i} = compute(${i}); // step ${i}`).join(
    '\n',
  );
  const reply = `# Steps\n\nHere is the code:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat is all, apart from a word at the end.`;
  const padded = `${reply}\n\n${'The end is near. '.repeat(Math.ceil((6_000 - reply.length) / 17)).trimEnd()}`;
  expect(padded.length).toBeGreaterThanOrEqual(6_000 - 17);
  const { parts, texts, asked, fake } = await answered(padded, 4);
  expect(texts.filter((text) => text.length > 2_000 || !isBalanced(text))).toEqual([]);
  expect(joined(texts).replaceAll(/\s+/g, ' ')).toBe(padded.replaceAll(/\s+/g, ' '));
  expect(texts.slice(1).filter((text) => text.startsWith('```ts\n')).length).toBeGreaterThanOrEqual(2);
  expect(parts.map(({ reference }) => reference?.messageId)).toEqual([
    asked.id,
    ...parts.slice(1).map(() => undefined),
  ]);
  expect(fake.world.pings.filter(({ users }) => users.includes(asked.author.id))).toHaveLength(1);
});

test('F1: a closing fence at the edge of a part never makes it too long', async () => {
  for (const tail of [1_985, 1_992, 1_996, 1_999, 2_005]) {
    const line = 'x'.repeat(tail - 20);
    const reply = `\`\`\`python\n${line}\nprint(${'y'.repeat(40)})\n\`\`\` and ${'z'.repeat(50)}`;
    const { texts } = await answered(reply, 2);
    expect(texts.filter((text) => text.length > 2_000)).toEqual([]);
    expect(texts.join('').replaceAll(/`{3,}(?:python)?|\s/g, '')).toBe(
      reply.replaceAll(/`{3,}(?:python)?|\s/g, ''),
    );
  }
});

test('F3: emoji, flags, families and composed syllables are never cut', async () => {
  const family = '👩‍👩‍👧‍👦';
  const reply = `x${'😀'.repeat(600)}${'🇩🇪'.repeat(200)}${family.repeat(120)}${'👍🏽'.repeat(150)}${'각'.repeat(300)}`;
  const { texts } = await answered(reply, 3);
  expect(texts.join('')).toBe(reply);
  expect(texts.filter((text) => !text.isWellFormed() || text.length > 2_000)).toEqual([]);
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const count = (text: string) => [...segmenter.segment(text)].length;
  expect(texts.reduce((sum, text) => sum + count(text), 0)).toBe(count(reply));
});

test('a very long answer is its beginning with the whole of it as a file', async () => {
  const paragraph = 'This paragraph says a thing or two that is worth reading to its very end. '
    .repeat(6)
    .trim();
  const reply = Array.from({ length: 40 }, (_, i) => `## Part ${i}\n\n${paragraph}`).join('\n\n');
  const { parts, texts, asked } = await answered(reply, 1);
  expect(parts).toHaveLength(1);
  expect(texts[0]!.length).toBeLessThanOrEqual(2_000);
  expect(texts[0]).toMatch(
    /^## Part 0[\s\S]*\n\n\*\(This is only the beginning: the whole answer is in answer\.md\.\)\*$/,
  );
  expect(parts[0]!.attachments.map(({ name }) => name)).toEqual(['answer.md']);
  expect(Buffer.from(parts[0]!.attachments[0]!.bytes).toString()).toBe(reply);
  expect(parts[0]!.reference?.messageId).toBe(asked.id);
});

test('tables are laid out, deep headings become bold, and lists, quotes and links stay', async () => {
  const reply = [
    '#### Prices',
    '',
    '| Fruit | Price |',
    '|:------|------:|',
    '| Apple | 1.50 |',
    '| **Melon** | 12.00 |',
    '',
    '1. first',
    '2. second',
    '   - below',
    '',
    '> said',
    '',
    'See [the list](https://example.com/list) and ||a secret||.',
  ].join('\n');
  const { texts } = await answered(reply, 1);
  expect(texts).toEqual([
    [
      '**Prices**',
      '',
      '```',
      'Fruit  Price',
      '-----  -----',
      'Apple   1.50',
      'Melon  12.00',
      '```',
      '',
      '1. first',
      '2. second',
      '   - below',
      '',
      '> said',
      '',
      'See [the list](https://example.com/list) and ||a secret||.',
    ].join('\n'),
  ]);
});
