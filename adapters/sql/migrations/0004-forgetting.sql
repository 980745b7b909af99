-- What events became, and why messages were dropped, is forgotten after a while.
CREATE INDEX processed_events_by_age ON processed_events (at);
CREATE INDEX drops_by_age ON drops (at);
