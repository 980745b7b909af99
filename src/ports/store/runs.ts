import type { InputId, RunId, SessionKey, ToolCallKey } from '../../core/ids.ts';
import type {
  EndedStatus,
  Lane,
  Origin,
  Outcome,
  RunStatus,
  Trigger,
  Usage,
  WaitingOn,
} from '../../core/run.ts';
import type { Picture, Provenance } from '../../core/transcript.ts';

export interface Run {
  readonly id: RunId;
  /** Grows with every run that is made; runs of a session are claimed in this order. */
  readonly seq: number;
  readonly sessionKey: SessionKey;
  readonly lane: Lane;
  readonly trigger: Trigger;
  readonly status: RunStatus;
  readonly waitingOn?: WaitingOn;
  readonly origin: Origin;
  /** Model and thinking level for this run alone. */
  readonly model?: string;
  readonly thinking?: string;
  /** Recorded steps: assistant messages stored so far. */
  readonly step: number;
  /** Claims since the last recorded step. */
  readonly attempt: number;
  /** Grows with every claim; every write of the run's owner names it. */
  readonly fence: number;
  readonly owner?: string;
  readonly leaseExpiresAt?: number;
  /** Running time left when it is next claimed; absent = no limit. While running, `deadlineAt` is set instead. */
  readonly remainingMs?: number;
  readonly deadlineAt?: number;
  /** Not to be claimed before (a retry). */
  readonly notBefore?: number;
  readonly cancelRequestedAt?: number;
  readonly cancelReason?: string;
  readonly usage: Usage;
  /** Texts of finished steps that a joining message kept from being the last; they open the reply. */
  readonly partialReply: string;
  readonly outcome?: Outcome;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

export interface NewRun {
  readonly id: RunId;
  readonly sessionKey: SessionKey;
  readonly lane: Lane;
  readonly trigger: Trigger;
  readonly status: 'queued' | 'waiting';
  readonly waitingOn?: WaitingOn;
  readonly origin: Origin;
  readonly model?: string;
  readonly thinking?: string;
  readonly remainingMs?: number;
}

/** `null` clears a field. */
export interface RunPatch {
  readonly status?: RunStatus;
  readonly waitingOn?: WaitingOn | null;
  readonly origin?: Origin;
  readonly step?: number;
  readonly attempt?: number;
  readonly owner?: string | null;
  readonly leaseExpiresAt?: number | null;
  readonly remainingMs?: number | null;
  readonly deadlineAt?: number | null;
  readonly notBefore?: number | null;
  readonly cancelRequestedAt?: number;
  readonly cancelReason?: string;
  readonly usage?: Usage;
  readonly partialReply?: string;
  readonly outcome?: Outcome;
  readonly endedAt?: number;
}

export interface RunReads {
  get(id: RunId): Promise<Run | undefined>;
  /** Runs whose id begins with `prefix`; at most `limit`. */
  withPrefix(prefix: string, limit: number): Promise<readonly Run[]>;
  /** Queued, running and waiting runs of the session, in order of `seq`. */
  active(sessionKey: SessionKey): Promise<readonly Run[]>;
  /** Newest first. */
  ofSession(sessionKey: SessionKey, limit: number): Promise<readonly Run[]>;
  /** All active runs, oldest first. */
  allActive(limit: number): Promise<readonly Run[]>;
  /** Sessions of the lane that could be claimed at `now` apart from the lane's cap, longest waiting first. */
  claimable(lane: Lane, now: number, limit: number): Promise<readonly SessionKey[]>;
  /** Running runs whose lease ran out. */
  leaseExpired(now: number, limit: number): Promise<readonly Run[]>;
  /** Distinct owners of running runs. */
  owners(): Promise<readonly string[]>;
  counts(): Promise<{ readonly queued: number; readonly running: number; readonly waiting: number }>;
}

export interface RunWrites extends RunReads {
  insert(run: NewRun, now: number): Promise<Run>;
  /**
   * Claims the oldest queued run of the session if it is due (one that is not holds back younger ones), unless a run of
   * the session is running or an older one waits, or `cap` runs of the lane are running (across all processes). Sets
   * status, owner, lease, start and deadline; fence and attempt grow by one.
   */
  claim(claim: {
    sessionKey: SessionKey;
    lane: Lane;
    cap: number;
    owner: string;
    leaseMs: number;
    now: number;
  }): Promise<Run | undefined>;
  /**
   * Compare-and-set: patches the run if its status is one of `from` and, where given, its fence equals `fence`.
   * Returns whether it did. Moving out of `running` clears owner, lease and deadline.
   */
  update(
    id: RunId,
    expected: { from: readonly RunStatus[]; fence?: number },
    patch: RunPatch,
  ): Promise<boolean>;
  /** Ends the run: compare-and-set as in `update`. */
  end(
    id: RunId,
    expected: { from: readonly RunStatus[]; fence?: number },
    end: { status: EndedStatus; outcome: Outcome; endedAt: number; usage?: Usage },
  ): Promise<boolean>;
  /** Extends the lease if `fence` still holds. */
  renewLease(id: RunId, fence: number, leaseExpiresAt: number): Promise<boolean>;
  /** Removes the run with its inputs and tool calls. */
  remove(id: RunId): Promise<void>;
}

export interface Input {
  readonly id: InputId;
  /** Order of arrival over all sessions. */
  readonly seq: number;
  readonly sessionKey: SessionKey;
  /** The run that will consume it. Absent: it waits for whichever run of the session comes next, and starts none. */
  readonly runId?: RunId;
  readonly text: string;
  /** Stored for the session; each has its mark in the text, in this order. */
  readonly images?: readonly Picture[];
  readonly provenance: Provenance;
  readonly createdAt: number;
  /** When it became a transcript entry. */
  readonly consumedAt?: number;
}
export type NewInput = Omit<Input, 'seq' | 'consumedAt' | 'createdAt'>;

export type InputSender = NonNullable<Provenance['sender']>;

export interface InputReads {
  /** Unconsumed inputs assigned to the run, in order of arrival. */
  pending(run: RunId): Promise<readonly Input[]>;
  /** Unconsumed inputs of the session that no run was assigned, in order of arrival. */
  unassigned(sessionKey: SessionKey): Promise<readonly Input[]>;
  /** All inputs of the run, consumed or not. */
  ofRun(run: RunId): Promise<readonly Input[]>;
  /** Who wrote the session's newest messages, the newest first; inputs that nobody wrote are passed over. */
  latestSenders(sessionKey: SessionKey, limit: number): Promise<readonly InputSender[]>;
}

export interface InputWrites extends InputReads {
  /** An input with the same id is left as it is; returns whether this one was inserted. */
  insert(input: NewInput, now: number): Promise<boolean>;
  assign(ids: readonly InputId[], run: RunId): Promise<void>;
  consume(ids: readonly InputId[], now: number): Promise<void>;
  /** Removes those of the inputs that were not consumed; returns how many. */
  remove(ids: readonly InputId[]): Promise<number>;
  /** Gives an input that was not consumed another text, at the place that it has. */
  rewrite(id: InputId, text: string, provenance: Provenance): Promise<void>;
}

export interface ToolCallRow {
  readonly key: ToolCallKey;
  readonly runId: RunId;
  readonly sessionKey: SessionKey;
  readonly step: number;
  readonly index: number;
  /** The provider's id of the call. */
  readonly callId: string;
  readonly name: string;
  readonly arguments: unknown;
  /** `started` is written before an outside effect; `done` together with the tool result entry. */
  readonly status: 'pending' | 'started' | 'done';
}

export interface ToolCallReads {
  /** Calls of the run that have no result yet, in order of step and index. */
  unfinished(run: RunId): Promise<readonly ToolCallRow[]>;
}

export interface ToolCallWrites extends ToolCallReads {
  insert(calls: readonly ToolCallRow[]): Promise<void>;
  setStatus(key: ToolCallKey, status: 'started' | 'done'): Promise<void>;
}
