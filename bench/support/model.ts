/** The far side: the fake model server in a process of its own, answering at once. */
import { fileURLToPath } from 'node:url';
import type { JournalLine } from '../../test/fakes/model-server.ts';
import { startChild } from './child.ts';
import type { Cleanup } from './cleanup.ts';

const script = fileURLToPath(new URL('../../test/fakes/model-server-main.ts', import.meta.url));

export type { JournalLine } from '../../test/fakes/model-server.ts';

export interface Model {
  readonly baseUrl: string;
  readonly pid: number;
  /** Every request since the `after`th, in order of arrival. Rejects when one broke the rules of the API. */
  journal(after?: number): Promise<readonly JournalLine[]>;
}

export async function startModel(cleanup: Cleanup, part?: 'spawning'): Promise<Model> {
  const child = startChild(cleanup, script, part ? [part] : [], { env: { PATH: process.env.PATH ?? '' } });
  const said = await child.says(/^\{.*\}$/m);
  const { baseUrl, rootUrl } = JSON.parse(said[0]) as { baseUrl: string; rootUrl: string };
  return {
    baseUrl,
    pid: child.pid,
    async journal(after = 0) {
      const response = await fetch(`${rootUrl}/journal?after=${after}`);
      const { violations, requests } = (await response.json()) as {
        violations: readonly string[];
        requests: readonly JournalLine[];
      };
      if (violations.length > 0) throw new Error(`the model was asked wrongly: ${violations[0]}`);
      return requests;
    },
  };
}
