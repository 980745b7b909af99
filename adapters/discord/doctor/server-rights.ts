/** What the bot's roles in a server lack, as the list of its servers already tells. A channel may deny more. Pure. */
import { PermissionFlagsBits } from 'discord.js';
import { type Check, warn } from '../../../src/core/check.ts';
import { NEEDED_PERMISSIONS } from '../permissions/needed-permissions.ts';
import type { OwnGuild } from './schema.ts';

export function serverRights(label: string, { name, permissions, owner }: OwnGuild): readonly Check[] {
  const granted = BigInt(permissions);
  if (owner || (granted & PermissionFlagsBits.Administrator) !== 0n) return [];
  const missing = NEEDED_PERMISSIONS.filter(({ bit, isOptional }) => !isOptional && (granted & bit) === 0n);
  if (missing.length === 0) return [];
  return [
    warn(
      `${label} server ${name}`,
      `The roles of the bot lack ${missing.map((permission) => `“${permission.name}”`).join(', ')}.`,
      'Server Settings → Roles → the role of the bot: turn on what is missing. A channel may still allow it.',
    ),
  ];
}
