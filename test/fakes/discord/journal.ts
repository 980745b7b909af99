/** Every REST request that came in, in order, with what it carried and how it was answered. */
import type { UploadedFile } from './attachments.ts';

export interface JournalEntry {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  /** Decoded, without `/api/v10`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed; the `payload_json` part of a multipart body. Undefined without a body. */
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
  readonly hasAuthorization: boolean;
  /** Undefined while it is not answered; `cut` when the connection was ended instead of an answer. */
  status: number | 'cut' | undefined;
  /** Discord's own code of a refusal. */
  code: number | undefined;
  /** True once the request had its effect, whether or not the answer arrived. */
  isPerformed: boolean;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  /** Those whose `METHOD /path` matches. */
  of(call: RegExp): readonly JournalEntry[];
  clear(): void;
}

export type OpenedJournal = Journal & {
  open(request: Omit<JournalEntry, 'number' | 'status' | 'code' | 'isPerformed'>): JournalEntry;
};

export function createJournal(): OpenedJournal {
  const entries: JournalEntry[] = [];
  let count = 0;
  return {
    entries,
    of: (call) => entries.filter(({ method, path }) => call.test(`${method} ${path}`)),
    clear: () => {
      entries.length = 0;
    },
    open: (request) => {
      count += 1;
      const entry: JournalEntry = {
        number: count,
        ...request,
        status: undefined,
        code: undefined,
        isPerformed: false,
      };
      entries.push(entry);
      return entry;
    },
  };
}
