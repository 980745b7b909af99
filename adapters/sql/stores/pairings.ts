/** Strangers and what was decided about them: the rows behind ports/store/pairings.ts. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Pairing } from '../../../src/ports/store/pairings.ts';
import type { Executor } from '../connection.ts';
import { addressJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { present } from '../optional.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { PairingTable } from '../schema.ts';
import { statement, valuesOf } from '../statement.ts';

const statusOf = wordOf<Pairing['status']>({ pending: true, approved: true, denied: true });

/** Written as the partial index has it; another wording would not use it. */
const isPending = sql<boolean>`status = 'pending'`;

type Person = { channel: string; account: string; peer: string };

const selectOf = statement<Person>()((db, arg) =>
  db
    .selectFrom('pairings')
    .selectAll()
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('peer', '=', arg('peer')),
);

const selectPending = statement<{ now: number }>()((db, arg) =>
  db
    .selectFrom('pairings')
    .selectAll()
    // Holds for every code; by it the index of pending ones is entered.
    .where('code', '>', '')
    .where(isPending)
    .where('expires_at', '>', arg('now'))
    .orderBy('requested_at')
    .orderBy('code'),
);

const selectWithCode = statement<{ code: string; now: number }>()((db, arg) =>
  db
    .selectFrom('pairings')
    .selectAll()
    .where('code', '=', arg('code'))
    .where(isPending)
    .where('expires_at', '>', arg('now')),
);

const deletePairing = statement<Person>()((db, arg) =>
  db
    .deleteFrom('pairings')
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('peer', '=', arg('peer')),
);

const deleteVoid = statement<{ now: number }>()((db, arg) =>
  db.deleteFrom('pairings').where('code', '>', '').where(isPending).where('expires_at', '<=', arg('now')),
);

const COLUMNS = [
  'channel',
  'account',
  'peer',
  'name',
  'address',
  'code',
  'status',
  'requested_at',
  'expires_at',
  'decided_at',
  'decided_by',
] as const;
type Row = Required<Pick<Insertable<PairingTable>, (typeof COLUMNS)[number]>>;

const insertPairing = statement<Row>()((db, arg) => db.insertInto('pairings').values(valuesOf(arg, COLUMNS)));

const decidePairing = statement<Person & { status: string; decidedBy: string; now: number }>()((db, arg) =>
  db
    .updateTable('pairings')
    .set({ status: arg('status'), decided_by: arg('decidedBy'), decided_at: arg('now') })
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('peer', '=', arg('peer'))
    .where(isPending),
);

export function createPairingReads(read: ReadExecutor): StoreReads['pairings'] {
  return {
    of: async (channel, account, peer) => {
      const row = await read.first(selectOf, { channel, account, peer });
      return row && toPairing(row);
    },
    pending: async (now) => (await read.all(selectPending, { now })).map(toPairing),
    withCode: async (code, now) => {
      const row = await read.first(selectWithCode, { code, now });
      return row && toPairing(row);
    },
  };
}

export function createPairingWrites(executor: Executor): StoreTx['pairings'] {
  return {
    ...createPairingReads(executor),
    put: async (pairing) => {
      const { channel, account, peer } = pairing;
      await executor.run(deletePairing, { channel, account, peer });
      await executor.run(insertPairing, fromPairing(pairing));
    },
    decide: async ({ channel, account, peer }, status, decidedBy, now) =>
      (await executor.run(decidePairing, { channel, account, peer, status, decidedBy, now })) === 1,
    removeVoid: async (now) => {
      await executor.run(deleteVoid, { now });
    },
  };
}

function toPairing(row: Selectable<PairingTable>): Pairing {
  return {
    channel: row.channel,
    account: row.account,
    peer: row.peer,
    name: row.name,
    address: addressJson.parse(row.address),
    code: row.code,
    status: statusOf(row.status),
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    ...present({ decidedAt: row.decided_at, decidedBy: row.decided_by }),
  };
}

function fromPairing(pairing: Pairing): Row {
  return {
    channel: pairing.channel,
    account: pairing.account,
    peer: pairing.peer,
    name: pairing.name,
    address: JSON.stringify(pairing.address),
    code: pairing.code,
    status: pairing.status,
    requested_at: pairing.requestedAt,
    expires_at: pairing.expiresAt,
    decided_at: pairing.decidedAt ?? null,
    decided_by: pairing.decidedBy ?? null,
  };
}
