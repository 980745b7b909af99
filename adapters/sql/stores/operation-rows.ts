/** Platform operations as rows, both ways. */
import type { Insertable, Selectable } from 'kysely';
import { placeKey } from '../../../src/core/address.ts';
import { type OperationId, operationId } from '../../../src/core/ids.ts';
import type {
  NewOperation,
  Operation,
  OperationCall,
  OperationStatus,
} from '../../../src/ports/store/index.ts';
import { addressJson, callJson, faultJson, purposeJson, receiptJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { present } from '../optional.ts';
import type { OperationTable } from '../schema.ts';

const statusOf = wordOf<OperationStatus>({ queued: true, claimed: true, done: true, failed: true });

export function toOperation(row: Selectable<OperationTable>): Operation {
  return {
    id: operationId(row.id),
    seq: row.seq,
    address: addressJson.parse(row.address),
    call: callJson.parse(row.call),
    purpose: purposeJson.parse(row.purpose),
    status: statusOf(row.status),
    attempt: row.attempt,
    fence: row.fence,
    createdAt: row.created_at,
    ...present({
      owner: row.owner,
      notBefore: row.not_before,
      receipt: receiptJson.parseOptional(row.receipt) ?? null,
      error: faultJson.parseOptional(row.error) ?? null,
      endedAt: row.ended_at,
    }),
  };
}

export const NEW_OPERATION_COLUMNS = [
  'id',
  'channel',
  'account',
  'place',
  'address',
  'call',
  'depends_on',
  'purpose',
  'status',
  'created_at',
] as const;
export type NewOperationRow = Required<
  Pick<Insertable<OperationTable>, (typeof NEW_OPERATION_COLUMNS)[number]>
>;

export function fromNewOperation({ id, address, call, purpose }: NewOperation, now: number): NewOperationRow {
  return {
    id,
    channel: address.channel,
    account: address.account,
    place: placeKey(address),
    address: JSON.stringify(address),
    call: JSON.stringify(call),
    depends_on: neededBy(call) ?? null,
    purpose: JSON.stringify(purpose),
    status: 'queued',
    created_at: now,
  };
}

/** The operation whose receipt the call needs. */
function neededBy(call: OperationCall): OperationId | undefined {
  switch (call.kind) {
    case 'send':
      return undefined;
    case 'open-thread':
      return typeof call.anchor === 'string' ? call.anchor : undefined;
    case 'edit':
      return call.target;
  }
}
