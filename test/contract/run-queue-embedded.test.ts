import { expect, test, vi } from 'vitest';
import { createEmbeddedRunQueue } from '../../adapters/embedded/index.ts';
import { buildSessionKey } from '../../src/core/session-key.ts';
import type { Log } from '../../src/ports/log.ts';
import { runQueueContract } from './run-queue.ts';

function createRecordingLog() {
  const errors: Record<string, unknown>[] = [];
  const ignore = () => undefined;
  const log: Log = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (fields) => void errors.push(fields),
    child: () => log,
  };
  return { log, errors };
}

runQueueContract('embedded', async () => createEmbeddedRunQueue(createRecordingLog()));

test('a handler that fails is logged with its lane and session', async () => {
  const { log, errors } = createRecordingLog();
  const queue = createEmbeddedRunQueue({ log });
  queue.work(new Map([['main', { concurrency: 1 }]]), () => {
    throw new Error('on purpose');
  });
  const sessionKey = buildSessionKey({ kind: 'main', agentId: 'main' });
  await queue.wake({ lane: 'main', sessionKey });
  await vi.waitFor(() => expect(errors).toHaveLength(1));
  expect(errors[0]).toMatchObject({ lane: 'main', sessionKey, err: { message: 'on purpose' } });
  await queue.close();
});
