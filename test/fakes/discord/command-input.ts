/** What a person types into a slash command, as the data of an interaction: found, checked and resolved as Discord does. */

import { storeAttachment } from './attachments.ts';
import { commandsIn } from './commands.ts';
import { guildPermissions } from './permissions.ts';
import type { Platform } from './platform.ts';
import { channelJson } from './wire-channel.ts';
import { partialMemberJson, userJson } from './wire-user.ts';
import type { Channel, Command, Json, User } from './world.ts';

/** A text, number or switch; for a user, channel or role the thing itself or its id; for a file its name and bytes. */
export type OptionValue =
  | string
  | number
  | boolean
  | { readonly id: string }
  | { readonly name: string; readonly bytes: Uint8Array };

export type OptionValues = Readonly<Record<string, OptionValue | undefined>>;

export interface CommandInput {
  readonly channel: Channel;
  readonly user: User;
  /** Such as `/subagents spawn`; the slash may be left out. */
  readonly line: string;
  readonly values: OptionValues;
  /** Of an autocomplete: the option that is being typed. */
  readonly focused?: string;
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const SUBCOMMAND = 1;
const GROUP = 2;

function findCommand(platform: Platform, { channel, user, line }: CommandInput): Command {
  const name = line.replace(/^\//, '').split(' ')[0];
  const guildId = channel.guildId;
  const known = [
    ...(guildId === undefined ? [] : commandsIn(platform, { guildId })),
    ...commandsIn(platform, {}),
  ];
  const command = known.find(({ definition }) => definition.name === name);
  if (!command) {
    const names = known.map(({ definition }) => `/${definition.name}`).join(' ');
    throw new Error(`there is no command /${name} here; there are: ${names || 'none'}`);
  }
  demandUse(platform, command, channel, user);
  return command;
}

/** A person without the command's default permissions does not see it. */
function demandUse(platform: Platform, { definition }: Command, channel: Channel, user: User): void {
  const { default_member_permissions: needed, contexts, dm_permission: inDms, name } = definition;
  if (channel.guildId === undefined) {
    const isAllowed = Array.isArray(contexts) ? contexts.includes(1) : inDms !== false;
    if (!isAllowed) throw new Error(`/${name} is not there in direct messages`);
    return;
  }
  if (Array.isArray(contexts) && !contexts.includes(0)) throw new Error(`/${name} is not there in servers`);
  const guild = platform.world.guilds.get(channel.guildId);
  if (typeof needed !== 'string' || !guild) return;
  const bits = BigInt(needed);
  if ((guildPermissions(guild, user.id) & bits) !== bits || bits === 0n)
    throw new Error(`${user.name} may not use /${name}`);
}

/** Data of the interaction. Throws for what a person could not send: unknown, missing or wrong options. */
export function commandData(platform: Platform, input: CommandInput): Json {
  const command = findCommand(platform, input);
  const path = input.line.replace(/^\//, '').split(' ').slice(1).filter(Boolean);
  const resolved: Resolved = {};
  const options = nest(platform, input, { options: list(command.definition.options), path, resolved });
  return {
    id: command.id,
    name: command.definition.name,
    type: command.definition.type,
    ...(command.guildId === undefined ? {} : { guild_id: command.guildId }),
    ...(options.length > 0 ? { options } : {}),
    ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
  };
}

type Resolved = Record<string, Record<string, Json>>;

interface Level {
  readonly options: readonly Json[];
  readonly path: readonly string[];
  readonly resolved: Resolved;
}

function nest(platform: Platform, input: CommandInput, { options, path, resolved }: Level): readonly Json[] {
  const [step, ...rest] = path;
  const below = options.filter(({ type }) => type === SUBCOMMAND || type === GROUP);
  if (step === undefined) {
    if (below.length > 0)
      throw new Error(`${input.line} needs one of: ${below.map(({ name }) => name).join(' ')}`);
    return fillOptions(platform, input, options, resolved);
  }
  const next = below.find(({ name }) => name === step);
  if (!next) throw new Error(`${input.line}: there is no ${step}`);
  const inner = nest(platform, input, { options: list(next.options), path: rest, resolved });
  return [{ name: next.name, type: next.type, options: inner }];
}

function fillOptions(
  platform: Platform,
  input: CommandInput,
  options: readonly Json[],
  resolved: Resolved,
): readonly Json[] {
  const known = new Set(options.map(({ name }) => String(name)));
  for (const name of Object.keys(input.values))
    if (!known.has(name)) throw new Error(`${input.line}: there is no option ${name}`);
  return options.flatMap((option) => {
    const value = input.values[String(option.name)];
    const isFocused = input.focused === option.name;
    if (value === undefined) {
      if (option.required === true && input.focused === undefined)
        throw new Error(`${input.line}: the option ${option.name} is required`);
      return [];
    }
    const given = valueJson(platform, { input, option, value, resolved, isFocused });
    return [{ name: option.name, type: option.type, value: given, ...(isFocused ? { focused: true } : {}) }];
  });
}

interface Given {
  readonly input: CommandInput;
  readonly option: Json;
  readonly value: OptionValue;
  readonly resolved: Resolved;
  readonly isFocused: boolean;
}

function valueJson(platform: Platform, given: Given): unknown {
  const { option, value, resolved, input } = given;
  if (typeof value === 'object' && 'bytes' in value) {
    const { id, name, bytes, contentType } = storeAttachment(platform, value);
    const url = `${platform.fileUrl()}/attachments/${input.channel.id}/${id}/${encodeURIComponent(name)}`;
    const json = {
      id,
      filename: name,
      size: bytes.byteLength,
      url,
      proxy_url: url,
      content_type: contentType,
    };
    resolved.attachments = { ...resolved.attachments, [id]: json };
    return id;
  }
  const plain = typeof value === 'object' ? value.id : value;
  resolve(platform, given, String(plain));
  const choices = list(option.choices);
  if (choices.length > 0 && !choices.some((choice) => choice.value === plain))
    throw new Error(`${input.line}: ${String(plain)} is no choice of ${option.name}`);
  const isNumber = option.type === 4 || option.type === 10;
  if (isNumber && typeof plain !== 'number' && !given.isFocused)
    throw new Error(`${input.line}: ${option.name} is a number`);
  return plain;
}

/** Users, channels, roles and mentionables come with what they are. */
function resolve(platform: Platform, { option, input, resolved }: Given, id: string): void {
  const { world } = platform;
  const guild = world.guilds.get(input.channel.guildId ?? '');
  const user = world.users.get(id);
  if ((option.type === 6 || option.type === 9) && user) {
    resolved.users = { ...resolved.users, [id]: userJson(user) };
    const member = guild?.members.get(id);
    if (member)
      resolved.members = { ...resolved.members, [id]: { ...partialMemberJson(member), permissions: '0' } };
  }
  const channel = world.channels.get(id);
  if (option.type === 7 && channel)
    resolved.channels = { ...resolved.channels, [id]: { ...channelJson(world, channel), permissions: '0' } };
  const role = guild?.roles.get(id);
  if ((option.type === 8 || option.type === 9) && role)
    resolved.roles = {
      ...resolved.roles,
      [id]: { id, name: role.name, permissions: role.permissions.toString() },
    };
}
