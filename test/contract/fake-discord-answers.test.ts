/** The fake's own answers, held against Discord's published description of them. */
import { expect, test } from 'vitest';
import type { FakeDiscord } from '../fakes/discord/index.ts';
import { fakeDiscord } from '../support/discord-client.ts';
import { createDiscordOpenapi } from '../support/discord-openapi.ts';

const openapi = createDiscordOpenapi();

/** Calls the fake as the bot and returns what it answered, after checking its shape. */
const caller =
  ({ apiUrl, token }: FakeDiscord) =>
  async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${apiUrl}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    const plain = decodeURIComponent(path.split('?')[0]!);
    const problems = openapi.checkAnswer({ method, path: plain, status: response.status, body: answer });
    expect.soft(problems, `${method} ${path}`).toEqual([]);
    return answer as Record<string, unknown>;
  };

test('messages, with all that they can carry, have the described shape', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const call = caller(fake);
  const general = fake.channel(guild, 'general');
  const base = `/channels/${general.id}/messages`;
  const button = { type: 2, style: 1, label: 'Stop', custom_id: 'stop' };
  const card = await call('POST', base, {
    content: 'card',
    nonce: 'n',
    enforce_nonce: true,
    embeds: [{ title: 'title', fields: [{ name: 'n', value: 'v' }] }],
    components: [{ type: 1, components: [button] }],
  });
  const said = ada.sendMessage(general, 'hello', {
    mention: true,
    replyTo: fake.messages(general)[0]!,
    attachments: [{ name: 'a.txt', bytes: 'x' }],
  });
  ada.react(said, '👍');
  await call('POST', `${base}/${card.id}/threads`, { name: 'work' });
  await call('GET', base);
  await call('GET', `${base}/${said.id}`);
  await call('PATCH', `${base}/${card.id}`, { content: 'changed' });
  await call('PUT', `${base}/${said.id}/reactions/${encodeURIComponent('👍')}/@me`);
  await call('POST', `/channels/${general.id}/typing`);
  await call('DELETE', `${base}/${card.id}`);
});

test('places and people have the described shape', async () => {
  const channels = [
    'general',
    { name: 'help', type: 'forum', tags: ['open'] },
    { name: 'talk', type: 'voice' },
  ] as const;
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests', channels });
  const ada = fake.addUser({ name: 'Ada' });
  const call = caller(fake);
  const [general, help, talk] = ['general', 'help', 'talk'].map((name) => fake.channel(guild, name).id);
  await call('POST', `/channels/${help}/threads`, { name: 'post', message: { content: 'x' } });
  const thread = await call('POST', `/channels/${general}/threads`, { name: 'plain', type: 11 });
  for (const id of [general, help, talk, thread.id]) await call('GET', `/channels/${id}`);
  await call('GET', `/guilds/${guild.id}/threads/active`);
  await call('PATCH', `/channels/${thread.id}`, { archived: true });
  await call('GET', `/channels/${general}/threads/archived/public`);
  for (const part of ['', '/channels', '/roles', `/members/${ada.id}`])
    await call('GET', `/guilds/${guild.id}${part}`);
  for (const path of ['/users/@me', `/users/${ada.id}`, '/users/@me/guilds', '/gateway/bot', '/gateway'])
    await call('GET', path);
  await call('GET', '/applications/@me');
  fake.setTeam([ada, fake.owner]);
  await call('GET', '/applications/@me');
});

test('commands and answers to interactions have the described shape', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const call = caller(fake);
  const base = `/applications/${fake.application.id}`;
  const option = { type: 3, name: 'x', description: 'X', choices: [{ name: 'a', value: 'b' }] };
  const made = await call('POST', `${base}/commands`, { name: 'go', description: 'Go', options: [option] });
  await call('PATCH', `${base}/commands/${made.id}`, { description: 'Go on' });
  await call('PUT', `${base}/guilds/${guild.id}/commands`, [{ name: 'stay', description: 'Stay' }]);
  await call('GET', `${base}/commands`);
  const { interaction } = ada.runCommand(fake.channel(guild, 'general'), '/go', { x: 'b' });
  const callback = `/interactions/${interaction.id}/${interaction.token}/callback?with_response=true`;
  await call('POST', callback, { type: 5, data: { flags: 64 } });
  const webhook = `/webhooks/${fake.application.id}/${interaction.token}`;
  await call('PATCH', `${webhook}/messages/@original`, { content: 'done' });
  await call('POST', `${webhook}?wait=true`, { content: 'more' });
  await call('GET', `${webhook}/messages/@original`);
  await call('DELETE', `${webhook}/messages/@original`);
});
