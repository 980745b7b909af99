/** Pictures of people: the rows behind ports/store/files.ts. They go with the last session that has them. */
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import type { ReadExecutor } from '../read-executor.ts';
import { jsonList, listed, statement } from '../statement.ts';

const selectFiles = statement<{ ids: string }>()((db, arg) =>
  db
    .selectFrom('files')
    .select(['id', 'media_type', 'bytes'])
    .where('id', 'in', listed(arg('ids'))),
);

const insertFile = statement<{ id: string; mediaType: string; bytes: Uint8Array; now: number }>()((db, arg) =>
  db
    .insertInto('files')
    .values({ id: arg('id'), media_type: arg('mediaType'), bytes: arg('bytes'), at: arg('now') })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const insertUse = statement<{ key: string; id: string }>()((db, arg) =>
  db
    .insertInto('session_files')
    .values({ session_key: arg('key'), file_id: arg('id') })
    .onConflict((conflict) => conflict.columns(['session_key', 'file_id']).doNothing()),
);

export function createFileReads(read: ReadExecutor): StoreReads['files'] {
  return {
    get: async (ids) =>
      (await read.all(selectFiles, { ids: jsonList(ids) })).map(({ id, media_type, bytes }) => ({
        id,
        mediaType: media_type,
        bytes,
      })),
  };
}

export function createFileWrites(executor: Executor): StoreTx['files'] {
  return {
    ...createFileReads(executor),
    put: async (key, { id, mediaType, bytes }, now) => {
      await executor.run(insertFile, { id, mediaType, bytes, now });
      await executor.run(insertUse, { key, id });
    },
  };
}
