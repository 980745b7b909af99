/** Questions with numbers (`q-1`), and a model that answers every one of them (`re q-1`): so that answers can be counted. */
import { expect } from 'vitest';
import { type ReplyHandler, textOf } from '../fakes/model-server.ts';
import type { SkeinProcess } from './skein-process.ts';
import { until } from './until.ts';

/** Answers whatever was asked since the model's own last words, several questions in one reply. */
export const answerAll: ReplyHandler = ({ messages }) => {
  const ownLast = messages.findLastIndex(({ role }) => role !== 'user');
  const asked = messages.slice(ownLast + 1).flatMap(({ content }) => textOf(content).match(/\bq-\w+/g) ?? []);
  return { type: 'text', text: asked.map((question) => `re ${question}`).join(' ') };
};

/** The questions that these replies answer, in order. */
export function answeredIn(replies: readonly string[]): readonly string[] {
  return replies.flatMap((text) => text.match(/(?<=\bre )q-\w+/g) ?? []);
}

/** These and no others have been answered there, once each and in that order. */
export async function expectAnswers(
  skein: SkeinProcess,
  questions: readonly string[],
  conversation = 'general',
  withinMs = 10_000,
): Promise<void> {
  const answered = async () => answeredIn(await skein.replies({ conversation }));
  await until(async () => (await answered()).length >= questions.length, {
    what: `answers to ${questions} in ${conversation}`,
    withinMs,
    seen: async () => ({ replies: await skein.replies({ conversation }), log: skein.output().stderr }),
  });
  expect(await answered()).toEqual(questions);
}

/** The components of `/readyz`, which is expected to say that Skein is ready. */
export async function readyComponents(skein: SkeinProcess): Promise<Readonly<Record<string, string>>> {
  const response = await skein.request('/readyz');
  expect(response.status).toBe(200);
  return ((await response.json()) as { components: Record<string, string> }).components;
}

/** It has begun to stop: it takes no calls any more. */
export function untilClosed(skein: SkeinProcess): Promise<true> {
  return until(
    () =>
      skein.request('/healthz').then(
        () => false,
        () => true,
      ),
    { what: 'calls are refused' },
  );
}
