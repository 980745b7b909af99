-- What events became, why messages were dropped, and what was missed long ago, is forgotten after a while.
CREATE INDEX processed_events_by_age ON processed_events (at);
CREATE INDEX drops_by_age ON drops (at);
CREATE INDEX cursors_by_age ON cursors (at);
CREATE INDEX missed_messages_by_age ON missed_messages (at);
