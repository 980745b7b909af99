/** Questions with numbers (`q-1`) asked on the fake Discord, and models in this process that answer each (`re q-1`). */
import { expect } from 'vitest';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, type Script, type ScriptedModels } from '../fakes/scripted-models.ts';
import { answeredIn } from './questions.ts';
import { until } from './until.ts';

/** Answers whatever was asked since the model's own last words. */
export const answerAsked: Script = ({ messages }) => {
  const ownLast = messages.findLastIndex(({ role }) => role !== 'user');
  const said = messages.slice(ownLast + 1).map((message) => ('text' in message ? message.text : ''));
  const asked = said.flatMap((text) => text.match(/\bq-\w+/g) ?? []);
  return asked.map((question) => `re ${question}`).join(' ');
};

export const answering = (): ScriptedModels => createScriptedModels(answerAsked);

/** What the bot has said there, oldest first. */
export function botTexts(fake: FakeDiscord, channel: Channel): readonly string[] {
  return fake
    .visible(channel)
    .filter(({ author }) => author === fake.botUser.name)
    .map(({ text }) => text);
}

/** These and no others have been answered there, once each and in that order. */
export async function expectAnswersIn(
  fake: FakeDiscord,
  channel: Channel,
  questions: readonly string[],
  withinMs = 15_000,
): Promise<void> {
  const answered = () => answeredIn(botTexts(fake, channel));
  await until(() => answered().length >= questions.length, {
    what: `answers to ${questions} in ${channel.name}`,
    withinMs,
    seen: () => fake.visible(channel),
  });
  expect(answered()).toEqual(questions);
}
