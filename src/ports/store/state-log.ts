import type { RunId, SessionKey } from '../../core/ids.ts';

export type StateEventKind =
  | 'human_direct_message'
  | 'goal_changed'
  | 'created'
  | 'child_spawned'
  | 'run_completed'
  | 'run_failed'
  | 'compacted';

export interface StateEvent {
  /** Grows over all sessions; a session's `stateVersion` is its highest. */
  readonly sequence: number;
  readonly sessionKey: SessionKey;
  readonly kind: StateEventKind;
  readonly actorType: 'human' | 'agent' | 'system';
  readonly actorId: string;
  readonly runId?: RunId;
  /** One line; never message content. */
  readonly summary: string;
  readonly payload: { readonly outcome?: string; readonly channel?: string; readonly turns?: number };
  readonly at: number;
}
export type NewStateEvent = Omit<StateEvent, 'sequence' | 'at'>;

export interface StateLogReads {
  /** Events of the session after that sequence, oldest first. */
  after(sessionKey: SessionKey, sequence: number, limit: number): Promise<readonly StateEvent[]>;
  /** Sessions that watch `target`. */
  watchers(target: SessionKey): Promise<readonly SessionKey[]>;
}

export interface StateLogWrites extends StateLogReads {
  /** Appends and raises the session's `stateVersion`. */
  append(event: NewStateEvent, now: number): Promise<StateEvent>;
  /** Begins to watch `target` from its present version. Watching already: nothing changes. */
  watch(watcher: SessionKey, target: SessionKey, now: number): Promise<void>;
}
