/**
 * The permissions that the bot asks a server for, each with the reason that people are told. The invite address, the checks
 * and the words of refusals all come from this list; nothing is asked for beyond it.
 */
import { PermissionFlagsBits } from 'discord.js';

export type PermissionKey =
  | 'view'
  | 'send'
  | 'open-threads'
  | 'send-in-threads'
  | 'history'
  | 'attach'
  | 'react'
  | 'embed-links';

export interface NeededPermission {
  readonly key: PermissionKey;
  /** As Discord's settings name it in English. */
  readonly name: string;
  readonly bit: bigint;
  /** What it is for; follows the name after a dash. */
  readonly reason: string;
  /** Without an optional one everything works, less nicely. */
  readonly isOptional: boolean;
}

export const NEEDED_PERMISSIONS: readonly NeededPermission[] = [
  {
    key: 'view',
    name: 'View Channels',
    bit: PermissionFlagsBits.ViewChannel,
    reason: 'to see the channels that it is to answer in',
    isOptional: false,
  },
  {
    key: 'send',
    name: 'Send Messages',
    bit: PermissionFlagsBits.SendMessages,
    reason: 'to answer in channels and to create posts in forums',
    isOptional: false,
  },
  {
    key: 'open-threads',
    name: 'Create Public Threads',
    bit: PermissionFlagsBits.CreatePublicThreads,
    reason: 'to give each subagent a thread of its own',
    isOptional: false,
  },
  {
    key: 'send-in-threads',
    name: 'Send Messages in Threads',
    bit: PermissionFlagsBits.SendMessagesInThreads,
    reason: 'to talk in threads; “Send Messages” has no effect there',
    isOptional: false,
  },
  {
    key: 'history',
    name: 'Read Message History',
    bit: PermissionFlagsBits.ReadMessageHistory,
    reason: 'to answer to a message, to catch up after a restart, and to never say a thing twice',
    isOptional: false,
  },
  {
    key: 'attach',
    name: 'Attach Files',
    bit: PermissionFlagsBits.AttachFiles,
    reason: 'to send a very long answer as a file',
    isOptional: true,
  },
  {
    key: 'react',
    name: 'Add Reactions',
    bit: PermissionFlagsBits.AddReactions,
    reason: 'to mark a message that waits for its turn',
    isOptional: true,
  },
  {
    key: 'embed-links',
    name: 'Embed Links',
    bit: PermissionFlagsBits.EmbedLinks,
    reason: 'to show previews of the links in its answers',
    isOptional: true,
  },
];

/** All of them, as the invite address states them. */
export const INVITE_PERMISSIONS: bigint = NEEDED_PERMISSIONS.reduce((sum, { bit }) => sum | bit, 0n);

/** Those of the list with these keys, in the order of the list. */
export function neededPermissions(keys: readonly PermissionKey[]): readonly NeededPermission[] {
  return NEEDED_PERMISSIONS.filter(({ key }) => keys.includes(key));
}
