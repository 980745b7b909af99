/** For every command: a place where it can be given, what is given with it, and what comes of it. */
import { interruptedNote } from '../../src/runs/interrupted-note.ts';
import type { Actor, Channel, FakeDiscord, Guild } from '../fakes/discord/index.ts';
import { HOLD, isSubagent, lastText, type Script } from '../fakes/scripted-models.ts';
import type { DiscordApp } from './discord-app.ts';
import { delegating } from './discord-app.ts';
import { until } from './until.ts';

export interface Stage {
  readonly fake: FakeDiscord;
  readonly guild: Guild;
  readonly app: DiscordApp;
  /** A channel in which nothing has been said. */
  readonly channel: Channel;
  readonly user: Actor;
}

/** One use of a command. */
export interface Use {
  readonly place: Channel;
  readonly by: Actor;
  /** As options; the words are the same as text. */
  readonly values?: Readonly<Record<string, string | number>>;
  readonly words?: string;
  /** Absent: it says nothing of its own. */
  readonly answer?: RegExp;
  /** Resolves once it has had its effect. */
  readonly effect?: () => Promise<unknown>;
}

export interface CommandCase {
  /** Without its slash it would be something said to the agent. */
  readonly needsSlash?: boolean;
  prepare(stage: Stage): Promise<Use>;
}

/** Whoever is told to be slow says nothing until it is released or stopped. */
export const stageScript: Script = (request) => {
  const text = lastText(request);
  const isAtWork = /slow/.test(text) && (isSubagent(request) || !text.includes('delegate'));
  return isAtWork ? HOLD : delegating(request);
};

async function delegated({ fake, channel, user }: Stage, label: string): Promise<Channel> {
  user.sendMessage(channel, `delegate ${label}`, { mention: true });
  const thread = await fake.waitForThread({ parent: channel, named: label });
  await fake.waitForReply(channel, { matching: 'delegated' });
  return thread;
}

async function boundThread(stage: Stage): Promise<Channel> {
  const thread = await delegated(stage, 'moon');
  await stage.fake.waitForReply(thread, { matching: 'see to moon' });
  return thread;
}

async function interruptedRun({ fake, app, channel, user }: Stage): Promise<string> {
  const said = user.sendMessage(channel, 'hello', { mention: true });
  await fake.waitForReply(channel, { after: said });
  const { store, clock } = app;
  const sessions = await store.read.sessions.recent(100);
  const session = sessions.find(({ route }) => route?.conversation === channel.id)!;
  const run = (await store.read.runs.ofSession(session.key, 1))[0]!;
  await store.transaction(async (tx) => {
    const now = clock.now();
    await tx.runs.update(run.id, { from: ['succeeded'] }, { status: 'interrupted' });
    const address = session.route!;
    const note = await interruptedNote(tx, { run, session, address, usage: run.usage, now });
    await tx.operations.insert([note], now);
  });
  return run.id;
}

async function strangersCode({ fake, channel }: Stage): Promise<string> {
  const stranger = fake.addUser({ name: `stranger-${channel.name}` });
  stranger.sendDm('may I?');
  const told = await fake.waitForReply(stranger.dm, { matching: /code/i });
  return /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(told.content)![0];
}

const heard = ({ app }: Stage, text: string) =>
  until(() => app.models.calls.some(({ request }) => lastText(request).includes(text)), {
    what: `a model that hears "${text}"`,
  });

const timer = (words: RegExp): CommandCase => ({
  async prepare(stage) {
    const place = await boundThread(stage);
    return { place, by: stage.user, values: { duration: '90m' }, words: '90m', answer: words };
  },
});

const unbinding: CommandCase = {
  async prepare(stage) {
    const place = await boundThread(stage);
    const effect = () => stage.fake.waitForReply(place, { matching: 'it was unfocused' });
    return { place, by: stage.user, effect };
  },
};

const steering: CommandCase = {
  needsSlash: true,
  async prepare({ channel, user, fake }) {
    const words = 'look "left" --now';
    return {
      place: channel,
      by: user,
      values: { message: words },
      words,
      answer: /^Nothing was at work, so this is answered now\.$/,
      effect: () => fake.waitForReply(channel, { matching: `\n${words}` }),
    };
  },
};

