import type { Address } from '../../core/address.ts';
import type { QueueMode } from '../../core/assignment.ts';
import type { RunId, SessionKey } from '../../core/ids.ts';
import type { Usage } from '../../core/run.ts';

export type SessionKind = 'main' | 'group' | 'cron' | 'hook' | 'node' | 'other';

/**
 * What a session may do in the tree of subagents. Written when the session is made and never read off its key:
 * `main` was not spawned, an `orchestrator` may spawn, a `leaf` may not.
 */
export type SessionRole = 'main' | 'orchestrator' | 'leaf';

/** What became of the session when the first run of a subagent ended and was announced. */
export type Cleanup = 'keep' | 'delete';

export interface Session {
  readonly key: SessionKey;
  /** Internal id (a UUID); never shown in lists. */
  readonly id: string;
  readonly kind: SessionKind;
  readonly agentId: string;
  readonly label?: string;
  /** A short handle that the spawning model chose. */
  readonly taskName?: string;
  /** The place as people know it, e.g. `#general`. */
  readonly displayName?: string;
  /** The session that spawned this one. */
  readonly spawnedBy?: SessionKey;
  /** 0 for sessions that were not spawned. */
  readonly depth: number;
  readonly role: SessionRole;
  /** The run that spawned this one; scopes what is handed over together. */
  readonly spawnedByRun?: RunId;
  /** 1, 2, 3 … among the children of `spawnedBy`; the `#` that people type. */
  readonly ordinal?: number;
  /** `session`: lives in its thread. `run`: one task. Absent for sessions that were not spawned. */
  readonly mode?: 'run' | 'session';
  readonly cleanup: Cleanup;
  /** Model and thinking level chosen for this session; absent = the agent's. */
  readonly model?: string;
  readonly thinking?: string;
  readonly sendPolicy?: 'allow' | 'deny';
  /** How messages are taken that come while it is at work; absent = as configured. */
  readonly queueMode?: QueueMode;
  /** Where the session was last spoken to: the default place for what it says on its own. */
  readonly route?: Address;
  readonly usage: Usage;
  /** Input tokens of the newest step: how full the context is. */
  readonly contextTokens: number;
  /** The highest sequence of its state log; 0 when nothing was logged. */
  readonly stateVersion: number;
  readonly hasAbortedLastRun: boolean;
  readonly isPinned: boolean;
  readonly group?: string;
  readonly icon?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it is due to be archived. */
  readonly archiveAt?: number;
  readonly archivedAt?: number;
}

export type NewSession = Omit<
  Session,
  | 'usage'
  | 'contextTokens'
  | 'stateVersion'
  | 'hasAbortedLastRun'
  | 'isPinned'
  | 'archivedAt'
  | 'archiveAt'
  | 'updatedAt'
>;

/** `null` clears a field. `addUsage` is added to the totals. */
export interface SessionPatch {
  readonly label?: string | null;
  readonly displayName?: string | null;
  readonly model?: string | null;
  readonly thinking?: string | null;
  readonly sendPolicy?: 'allow' | 'deny' | null;
  readonly queueMode?: QueueMode | null;
  readonly route?: Address;
  readonly hasAbortedLastRun?: boolean;
  readonly isPinned?: boolean;
  readonly group?: string | null;
  readonly icon?: string | null;
  readonly archiveAt?: number | null;
  readonly archivedAt?: number;
  readonly addUsage?: Usage;
  readonly contextTokens?: number;
}

export interface SessionReads {
  get(key: SessionKey): Promise<Session | undefined>;
  getById(id: string): Promise<Session | undefined>;
  /** Direct children, in the order of their ordinals. Archived ones included. */
  children(key: SessionKey): Promise<readonly Session[]>;
  /** All descendants, nearest first. Archived ones included. */
  descendants(key: SessionKey): Promise<readonly Session[]>;
  /** Unarchived sessions with exactly that label. */
  withLabel(label: string): Promise<readonly Session[]>;
  /** Unarchived sessions, most recently updated first. */
  recent(limit: number): Promise<readonly Session[]>;
  /** Sessions whose `archiveAt` has come, earliest first. */
  dueForArchive(now: number, limit: number): Promise<readonly Session[]>;
}

export interface SessionWrites extends SessionReads {
  /** Inserts the session unless its key exists; either way returns the stored one. */
  ensure(session: NewSession): Promise<Session>;
  /** Also sets `updatedAt`. Updating a session that does not exist does nothing. */
  update(key: SessionKey, patch: SessionPatch, now: number): Promise<void>;
  /** The ordinal for the next child of `key`: one more than the highest that was ever given. `key` must exist. */
  nextOrdinal(key: SessionKey): Promise<number>;
  /** Removes the session with its transcript, inputs and runs, as though it had never been (a spawn that failed). */
  remove(key: SessionKey): Promise<void>;
}
