/**
 * The short look at every start: three questions, and only what is wrong is told. `skein doctor` looks at more.
 */
import { type REST, Routes } from 'discord.js';
import type { Check } from '../../../src/core/check.ts';
import { applicationSchema } from '../schema.ts';
import { accessChecks } from './access-checks.ts';
import { accountLabel, type CheckedAccount } from './account.ts';
import { noServer } from './account-checks.ts';
import { applicationChecks } from './application-checks.ts';
import { ask } from './ask.ts';
import { ownGuildsSchema } from './schema.ts';
import { serverRights } from './server-rights.ts';

/** Never rejects; what cannot be found out now is left to the connection, which tells it by itself. */
export async function lightCheck(
  rest: Pick<REST, 'get'>,
  account: CheckedAccount,
): Promise<readonly Check[]> {
  const label = accountLabel(account);
  const application = await ask(rest, Routes.currentApplication(), applicationSchema);
  const own = await ask(rest, Routes.userGuilds(), ownGuildsSchema);
  const checks = [
    ...(application.kind === 'answer' ? applicationChecks(label, application.value, account) : []),
    ...(own.kind === 'answer' ? accessChecks(label, account, own.value) : []),
    ...(own.kind === 'answer' ? own.value.flatMap((guild) => serverRights(label, guild)) : []),
    ...(own.kind === 'answer' && own.value.length === 0 && application.kind === 'answer'
      ? [noServer(label, application.value.id)]
      : []),
  ];
  return checks.filter(({ status }) => status !== 'ok');
}
