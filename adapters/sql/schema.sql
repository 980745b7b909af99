-- What the migrations make; written by test/contract/store-schema.test.ts.

CREATE TABLE accounts (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  PRIMARY KEY (channel, account)
) STRICT;

CREATE TABLE adapter_memory (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (channel, account, key)
) STRICT;

CREATE TABLE announces (
  run_id TEXT PRIMARY KEY,
  child_key TEXT NOT NULL,
  requester_key TEXT NOT NULL,
  origin TEXT NOT NULL,
  outcome TEXT NOT NULL,
  status TEXT NOT NULL,
  operation TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE TABLE bindings (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  place TEXT NOT NULL,
  parent_place TEXT NOT NULL,
  address TEXT NOT NULL,
  session_key TEXT NOT NULL,
  label TEXT NOT NULL,
  bound_by TEXT NOT NULL,
  bound_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  idle_ms INTEGER NOT NULL,
  max_age_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  expires_at INTEGER,
  ended_at INTEGER,
  end_reason TEXT,
  ended_by TEXT
) STRICT;

CREATE INDEX bindings_conversation ON bindings (parent_place, seq) WHERE state <> 'ended';

CREATE INDEX bindings_due ON bindings (expires_at) WHERE state <> 'ended' AND expires_at IS NOT NULL;

CREATE UNIQUE INDEX bindings_one_live ON bindings (place) WHERE state <> 'ended';

CREATE INDEX bindings_session ON bindings (session_key, seq) WHERE state <> 'ended';

CREATE TABLE chat_conversations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE chat_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  conversation TEXT NOT NULL,
  thread TEXT,
  data TEXT NOT NULL
) STRICT;

CREATE TABLE chat_messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  thread TEXT,
  author_kind TEXT NOT NULL,
  author_name TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  card TEXT,
  needs_admission INTEGER NOT NULL
) STRICT;

CREATE INDEX chat_messages_place ON chat_messages (conversation, thread, seq);

CREATE INDEX chat_messages_unadmitted ON chat_messages (seq) WHERE needs_admission = 1;

CREATE TABLE chat_threads (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  title TEXT NOT NULL,
  is_archived INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX chat_threads_conversation ON chat_threads (conversation, seq);

CREATE TABLE cursors (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  place TEXT NOT NULL,
  address TEXT NOT NULL,
  event_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (channel, account, place)
) STRICT;

CREATE INDEX cursors_by_activity ON cursors (channel, account, at);

CREATE INDEX cursors_by_age ON cursors (at);

CREATE TABLE drops (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  address TEXT NOT NULL,
  event_id TEXT NOT NULL,
  sender_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX drops_by_age ON drops (at);

CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_key TEXT NOT NULL REFERENCES sessions (key) DEFERRABLE INITIALLY DEFERRED,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  provenance TEXT NOT NULL,
  run_id TEXT,
  usage TEXT,
  at INTEGER NOT NULL,
  UNIQUE (session_key, seq)
) STRICT;

CREATE VIRTUAL TABLE entries_search USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE inputs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  session_key TEXT NOT NULL REFERENCES sessions (key) DEFERRABLE INITIALLY DEFERRED,
  run_id TEXT,
  text TEXT NOT NULL,
  provenance TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  consumed_at INTEGER
, images TEXT) STRICT;

CREATE INDEX inputs_run ON inputs (run_id, seq) WHERE run_id IS NOT NULL;

CREATE INDEX inputs_session ON inputs (session_key, consumed_at, seq);

CREATE TABLE missed_messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  place TEXT NOT NULL,
  event_id TEXT NOT NULL,
  message TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX missed_messages_by_age ON missed_messages (at);

CREATE UNIQUE INDEX missed_messages_once ON missed_messages (place, event_id);

CREATE TABLE operations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  place TEXT NOT NULL,
  address TEXT NOT NULL,
  call TEXT NOT NULL,
  depends_on TEXT,
  purpose TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  not_before INTEGER,
  receipt TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE INDEX operations_claimed ON operations (owner) WHERE status = 'claimed';

CREATE INDEX operations_failed ON operations (ended_at, seq) WHERE status = 'failed';

CREATE INDEX operations_queued ON operations (channel, account, seq) WHERE status = 'queued';

