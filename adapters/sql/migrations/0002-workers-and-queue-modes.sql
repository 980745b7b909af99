-- The channel accounts that the gateway serves, for workers, which have no connection to a platform.
CREATE TABLE accounts (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  PRIMARY KEY (channel, account)
) STRICT;

-- How messages are taken that come while the session is at work; NULL = as configured.
ALTER TABLE sessions ADD COLUMN queue_mode TEXT;
