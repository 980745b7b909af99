/** The fence: everything that an executing run writes is void once another process has taken the run over. */
import { AppError } from '../errors.ts';
import type { Run, StoreTx } from '../ports/store/index.ts';

/** The run as stored, if the caller still owns it; rejects with `run-lost` (and so rolls back) otherwise. */
export async function requireOwned(tx: StoreTx, run: Pick<Run, 'id' | 'fence'>): Promise<Run> {
  const stored = await tx.runs.get(run.id);
  if (stored?.status === 'running' && stored.fence === run.fence) return stored;
  throw new AppError('run-lost', `run ${run.id} is not ours any more (fence ${run.fence})`);
}