CREATE INDEX operations_unfinished ON operations (place, seq) WHERE status IN ('queued', 'claimed');

CREATE TABLE pairings (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  peer TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  code TEXT NOT NULL,
  status TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  PRIMARY KEY (channel, account, peer)
) STRICT;

CREATE UNIQUE INDEX pairings_by_code ON pairings (code) WHERE status = 'pending';

CREATE TABLE processed_events (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  event_id TEXT NOT NULL,
  result TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (channel, account, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX processed_events_by_age ON processed_events (at);

CREATE TABLE runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  session_key TEXT NOT NULL REFERENCES sessions (key) DEFERRABLE INITIALLY DEFERRED,
  lane TEXT NOT NULL,
  cause TEXT NOT NULL,
  status TEXT NOT NULL,
  waiting_on TEXT,
  origin TEXT NOT NULL,
  model TEXT,
  thinking TEXT,
  step INTEGER NOT NULL DEFAULT 0,
  attempt INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease_expires_at INTEGER,
  remaining_ms INTEGER,
  deadline_at INTEGER,
  not_before INTEGER,
  cancel_requested_at INTEGER,
  cancel_reason TEXT,
  usage TEXT NOT NULL,
  partial_reply TEXT NOT NULL DEFAULT '',
  outcome TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER
) STRICT;

CREATE INDEX runs_active_order ON runs (seq) WHERE status IN ('queued', 'running', 'waiting');

CREATE INDEX runs_active_session ON runs (session_key, seq) WHERE status IN ('queued', 'running', 'waiting');

CREATE UNIQUE INDEX runs_one_running ON runs (session_key) WHERE status = 'running';

CREATE INDEX runs_queued_lane ON runs (lane, seq) WHERE status = 'queued';

CREATE INDEX runs_running_lane ON runs (lane) WHERE status = 'running';

CREATE INDEX runs_session ON runs (session_key, seq);

CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT;

CREATE TABLE session_files (
  session_key TEXT NOT NULL REFERENCES sessions (key) DEFERRABLE INITIALLY DEFERRED,
  file_id TEXT NOT NULL,
  PRIMARY KEY (session_key, file_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_files_by_file ON session_files (file_id);

CREATE TABLE sessions (
  key TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  label TEXT,
  task_name TEXT,
  display_name TEXT,
  spawned_by TEXT,
  spawned_by_run TEXT,
  depth INTEGER NOT NULL,
  role TEXT NOT NULL,
  ordinal INTEGER,
  last_child_ordinal INTEGER NOT NULL DEFAULT 0,
  mode TEXT,
  cleanup TEXT NOT NULL,
  model TEXT,
  thinking TEXT,
  send_policy TEXT,
  route TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cached_tokens INTEGER NOT NULL DEFAULT 0,
  context_tokens INTEGER NOT NULL DEFAULT 0,
  state_version INTEGER NOT NULL DEFAULT 0,
  has_aborted_last_run INTEGER NOT NULL DEFAULT 0,
  is_pinned INTEGER NOT NULL DEFAULT 0,
  group_name TEXT,
  icon TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archive_at INTEGER,
  archived_at INTEGER
, queue_mode TEXT) STRICT;

CREATE INDEX sessions_archive_due ON sessions (archive_at) WHERE archive_at IS NOT NULL AND archived_at IS NULL;

CREATE INDEX sessions_children ON sessions (spawned_by, ordinal) WHERE spawned_by IS NOT NULL;

CREATE INDEX sessions_label ON sessions (label) WHERE label IS NOT NULL AND archived_at IS NULL;

CREATE INDEX sessions_recent ON sessions (updated_at) WHERE archived_at IS NULL;

CREATE TABLE state_events (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  session_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  run_id TEXT,
  summary TEXT NOT NULL,
  payload TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX state_events_session ON state_events (session_key, sequence);

CREATE TABLE tool_calls (
  key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  step INTEGER NOT NULL,
  call_index INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  status TEXT NOT NULL
) STRICT;

CREATE INDEX tool_calls_run ON tool_calls (run_id, step, call_index);

CREATE TABLE watch_cursors (
  target TEXT NOT NULL,
  watcher TEXT NOT NULL,
  seen_sequence INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (target, watcher)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_cursors_watcher ON watch_cursors (watcher);

PRAGMA user_version = 4;
