/** Strangers who wait to be let in, written into the state folder as if they had come by a chat platform. */
import { join } from 'node:path';
import { openSqliteStore } from '../../adapters/sql/index.ts';
import { databaseSettings } from './sql-fixtures.ts';

export async function strangersWait(
  home: string,
  ...people: readonly (readonly [name: string, code: string])[]
): Promise<void> {
  const { store, close } = await openSqliteStore(databaseSettings(join(home, 'skein.db')));
  const requestedAt = Date.now();
  await store.transaction(async (tx) => {
    for (const [name, code] of people) {
      const at = { channel: 'discord', account: 'default' };
      await tx.pairings.put({
        ...at,
        peer: `id-${name}`,
        name,
        address: { ...at, chatType: 'direct', conversation: `with-${name}` },
        code,
        status: 'pending',
        requestedAt,
        expiresAt: requestedAt + 3_600_000,
      });
    }
  });
  await close();
}
