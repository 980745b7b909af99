/** A state folder whose configuration points to a model provider of the test's own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createFakeModelServer, type FakeModelServer } from '../fakes/model-server.ts';
import { tempDir } from './temp-dir.ts';

export interface ModelHome {
  readonly home: string;
  /** What Skein is to be started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: FakeModelServer;
}

/** `more`: further keys of the configuration. */
export async function createModelHome(more: Record<string, unknown> = {}): Promise<ModelHome> {
  const home = tempDir();
  const model = await createFakeModelServer();
  onTestFinished(() => model.close());
  const config = { ...more, models: { providers: { openai: { baseUrl: model.baseUrl } } } };
  writeFileSync(join(home, 'skein.json5'), JSON.stringify(config));
  return { home, env: { OPENAI_API_KEY: 'sk-test-not-a-real-key', LOG_LEVEL: 'warn' }, model };
}
