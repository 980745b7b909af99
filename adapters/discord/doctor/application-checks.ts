/** What the application's own settings mean for the bot. Pure. */
import { type Check, fail, ok, warn } from '../../../src/core/check.ts';
import { hasMessageContent, ownersOf } from '../gateway/application.ts';
import type { Application } from '../schema.ts';
import { type CheckedAccount, mentionFreePlaces } from './account.ts';

export function applicationChecks(
  label: string,
  application: Application,
  account: CheckedAccount,
): readonly Check[] {
  return [
    intents(label, application, account),
    owners(label, application, account),
    ...inviteHindrances(label, application),
    ...foreignEndpoint(label, application),
  ];
}

/** Nothing privileged is needed; only what the configuration asks for can make its absence a fault. */
function intents(label: string, application: Application, account: CheckedAccount): Check {
  const name = `${label} intents`;
  if (hasMessageContent(application)) {
    return ok(
      name,
      'Message Content is granted: bound threads, and places without a mention rule, are heard.',
    );
  }
  const turnOn = `Turn on “Message Content Intent” in ${portal(application)}/bot and start Skein again.`;
  const places = mentionFreePlaces(account);
  if (places.length > 0) {
    const found = `Message Content is not granted, so requireMention: false has no effect (${places.join(', ')}).`;
    return warn(name, found, turnOn);
  }
  const found =
    'Message Content is not granted, and not needed: the bot hears mentions, replies to it, direct messages and ' +
    'commands. In its threads, too, people mention it or reply to it.';
  return ok(name, found, `To be heard in threads without a mention: ${turnOn}`);
}

function owners(label: string, application: Application, account: CheckedAccount): Check {
  const name = `${label} owners`;
  const platform = ownersOf(application);
  const names = [
    ...platform.map(({ id, username }) => `${username} (${id})`),
    ...account.owners.filter((id) => platform.every((person) => person.id !== id)),
  ];
  if (names.length > 0) return ok(name, `${names.join(', ')}.`);
  return warn(
    name,
    'Nobody owns the bot, so nobody can approve people or use the commands of owners.',
    'Add yourself in skein.json5: commands: { ownerAllowFrom: ["discord:<your user id>"] }.',
  );
}

function inviteHindrances(label: string, application: Application): readonly Check[] {
  if (!application.bot_require_code_grant) return [];
  return [
    fail(
      `${label} invite`,
      'The application requires a code grant, so the invite address cannot bring the bot into a server.',
      `Turn off “Requires OAuth2 Code Grant” in ${portal(application)}/bot.`,
    ),
  ];
}

function foreignEndpoint(label: string, application: Application): readonly Check[] {
  if (!application.interactions_endpoint_url) return [];
  return [
    fail(
      `${label} interactions`,
      'The application has an Interactions Endpoint URL, so Discord sends commands and buttons there and not to Skein.',
      `Empty “Interactions Endpoint URL” in ${portal(application)}/information.`,
    ),
  ];
}

function portal({ id }: Application): string {
  return `https://discord.com/developers/applications/${id}`;
}