const deciding = (words: string): CommandCase => ({
  needsSlash: true,
  async prepare(stage) {
    const run = await interruptedRun(stage);
    const effect = () => stage.fake.waitForReply(stage.channel, { matching: words });
    return { place: stage.channel, by: stage.user, values: { run }, words: run, effect };
  },
});

const pairing = (answer: RegExp): CommandCase => ({
  async prepare(stage) {
    const code = await strangersCode(stage);
    const { owner } = stage.fake;
    return { place: owner.dm, by: owner, values: { code }, words: code, answer };
  },
});

const simple = (answer: RegExp, given: Pick<Use, 'values' | 'words'> = {}): CommandCase => ({
  prepare: async ({ channel, user }) => ({ place: channel, by: user, answer, ...given }),
});

const afterDelegating = (answer: RegExp, given: Pick<Use, 'values' | 'words'> = {}): CommandCase => ({
  async prepare(stage) {
    await boundThread(stage);
    return { place: stage.channel, by: stage.user, answer, ...given };
  },
});

export const COMMAND_CASES: Readonly<Record<string, CommandCase>> = {
  focus: {
    needsSlash: true,
    async prepare(stage) {
      await boundThread(stage);
      const place = stage.user.openThread(stage.channel, 'elsewhere');
      const effect = () => stage.fake.waitForReply(place, { matching: 'To leave: `/unfocus`' });
      return { place, by: stage.user, values: { target: 'moon' }, words: 'moon', effect };
    },
  },
  unfocus: unbinding,
  'session unbind': unbinding,
  'session idle': timer(/^Idle limit: 1h 30m\. Ends .* unless somebody writes here\.$/),
  'session max-age': timer(/^Maximum age: 1h 30m\. Ends .*\.$/),
  agents: afterDelegating(/^\*\*moon\*\* .* thread:\d+$/),
  'subagents list': afterDelegating(/^#1 \*\*moon\*\* /),
  'subagents info': afterDelegating(/^\*\*moon\*\* \(#1\)\nStatus: /, {
    values: { target: 'moon' },
    words: 'moon',
  }),
  'subagents spawn': {
    async prepare(stage) {
      return {
        place: stage.channel,
        by: stage.user,
        values: { agentid: 'main', task: 'count the stars', model: 'fake/model', thinking: 'low' },
        words: 'main count the stars --model fake/model --thinking low',
        answer: /^Started \*\*.+\*\* as `run_\w+`\. The result will come here\.$/,
        effect: () => heard(stage, '[Subagent Task]\ncount the stars'),
      };
    },
  },
  'subagents kill': {
    async prepare(stage) {
      await delegated(stage, 'slowly');
      await heard(stage, 'see to slowly');
      return {
        place: stage.channel,
        by: stage.user,
        values: { target: 'slowly' },
        words: 'slowly',
        answer: /^Stopped \*\*slowly\*\*\.$/,
      };
    },
  },
  stop: {
    async prepare(stage) {
      const { channel, user } = stage;
      user.sendMessage(channel, `slow in ${channel.name}`, { mention: true });
      await heard(stage, `slow in ${channel.name}`);
      return { place: channel, by: user, answer: /^Stopped the answer that was being worked out\.$/ };
    },
  },
  steer: steering,
  tell: steering,
  queue: simple(/^Queue mode: collect \(/, { values: { mode: 'collect' }, words: 'collect' }),
  resume: deciding('This was interrupted and goes on.'),
  drop: deciding('This was interrupted and was dropped.'),
  missed: simple(/^No missed message waits here for an answer\.$/, {
    values: { which: 'none' },
    words: 'none',
  }),
  'pair list': {
    async prepare(stage) {
      const code = await strangersCode(stage);
      const { owner } = stage.fake;
      return { place: owner.dm, by: owner, answer: new RegExp(`\`${code}\` \\*\\*stranger-`) };
    },
  },
  'pair approve': pairing(/ is let in and has been told so\.$/),
  'pair deny': pairing(/ is not let in\. They are told nothing\.$/),
  status: simple(/\nModel: fake\/model\n/),
  help: {
    ...simple(/^`\/stop` Stop what is at work here/, { values: { command: 'stop' }, words: 'stop' }),
    needsSlash: true,
  },
};
