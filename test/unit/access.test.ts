import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AccessFacts, decideAccess, MOST_BOT_MESSAGES } from '../../src/core/access.ts';
import type { AccessRules, SpaceRules } from '../../src/core/access-rules.ts';
import type { Inbound } from '../../src/core/message.ts';

const message = (changed: Partial<Inbound> = {}): Inbound => ({
  address: { channel: 'discord', account: 'default', chatType: 'channel', conversation: 'c' },
  eventId: 'e',
  sender: { id: '7', name: 'Ann', isBot: false },
  text: 'hello',
  source: 'message',
  isAddressed: true,
  place: { space: 'g' },
  at: 0,
  ...changed,
});
const direct = (changed: Partial<Inbound> = {}): Inbound =>
  message({
    address: { channel: 'discord', account: 'default', chatType: 'direct', conversation: 'd' },
    place: {},
    ...changed,
  });
const rules = (changed: Partial<AccessRules> = {}): AccessRules => ({
  direct: 'pairing',
  groups: 'open',
  allowFrom: [],
  allowsBots: false,
  spaces: {},
  ...changed,
});
const facts = (changed: Partial<AccessFacts> = {}): AccessFacts => ({
  isOwner: false,
  needsMention: true,
  readsUnmentioned: true,
  isBound: false,
  isCommand: false,
  botsInRow: 0,
  ...changed,
});
const bot = { id: '8', name: 'Bot', isBot: true };

/** In one word. */
function verdict(inbound: Inbound, given: AccessRules = rules(), known: AccessFacts = facts()): string {
  const decision = decideAccess(inbound, given, known);
  switch (decision.kind) {
    case 'allowed':
      return decision.actor.role;
    case 'stranger':
      return 'stranger';
    default:
      return `${decision.kind}: ${decision.reason}`;
  }
}

test('a person is let in as a user, an owner as an owner', () => {
  const actor = { channel: 'discord', id: '7', name: 'Ann' };
  const let_in = (isOwner: boolean) => decideAccess(message(), rules(), facts({ isOwner }));
  expect(let_in(false)).toEqual({ kind: 'allowed', actor: { ...actor, role: 'user' } });
  expect(let_in(true)).toEqual({ kind: 'allowed', actor: { ...actor, role: 'owner' } });
});

describe('Q4: an empty text', () => {
  test.each(['', ' ', '\n\t'])('(%j) is dropped', (text) => {
    expect(verdict(message({ text }))).toBe('dropped: empty-text');
  });

  test('with files is a message', () => {
    expect(verdict(message({ text: '', files: [{ name: 'a.png', refused: 'too large' }] }))).toBe('user');
    expect(verdict(message({ text: '', files: [] }))).toBe('dropped: empty-text');
  });
});

describe('AUTH-07: direct messages', () => {
  const known = { allowFrom: ['7'] };
  test.each([
    ['pairing', {}, {}, 'stranger'],
    ['pairing', {}, { pairing: 'pending' }, 'stranger'],
    ['pairing', {}, { pairing: 'approved' }, 'user'],
    ['pairing', {}, { pairing: 'denied' }, 'dropped: pairing-denied'],
    ['pairing', known, {}, 'user'],
    ['pairing', known, { pairing: 'denied' }, 'user'],
    ['allowlist', {}, {}, 'dropped: sender-not-allowed'],
    ['allowlist', {}, { pairing: 'approved' }, 'dropped: sender-not-allowed'],
    ['allowlist', known, {}, 'user'],
    ['allowlist', { allowFrom: ['*'] }, {}, 'user'],
    ['open', {}, {}, 'user'],
    ['disabled', known, {}, 'dropped: direct-disabled'],
    ['disabled', {}, { isOwner: true }, 'owner'],
    ['pairing', {}, { isOwner: true }, 'owner'],
  ] as const)('dmPolicy %s, rules %j, known %j: %s', (policy, given, known_, expected) => {
    expect(verdict(direct(), rules({ direct: policy, ...given }), facts(known_))).toBe(expected);
  });

  test('need no mention', () => {
    expect(verdict(direct({ isAddressed: false }), rules({ direct: 'open' }))).toBe('user');
  });

  test('let nobody into a server who is paired', () => {
    const pairing = { pairing: 'approved' } as const;
    expect(verdict(message(), rules({ groups: 'allowlist' }), facts(pairing))).toBe(
      'dropped: place-not-allowed',
    );
  });
});

