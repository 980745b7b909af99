/** Whether somebody owns the bot: by configuration, or by virtue of the platform. */
import type { Address } from '../core/address.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Settings } from '../ports/settings.ts';

export function isOwner(
  directory: ChannelDirectory,
  settings: Settings,
  at: Pick<Address, 'channel' | 'account'>,
  senderId: string,
): boolean {
  return (
    settings.isOwner(at.channel, senderId) || directory.capabilities(at)?.owners.includes(senderId) === true
  );
}
