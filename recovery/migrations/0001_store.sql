-- What was read. A payload is stored once, whoever reads it how often. Long
-- columns come last: SQLite reads the ones before it past them otherwise.
CREATE TABLE payloads (
  digest BLOB PRIMARY KEY,            -- sha256 of the bytes as they came
  bytes  INTEGER NOT NULL,
  zstd   BLOB NOT NULL
) STRICT;

-- One capture of one tab, or one payload file.
CREATE TABLE snapshots (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  capture    TEXT NOT NULL,           -- '' for a file
  browser    TEXT NOT NULL,
  tab        INTEGER NOT NULL,
  document   TEXT NOT NULL,           -- loaderId of the root frame
  origin     TEXT NOT NULL,
  path       TEXT NOT NULL,
  title      TEXT NOT NULL,
  taken      INTEGER NOT NULL,        -- Unix ns
  generation INTEGER NOT NULL,
  superseded TEXT NOT NULL CHECK (superseded IN ('', 'yes', 'unknown')),
  digest     BLOB NOT NULL REFERENCES payloads,
  targets    BLOB NOT NULL,           -- zstd of JSON lines; can be made again of the payload
  UNIQUE (capture, digest)
) STRICT;
CREATE INDEX snapshots_current ON snapshots (browser, tab) WHERE superseded <> 'yes';
CREATE INDEX snapshots_by_time ON snapshots (taken);
CREATE INDEX snapshots_by_payload ON snapshots (digest);

CREATE TRIGGER payload_of_no_snapshot AFTER DELETE ON snapshots
WHEN NOT EXISTS (SELECT 1 FROM snapshots WHERE digest = old.digest)
BEGIN
  DELETE FROM payloads WHERE digest = old.digest;
END;

-- One rendering of a snapshot.
CREATE TABLE views (
  handle        TEXT PRIMARY KEY,
  snapshot      INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  options       TEXT NOT NULL,
  tokens_before INTEGER NOT NULL,
  view_tokens   INTEGER NOT NULL,
  uids          TEXT NOT NULL         -- those it showed, each between spaces
) STRICT;
CREATE INDEX views_by_snapshot ON views (snapshot);

-- Who was shown a view; the highest id is the newest.
CREATE TABLE deliveries (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  handle    TEXT NOT NULL REFERENCES views ON DELETE CASCADE,
  client    TEXT NOT NULL,
  delivered INTEGER NOT NULL,         -- Unix ns
  UNIQUE (handle, client)
) STRICT;
CREATE INDEX deliveries_by_client ON deliveries (client, id);

-- The host's half of the ledger.
CREATE TABLE acts (
  id      TEXT PRIMARY KEY,
  client  TEXT NOT NULL,
  browser TEXT NOT NULL,
  tab     INTEGER NOT NULL,
  uid     TEXT NOT NULL,
  kind    TEXT NOT NULL,
  args    BLOB NOT NULL,              -- HMAC, never the arguments
  epoch   INTEGER NOT NULL,
  state   TEXT NOT NULL CHECK (state IN ('sent', 'done', 'failed', 'uncertain')),
  result  BLOB,
  at      INTEGER NOT NULL            -- Unix ns
) STRICT;
CREATE INDEX acts_by_time ON acts (at);

CREATE TABLE ordinals (
  browser TEXT NOT NULL,
  tab     INTEGER NOT NULL,
  target  TEXT NOT NULL,              -- CDP targetId
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (browser, tab, target)
) STRICT;

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- The key of the ledger's HMACs.
CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), key BLOB NOT NULL) STRICT;
INSERT INTO secret VALUES (1, randomblob(32));