describe('AUTH-07: servers', () => {
  const space = (g: SpaceRules) => ({ spaces: { g } });
  test.each([
    ['allowlist', {}, 'dropped: place-not-allowed'],
    ['allowlist', { spaces: { other: {} } }, 'dropped: place-not-allowed'],
    ['allowlist', space({}), 'user'],
    ['allowlist', { spaces: { '*': {} } }, 'user'],
    ['allowlist', { allowFrom: ['7'] }, 'user'],
    ['allowlist', space({ channels: { other: {} } }), 'dropped: place-not-allowed'],
    ['allowlist', space({ channels: { c: {} } }), 'user'],
    ['allowlist', space({ channels: { '*': {} } }), 'user'],
    ['allowlist', space({ channels: { c: { allow: false }, '*': {} } }), 'dropped: place-not-allowed'],
    [
      'allowlist',
      { ...space({ channels: { c: { allow: false } } }), allowFrom: ['7'] },
      'dropped: place-not-allowed',
    ],
    ['allowlist', space({ users: ['1'] }), 'dropped: sender-not-allowed'],
    ['allowlist', { ...space({ users: ['1'] }), allowFrom: ['7'] }, 'user'],
    ['allowlist', space({ users: ['1', '7'] }), 'user'],
    ['allowlist', space({ roles: ['r2'] }), 'user'],
    ['allowlist', space({ roles: ['r3'] }), 'dropped: sender-not-allowed'],
    ['allowlist', space({ users: ['1'], roles: ['r1'] }), 'user'],
    ['allowlist', space({ users: ['1'], channels: { c: { users: ['7'] } } }), 'user'],
    ['allowlist', space({ users: ['7'], channels: { c: { users: ['1'] } } }), 'dropped: sender-not-allowed'],
    ['allowlist', space({ users: ['7'], channels: { c: { roles: ['r9'] } } }), 'dropped: sender-not-allowed'],
    ['allowlist', space({ users: ['7'], channels: { c: { requireMention: false } } }), 'user'],
    ['open', {}, 'user'],
    ['open', space({ channels: { c: { allow: false } } }), 'dropped: place-not-allowed'],
    ['open', space({ users: ['1'] }), 'dropped: sender-not-allowed'],
    ['disabled', { allowFrom: ['7'], ...space({}) }, 'dropped: groups-disabled'],
  ] as const)('groupPolicy %s, rules %j: %s', (groups, given, expected) => {
    const place = { space: 'g', roles: ['r1', 'r2'] };
    expect(verdict(message({ place }), rules({ groups, ...given }))).toBe(expected);
  });

  test('CHAN-06: group conversations outside of servers are not heard unless they are open', () => {
    const address = { channel: 'slack', account: 'default', chatType: 'group', conversation: 'm' } as const;
    const said = message({ address, place: {} });
    expect(verdict(said, rules({ groups: 'allowlist' }))).toBe('dropped: place-not-allowed');
  });
});

test('owners are heard everywhere, whatever the rules say of others', () => {
  const rule = fc.record({
    direct: fc.constantFrom('pairing', 'allowlist', 'open', 'disabled'),
    groups: fc.constantFrom('open', 'allowlist', 'disabled'),
    users: fc.option(fc.array(fc.constantFrom('1', '7'))),
    commandsFrom: fc.option(fc.array(fc.constantFrom('1', '7'))),
    isDirect: fc.boolean(),
    isCommand: fc.boolean(),
  });
  fc.assert(
    fc.property(rule, ({ users, commandsFrom, isDirect, isCommand, ...given }) => {
      const all = rules({
        ...(given as Partial<AccessRules>),
        spaces: users ? { g: { users } } : {},
        ...(commandsFrom && { commandsFrom }),
      });
      expect(verdict(isDirect ? direct() : message(), all, facts({ isOwner: true, isCommand }))).toBe(
        'owner',
      );
    }),
  );
});

describe('C7: who must mention the bot', () => {
  const thread = { ...message().address, thread: 't' };
  const strict = { spaces: { g: { threadRequireExplicitMention: true } } };
  const relaxed = { spaces: { g: { requireMention: false } } };
  const said = { none: {}, reply: { isAddressed: true }, mention: { isAddressed: true, isMention: true } };
  const own = { place: { space: 'g', isOwnThread: true } };
  const isIn = (
    how: keyof typeof said,
    where: Partial<Inbound>,
    given: Partial<AccessRules> = {},
    known: Partial<AccessFacts> = {},
  ) =>
    verdict(message({ isAddressed: false, ...said[how], ...where }), rules(given), facts(known)) === 'user';

  test.each([
    // where, rules, facts, none, reply, mention
    ['a channel', {}, {}, {}, [false, true, true]],
    ['a channel with requireMention off', {}, relaxed, {}, [true, true, true]],
    ['a channel of a platform without mentions', {}, {}, { needsMention: false }, [true, true, true]],
    ['a thread', { address: thread }, {}, {}, [false, true, true]],
    ['a thread with requireMention off', { address: thread }, relaxed, {}, [true, true, true]],
    ['a thread of the bot', { address: thread, ...own }, {}, {}, [true, true, true]],
    [
      'a thread of the bot, unmentioned messages not reaching it',
      { address: thread, ...own },
      {},
      { readsUnmentioned: false },
      [false, true, true],
    ],
    ['a thread of the bot, strict', { address: thread, ...own }, strict, {}, [false, false, true]],
    ['a thread, strict', { address: thread }, strict, {}, [false, false, true]],
    ['a channel, strict', {}, strict, {}, [false, true, true]],
    ['BIND-23: a bound thread', { address: thread }, {}, { isBound: true }, [true, true, true]],
    ['a bound thread, strict', { address: thread, ...own }, strict, { isBound: true }, [true, true, true]],
    [
      'a bound thread, unmentioned messages not reaching it',
      { address: thread },
      {},
      { isBound: true, readsUnmentioned: false },
      [false, true, true],
    ],
  ] as const)('%s', (_name, where, given, known, [none, reply, mention]) => {
    expect(isIn('none', where, given, known)).toBe(none);
    expect(isIn('reply', where, given, known)).toBe(reply);
    expect(isIn('mention', where, given, known)).toBe(mention);
  });

  test('the setting of a channel beats that of its server', () => {
    const spaces = (requireMention: boolean) => ({
      spaces: { g: { requireMention: !requireMention, channels: { c: { requireMention } } } },
    });
    expect(isIn('none', {}, spaces(false))).toBe(true);
    expect(isIn('none', {}, spaces(true))).toBe(false);
    const explicit = (here: boolean) => ({
      spaces: {
        g: {
          threadRequireExplicitMention: !here,
          channels: { c: { threadRequireExplicitMention: here } },
        },
      },
    });
    expect(isIn('reply', { address: thread, ...own }, explicit(true))).toBe(false);
    expect(isIn('none', { address: thread, ...own }, explicit(false))).toBe(true);
  });

  test('the relaxed rule for threads lets nobody in who is not allowed', () => {
    const known = { spaces: { g: { users: ['1'] } } };
    const inOwn = message({ isAddressed: false, address: thread, ...own });
    expect(verdict(inOwn, rules(known))).toBe('dropped: sender-not-allowed');
    expect(verdict(inOwn, rules(known), facts({ isBound: true }))).toBe('dropped: sender-not-allowed');
  });

  test('buttons and native commands are meant for the bot', () => {
    for (const source of ['button', 'command'] as const)
      expect(isIn('none', { source }, {}, { isCommand: true })).toBe(true);
  });
});

