/** Whether anybody is heard with what is configured. Pure. */
import { type Check, ok, warn } from '../../../src/core/check.ts';
import { type CheckedAccount, namedGuilds } from './account.ts';
import type { OwnGuild } from './schema.ts';

/** Discord tells as many servers at once; of a bot in more, these are not all. */
const PAGE = 200;

/** `guilds`: the servers that the bot is in. */
export function accessChecks(
  label: string,
  account: CheckedAccount,
  guilds: readonly OwnGuild[],
): readonly Check[] {
  return [
    servers(`${label} access in servers`, account, guilds),
    direct(`${label} access in direct messages`, account),
    ...(guilds.length < PAGE ? strangeServers(label, account, guilds) : []),
  ];
}

function servers(name: string, account: CheckedAccount, guilds: readonly OwnGuild[]): Check {
  switch (account.groupPolicy ?? 'allowlist') {
    case 'open':
      return ok(name, 'Everybody in its servers is answered (groupPolicy: open).');
    case 'disabled':
      return ok(name, 'Only owners are answered in servers (groupPolicy: disabled).');
    case 'allowlist': {
      const { guilds: listed = {}, allowFrom = [] } = account;
      const count = Object.keys(listed).length;
      if (count > 0)
        return ok(name, `${count === 1 ? 'One server is' : `${count} servers are`} listed in guilds.`);
      if (allowFrom.length > 0)
        return ok(name, 'No server is listed; owners and those in allowFrom are answered.');
      const [first] = guilds;
      return warn(
        name,
        'No server is listed, so only owners are answered in servers.',
        `To let everybody of a server in, add it in skein.json5: channels: { discord: { guilds: { '${first?.id ?? '<server id>'}': {} } } }.`,
      );
    }
  }
}

function direct(name: string, { dmPolicy = 'pairing', allowFrom = [] }: CheckedAccount): Check {
  switch (dmPolicy) {
    case 'pairing':
      return ok(name, 'Strangers get a code that an owner approves (dmPolicy: pairing).');
    case 'open':
      return ok(name, 'Everybody who can write to the bot is answered (dmPolicy: open).');
    case 'disabled':
      return ok(name, 'Only owners are answered (dmPolicy: disabled).');
    case 'allowlist':
      if (allowFrom.length > 0)
        return ok(name, 'Owners and those in allowFrom are answered (dmPolicy: allowlist).');
      return warn(
        name,
        'Nobody is listed in allowFrom, so only owners are answered.',
        'Add user ids to channels.discord.allowFrom, or set dmPolicy to "pairing".',
      );
  }
}

/** Listed, but the bot is not there: a typing error, or it was never invited or has been removed. */
function strangeServers(
  label: string,
  account: CheckedAccount,
  guilds: readonly OwnGuild[],
): readonly Check[] {
  const here = new Set(guilds.map(({ id }) => id));
  return namedGuilds(account)
    .filter((id) => !here.has(id))
    .map((id) =>
      warn(
        `${label} server ${id}`,
        'It is listed in guilds, but the bot is not in it.',
        'Invite the bot there (npx skein discord invite), or take the entry out.',
      ),
    );
}
