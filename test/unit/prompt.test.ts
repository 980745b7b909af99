import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runId, type SessionKey } from '../../src/core/ids.ts';
import { NO_USAGE } from '../../src/core/run.ts';
import type { Entry, EntryContent, Provenance } from '../../src/core/transcript.ts';
import type { ModelMessage } from '../../src/ports/model.ts';
import type { Settings } from '../../src/ports/settings.ts';
import type { Run, Session } from '../../src/ports/store/index.ts';
import { NO_PICTURES } from '../../src/runs/pictures.ts';
import { buildRequest } from '../../src/runs/prompt.ts';
import type { Toolbox } from '../../src/runs/tool.ts';

const KEY = 'agent:main:main' as SessionKey;
const session: Session = {
  key: KEY,
  id: 'id',
  kind: 'main',
  agentId: 'main',
  depth: 0,
  role: 'main',
  cleanup: 'keep',
  usage: NO_USAGE,
  contextTokens: 0,
  stateVersion: 0,
  hasAbortedLastRun: false,
  isPinned: false,
  createdAt: 0,
  updatedAt: 0,
};
const run: Run = {
  id: runId('run_1'),
  seq: 1,
  sessionKey: KEY,
  lane: 'main',
  trigger: 'message',
  status: 'running',
  origin: { delivery: { kind: 'internal' } },
  step: 0,
  attempt: 1,
  fence: 1,
  usage: NO_USAGE,
  partialReply: '',
  createdAt: 0,
};
const settings = { thinking: () => undefined } as unknown as Settings;
const toolbox = { offeredTo: () => [] } as unknown as Toolbox;

const OWNER: Provenance = { kind: 'user', sender: { id: '1', name: 'Ann', role: 'owner' } };
const entry = (content: EntryContent, provenance: Provenance = OWNER): Entry => ({
  content,
  provenance,
  seq: 1,
  at: 0,
});
const asked = (text: string, provenance?: Provenance) => entry({ role: 'user', text }, provenance);
const called = (...ids: string[]) =>
  entry(
    { role: 'assistant', text: '', toolCalls: ids.map((id) => ({ id, name: 'tool', arguments: {} })) },
    { kind: 'model' },
  );
const answered = (callId: string, result: unknown = 'ok') =>
  entry({ role: 'toolResult', callId, toolName: 'tool', result, isError: false }, { kind: 'tool' });

const messages = (entries: readonly Entry[]): readonly ModelMessage[] =>
  buildRequest({ run, session, entries, model: 'fake/model', pictures: NO_PICTURES }, settings, toolbox)
    .messages;

/** Each assistant message is followed by exactly one result for each of its calls, and no result stands elsewhere. */
function expectPaired(sent: readonly ModelMessage[]): void {
  for (let i = 0; i < sent.length; ) {
    const message = sent[i++]!;
    expect(message.role).not.toBe('tool');
    if (message.role !== 'assistant') continue;
    const wanted = message.toolCalls.map(({ id }) => id).sort();
    const results = sent.slice(i, i + wanted.length);
    expect(results.map((result) => (result.role === 'tool' ? result.callId : undefined)).sort()).toEqual(
      wanted,
    );
    i += wanted.length;
  }
}

const ids = fc.constantFrom('a', 'b', 'c', 'd');
const anyEntry = fc.oneof(
  fc.string().map((text) => asked(text)),
  fc.uniqueArray(ids, { maxLength: 4 }).map((given) => called(...given)),
  fc.tuple(ids, fc.oneof(fc.json(), fc.constant(undefined))).map(([id, result]) => answered(id, result)),
);

test('every tool call has exactly one result right behind it, whatever the transcript holds', () => {
  fc.assert(fc.property(fc.array(anyEntry, { maxLength: 40 }), (entries) => expectPaired(messages(entries))));
});

test('a call without a result gets one that says so, and a result that comes later is left out', () => {
  const sent = messages([asked('go'), called('a', 'b'), answered('b'), asked('wait'), answered('a')]);
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  expect(sent[3]).toMatchObject({ callId: 'a', isError: true, result: expect.stringContaining('cut off') });
});

const LARGE = 'x'.repeat(150_000);

test('a long transcript is cut to its newest turns, beginning with a user', () => {
  const sent = messages([
    asked('old'),
    called('a'),
    answered('a', LARGE),
    asked('mid'),
    called('b'),
    answered('b', LARGE),
    asked('new'),
    called('c'),
    answered('c', LARGE),
  ]);
  expectPaired(sent);
  expect(sent[0]).toEqual({ role: 'user', text: 'mid' });
});

test('a single turn that is too long keeps what it is about and its newest steps', () => {
  const steps = ['a', 'b', 'c', 'd'].flatMap((id) => [called(id), answered(id, LARGE)]);
  const sent = messages([asked('the task'), ...steps]);
  expectPaired(sent);
  expect(sent[0]).toEqual({ role: 'user', text: 'the task' });
  expect(sent.filter(({ role }) => role === 'assistant')).toHaveLength(2);
});

test('a last step that is too long alone is sent all the same, with its call', () => {
  const sent = messages([asked('the task'), called('a'), answered('a', 'x'.repeat(500_000))]);
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

test('trimming never leaves nothing, begins with a user and keeps calls and results together', () => {
  const sized = fc.oneof(
    fc.constant(asked('u')),
    fc.constant(asked(LARGE)),
    fc.constantFrom(called('a'), called('a', 'b')),
    fc.constantFrom(answered('a', LARGE), answered('b', LARGE), answered('a', 'x'.repeat(450_000))),
  );
  fc.assert(
    fc.property(fc.array(sized, { maxLength: 12 }), (rest) => {
      const sent = messages([asked('first'), ...rest]);
      expectPaired(sent);
      expect(sent[0]?.role).toBe('user');
    }),
    { numRuns: 60 },
  );
});

test('users and other sessions are told apart from the owner', () => {
  const bob: Provenance = { kind: 'user', sender: { id: '2', name: 'Bob', role: 'user' } };
  const other: Provenance = { kind: 'inter_session', sourceSession: 'agent:x:main' };
  const [one, two, three] = messages([
    asked('mine'),
    called(),
    asked('his', bob),
    called(),
    asked('theirs', other),
  ]).filter(({ role }) => role === 'user');
  expect(one).toEqual({ role: 'user', text: 'mine' });
  expect(two).toEqual({ role: 'user', text: '[message from Bob]\nhis' });
  expect(three).toMatchObject({
    text: expect.stringMatching(/^\[Inter-session message .*isUser=false\]\ntheirs$/),
  });
});
