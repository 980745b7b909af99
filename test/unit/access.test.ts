import { describe, expect, test } from 'vitest';
import { type AccessFacts, decideAccess } from '../../src/core/access.ts';
import type { Inbound } from '../../src/core/message.ts';

const message = (changed: Partial<Inbound> = {}): Inbound => ({
  address: { channel: 'discord', account: 'default', chatType: 'channel', conversation: 'c' },
  eventId: 'e',
  sender: { id: '7', name: 'Ann', isBot: false },
  text: 'hello',
  source: 'message',
  isAddressed: false,
  at: 0,
  ...changed,
});
const facts = (changed: Partial<AccessFacts> = {}): AccessFacts => ({
  isOwner: false,
  needsMention: false,
  isBound: false,
  ...changed,
});

test('a person is let in as a user, an owner as an owner', () => {
  const actor = { channel: 'discord', id: '7', name: 'Ann' };
  expect(decideAccess(message(), facts())).toEqual({ kind: 'allowed', actor: { ...actor, role: 'user' } });
  expect(decideAccess(message(), facts({ isOwner: true }))).toEqual({
    kind: 'allowed',
    actor: { ...actor, role: 'owner' },
  });
});

test.each(['', ' ', '\n\t'])('Q4: an empty text (%j) is dropped', (text) => {
  expect(decideAccess(message({ text }), facts())).toEqual({ kind: 'dropped', reason: 'empty-text' });
});

test('BIND-23: a bot is dropped, addressed, bound or owner as it may be', () => {
  const bot = message({ sender: { id: '8', name: 'Bot', isBot: true }, isAddressed: true });
  expect(decideAccess(bot, facts({ isOwner: true, isBound: true }))).toEqual({
    kind: 'dropped',
    reason: 'sender-is-bot',
  });
});

describe('C7: who must mention the bot', () => {
  test.each([
    [false, false, false, true],
    [true, false, false, false],
    [true, true, false, true],
    [true, false, true, true],
    [true, true, true, true],
  ])(
    'needed %s, addressed %s, in a bound thread %s: let in %s',
    (needsMention, isAddressed, isBound, isIn) => {
      const decision = decideAccess(message({ isAddressed }), facts({ needsMention, isBound }));
      expect(decision.kind).toBe(isIn ? 'allowed' : 'dropped');
      if (!isIn) expect(decision).toMatchObject({ reason: 'not-addressed' });
    },
  );
});
