/** Application commands: registered, filled with Discord's defaults, compared and counted. */
import { invalidForm, refuse } from './api-error.ts';
import type { Platform } from './platform.ts';
import type { Snowflake } from './snowflakes.ts';
import type { Command, Json } from './world.ts';

const CHAT_INPUT = 1;
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const DAY_MS = 86_400_000;
const COMMAND_CAP = 100;

export interface CommandWrites {
  /** Requests that wrote: POST, PATCH, PUT, DELETE. */
  count: number;
  /** When new commands were made, by scope: `global` or a guild's id. */
  readonly creates: { readonly scope: string; readonly at: number }[];
}

export const createCommandWrites = (): CommandWrites => ({ count: 0, creates: [] });

interface Scope {
  readonly guildId?: Snowflake;
}

export const commandsIn = (platform: Platform, { guildId }: Scope): readonly Command[] =>
  [...platform.world.commands.values()].filter((command) => command.guildId === guildId);

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** What is false or empty is left out of the answer, as Discord does. */
function optionJson(option: Json): Json {
  const { required, autocomplete, options, choices, name_localizations, description_localizations, ...rest } =
    option;
  return {
    ...rest,
    ...(required === true ? { required } : {}),
    ...(autocomplete === true ? { autocomplete } : {}),
    ...(name_localizations ? { name_localizations } : {}),
    ...(description_localizations ? { description_localizations } : {}),
    ...(list(choices).length > 0
      ? { choices: list(choices).map(({ name, value }) => ({ name, value })) }
      : {}),
    ...(list(options).length > 0 ? { options: list(options).map(optionJson) } : {}),
  };
}

function fill(platform: Platform, body: Json, id: Snowflake, { guildId }: Scope): Json {
  const type = Number(body.type ?? CHAT_INPUT);
  const options = list(body.options).map(optionJson);
  return {
    id,
    application_id: platform.world.application.id,
    version: platform.newId(),
    default_member_permissions: body.default_member_permissions ?? null,
    type,
    name: body.name,
    name_localizations: body.name_localizations ?? null,
    description: type === CHAT_INPUT ? (body.description ?? '') : '',
    description_localizations: body.description_localizations ?? null,
    ...(guildId === undefined
      ? {
          dm_permission: body.dm_permission ?? true,
          contexts: body.contexts ?? null,
          integration_types: body.integration_types ?? [0],
        }
      : { guild_id: guildId }),
    nsfw: body.nsfw === true,
    ...(options.length > 0 ? { options } : {}),
  };
}

/** Names, the order of required options and the numbers of options and choices. Throws 50035. */
function check(body: Json): void {
  const name = String(body.name ?? '');
  if (Number(body.type ?? CHAT_INPUT) === CHAT_INPUT) {
    if (!NAME.test(name) || name !== name.toLowerCase())
      throw invalidForm(
        'name',
        'APPLICATION_COMMAND_INVALID_NAME',
        'Command name is invalid: lower case, 1 to 32',
      );
    if (!body.description) throw invalidForm('description', 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  checkOptions(list(body.options), 'options');
}

function checkOptions(options: readonly Json[], path: string): void {
  if (options.length > 25) throw invalidForm(path, 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
  let hasOptional = false;
  options.forEach((option, index) => {
    const at = `${path}.${index}`;
    const name = String(option.name ?? '');
    if (!NAME.test(name) || name !== name.toLowerCase())
      throw invalidForm(`${at}.name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Option name is invalid');
    if (Number(option.type) > 2 && option.required === true && hasOptional)
      throw invalidForm(
        at,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    if (option.required !== true) hasOptional = true;
    if (list(option.choices).length > 25)
      throw invalidForm(`${at}.choices`, 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
    if (option.autocomplete === true && list(option.choices).length > 0)
      throw invalidForm(
        at,
        'APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE',
        'Choices and autocomplete exclude each other',
      );
    checkOptions(list(option.options), `${at}.options`);
  });
}

const sameCommand = (body: Json) => (command: Command) =>
  command.definition.name === body.name && command.definition.type === Number(body.type ?? CHAT_INPUT);

function countCreate(platform: Platform, writes: CommandWrites, { guildId }: Scope): void {
  const scope = guildId ?? 'global';
  const today = writes.creates.filter(
    (create) => create.scope === scope && create.at > platform.now() - DAY_MS,
  );
  if (today.length >= platform.settings.commandCreatesPerDay) throw refuse(30034);
  writes.creates.push({ scope, at: platform.now() });
}

/** Without its version and id, so that equal definitions can be told. */
const withoutVersion = ({ version: _version, ...rest }: Json): string => JSON.stringify(rest);

/** A new command, or the one of that name and type with the new definition. */
export function putCommand(
  platform: Platform,
  writes: CommandWrites,
  scope: Scope,
  body: Json,
): { command: Command; isNew: boolean } {
  check(body);
  const known = commandsIn(platform, scope).find(sameCommand(body));
  if (!known) {
    if (commandsIn(platform, scope).length >= COMMAND_CAP) throw refuse(30032);
    countCreate(platform, writes, scope);
  }
  const id = known?.id ?? platform.newId();
  const definition = fill(platform, body, id, scope);
  const isSame = known && withoutVersion(known.definition) === withoutVersion(definition);
  const command: Command = isSame ? known : { id, definition, ...scope };
  platform.world.commands.set(id, command);
  platform.changed();
  return { command, isNew: known === undefined };
}

/** The commands of the scope become these, and no others. */
export function replaceCommands(
  platform: Platform,
  writes: CommandWrites,
  scope: Scope,
  bodies: readonly Json[],
): readonly Command[] {
  for (const body of bodies) check(body);
  const kept = bodies.map((body) => putCommand(platform, writes, scope, body).command);
  const ids = new Set(kept.map(({ id }) => id));
  for (const { id } of commandsIn(platform, scope)) if (!ids.has(id)) platform.world.commands.delete(id);
  platform.changed();
  return kept;
}

export function changeCommand(platform: Platform, command: Command, body: Json): Command {
  const { options, ...rest } = command.definition;
  const next = { ...rest, ...(options ? { options } : {}), ...body };
  check(next);
  const scope = command.guildId === undefined ? {} : { guildId: command.guildId };
  const changed = { ...command, definition: fill(platform, next, command.id, scope) };
  platform.world.commands.set(command.id, changed);
  platform.changed();
  return changed;
}