describe('AUTH-06, P3: commands', () => {
  const command = facts({ isCommand: true });
  const closed = { groups: 'allowlist' } as const;
  test.each([
    [{}, 'user'],
    [closed, 'refused: command-not-allowed'],
    [{ commandsFrom: ['1'] }, 'refused: command-not-allowed'],
    [{ commandsFrom: [] }, 'refused: command-not-allowed'],
    [{ ...closed, commandsFrom: ['7'] }, 'user'],
    [{ ...closed, commandsFrom: ['*'] }, 'user'],
  ] as const)('with rules %j: %s', (given, expected) => {
    expect(verdict(message({ text: '/status' }), rules(given), command)).toBe(expected);
  });

  test('that were not addressed to the bot are nobody’s business', () => {
    expect(verdict(message({ isAddressed: false }), rules(closed), command)).toBe('dropped: not-addressed');
  });

  test('of a stranger are an occasion to ask to be let in', () => {
    expect(verdict(direct(), rules(), command)).toBe('stranger');
    expect(verdict(direct(), rules(), { ...command, pairing: 'denied' })).toBe(
      'refused: command-not-allowed',
    );
  });

  test('do not say who may talk', () => {
    expect(verdict(message(), rules({ commandsFrom: [] }))).toBe('user');
  });
});

describe('a button for one person', () => {
  const press = message({ source: 'button', presser: '1', text: '/stop' });
  test.each([
    [press, { isOwner: false }, 'refused: not-for-presser'],
    [press, { isOwner: true }, 'owner'],
    [{ ...press, presser: '7' }, { isOwner: false }, 'user'],
  ])('case %#', (pressed, known, expected) => {
    expect(verdict(pressed, rules(), facts({ isCommand: true, ...known }))).toBe(expected);
  });

  test('still asks whether that person may give commands', () => {
    const pressed = { ...press, presser: '7' };
    expect(verdict(pressed, rules({ commandsFrom: [] }), facts({ isCommand: true }))).toBe(
      'refused: command-not-allowed',
    );
  });
});

describe('J8, E-18: bots', () => {
  const said = message({ sender: bot });
  const on = { allowsBots: true };
  test.each([
    ['unless allowed', {}, {}, 'dropped: sender-is-bot'],
    ['also as an owner', {}, { isOwner: true, isBound: true }, 'dropped: sender-is-bot'],
    ['allowed', on, {}, 'bot'],
    ['that own the bot talk as bots', on, { isOwner: true }, 'bot'],
    ['that give a command', on, { isCommand: true }, 'dropped: command-not-allowed'],
    ['in a row', on, { botsInRow: MOST_BOT_MESSAGES - 1 }, 'bot'],
    ['for too long in a row', on, { botsInRow: MOST_BOT_MESSAGES }, 'dropped: bots-only'],
    ['where they are not named', { ...on, groups: 'allowlist' }, {}, 'dropped: place-not-allowed'],
  ] as const)('%s', (_name, given, known, expected) => {
    expect(verdict(said, rules(given), facts(known))).toBe(expected);
  });

  test('must address the bot, and get no code', () => {
    expect(verdict({ ...said, isAddressed: false }, rules(on))).toBe('dropped: not-addressed');
    expect(verdict(direct({ sender: bot }), rules(on))).toBe('dropped: sender-not-allowed');
  });
});
