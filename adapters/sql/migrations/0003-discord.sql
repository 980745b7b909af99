-- Strangers who wrote to the bot directly, and what an owner has decided about them.
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

-- The newest message dealt with in each place where the bot is active; `place` as in the other tables.
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

-- Messages that were missed and wait for somebody to say whether they are to be answered.
CREATE TABLE missed_messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  place TEXT NOT NULL,
  event_id TEXT NOT NULL,
  message TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX missed_messages_once ON missed_messages (place, event_id);

-- Pictures that people sent, by the SHA-256 of their bytes.
CREATE TABLE files (
  id TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- Which sessions have them; a picture goes with the last one.
CREATE TABLE session_files (
  session_key TEXT NOT NULL REFERENCES sessions (key) DEFERRABLE INITIALLY DEFERRED,
  file_id TEXT NOT NULL,
  PRIMARY KEY (session_key, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_files_by_file ON session_files (file_id);

-- The pictures that came with an input.
ALTER TABLE inputs ADD COLUMN images TEXT;

-- What a channel adapter must remember across restarts.
CREATE TABLE adapter_memory (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (channel, account, key)
) STRICT;
