/**
 * The tables as Kysely sees them: column names and types exactly as the migrations leave them. JSON columns are text here;
 * `json-columns.ts` reads them. Booleans are 0 or 1.
 */
import type { Generated } from 'kysely';

export interface SessionTable {
  key: string;
  id: string;
  kind: string;
  agent_id: string;
  label: string | null;
  task_name: string | null;
  display_name: string | null;
  spawned_by: string | null;
  spawned_by_run: string | null;
  depth: number;
  role: string;
  ordinal: number | null;
  last_child_ordinal: Generated<number>;
  mode: string | null;
  cleanup: string;
  model: string | null;
  thinking: string | null;
  send_policy: string | null;
  queue_mode: string | null;
  route: string | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cached_tokens: Generated<number>;
  context_tokens: Generated<number>;
  state_version: Generated<number>;
  has_aborted_last_run: Generated<number>;
  is_pinned: Generated<number>;
  group_name: string | null;
  icon: string | null;
  created_at: number;
  updated_at: number;
  archive_at: number | null;
  archived_at: number | null;
}

export interface EntryTable {
  id: Generated<number>;
  session_key: string;
  seq: number;
  role: string;
  content: string;
  provenance: string;
  run_id: string | null;
  usage: string | null;
  at: number;
}

export interface EntrySearchTable {
  rowid: number;
  words: string;
}

export interface RunTable {
  seq: Generated<number>;
  id: string;
  session_key: string;
  lane: string;
  cause: string;
  status: string;
  waiting_on: string | null;
  origin: string;
  model: string | null;
  thinking: string | null;
  step: Generated<number>;
  attempt: Generated<number>;
  fence: Generated<number>;
  owner: string | null;
  lease_expires_at: number | null;
  remaining_ms: number | null;
  deadline_at: number | null;
  not_before: number | null;
  cancel_requested_at: number | null;
  cancel_reason: string | null;
  usage: string;
  partial_reply: Generated<string>;
  outcome: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface InputTable {
  seq: Generated<number>;
  id: string;
  session_key: string;
  run_id: string | null;
  text: string;
  provenance: string;
  created_at: number;
  consumed_at: number | null;
  images: string | null;
}

export interface ToolCallTable {
  key: string;
  run_id: string;
  session_key: string;
  step: number;
  call_index: number;
  call_id: string;
  name: string;
  arguments: string;
  status: string;
}

export interface BindingTable {
  seq: Generated<number>;
  id: string;
  place: string;
  parent_place: string;
  address: string;
  session_key: string;
  label: string;
  bound_by: string;
  bound_at: number;
  last_activity_at: number;
  idle_ms: number;
  max_age_ms: number;
  state: string;
  expires_at: number | null;
  ended_at: number | null;
  end_reason: string | null;
  ended_by: string | null;
}

export interface OperationTable {
  seq: Generated<number>;
  id: string;
  channel: string;
  account: string;
  place: string;
  address: string;
  call: string;
  depends_on: string | null;
  purpose: string;
  status: string;
  attempt: Generated<number>;
  fence: Generated<number>;
  owner: string | null;
  not_before: number | null;
  receipt: string | null;
  error: string | null;
  created_at: number;
  ended_at: number | null;
}

export interface AnnounceTable {
  run_id: string;
  child_key: string;
  requester_key: string;
  origin: string;
  outcome: string;
  status: string;
  operation: string | null;
  reason: string | null;
  created_at: number;
  ended_at: number | null;
}

export interface StateEventTable {
  sequence: Generated<number>;
  session_key: string;
  kind: string;
  actor_type: string;
  actor_id: string;
  run_id: string | null;
  summary: string;
  payload: string;
  at: number;
}

export interface WatchCursorTable {
  target: string;
  watcher: string;
  seen_sequence: number;
  created_at: number;
}

export interface ProcessedEventTable {
  channel: string;
  account: string;
  event_id: string;
  result: string;
  at: number;
}

export interface DropTable {
  id: Generated<number>;
  address: string;
  event_id: string;
  sender_id: string;
  reason: string;
  at: number;
}

export interface ChatConversationTable {
  seq: Generated<number>;
  name: string;
}

export interface ChatMessageTable {
  seq: Generated<number>;
  id: string;
  conversation: string;
  thread: string | null;
  author_kind: string;
  author_name: string;
  text: string;
  at: number;
  card: string | null;
  needs_admission: number;
}

export interface ChatThreadTable {
  seq: Generated<number>;
  id: string;
  conversation: string;
  title: string;
  is_archived: number;
  created_at: number;
}

export interface ChatEventTable {
  seq: Generated<number>;
  type: string;
  conversation: string;
  thread: string | null;
  data: string;
}

export interface AccountTable {
  channel: string;
  account: string;
  capabilities: string;
}

export interface PairingTable {
  channel: string;
  account: string;
  peer: string;
  name: string;
  address: string;
  code: string;
  status: string;
  requested_at: number;
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
}

export interface CursorTable {
  channel: string;
  account: string;
  place: string;
  address: string;
  event_id: string;
  at: number;
}

export interface MissedMessageTable {
  seq: Generated<number>;
  place: string;
  event_id: string;
  message: string;
  at: number;
}

export interface FileTable {
  id: string;
  media_type: string;
  bytes: Uint8Array;
  at: number;
}

export interface SessionFileTable {
  session_key: string;
  file_id: string;
}

export interface AdapterMemoryTable {
  channel: string;
  account: string;
  key: string;
  value: string;
}

export interface Schema {
  sessions: SessionTable;
  entries: EntryTable;
  entries_search: EntrySearchTable;
  runs: RunTable;
  inputs: InputTable;
  tool_calls: ToolCallTable;
  bindings: BindingTable;
  operations: OperationTable;
  announces: AnnounceTable;
  state_events: StateEventTable;
  watch_cursors: WatchCursorTable;
  processed_events: ProcessedEventTable;
  drops: DropTable;
  accounts: AccountTable;
  pairings: PairingTable;
  cursors: CursorTable;
  missed_messages: MissedMessageTable;
  files: FileTable;
  session_files: SessionFileTable;
  adapter_memory: AdapterMemoryTable;
  chat_conversations: ChatConversationTable;
  chat_messages: ChatMessageTable;
  chat_threads: ChatThreadTable;
  chat_events: ChatEventTable;
}
