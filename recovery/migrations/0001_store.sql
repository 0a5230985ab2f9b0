-- What was read. A payload is stored once, whoever reads it how often.
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
  superseded TEXT NOT NULL,           -- '', 'yes' or 'unknown'
  digest     BLOB NOT NULL REFERENCES payloads,
  targets    BLOB NOT NULL,           -- zstd of JSON; can be made again of the payload
  UNIQUE (capture, digest)
) STRICT;
CREATE INDEX snapshots_by_tab ON snapshots (browser, tab);
CREATE INDEX snapshots_by_time ON snapshots (taken);
CREATE INDEX snapshots_by_payload ON snapshots (digest);

-- One rendering of a snapshot.
CREATE TABLE views (
  handle        TEXT PRIMARY KEY,
  snapshot      INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  options       TEXT NOT NULL,
  uids          TEXT NOT NULL,        -- those it showed, each between spaces
  tokens_before INTEGER NOT NULL,
  view_tokens   INTEGER NOT NULL
) STRICT;
CREATE INDEX views_by_snapshot ON views (snapshot);

-- Who was shown a view; the highest id is the newest.
CREATE TABLE deliveries (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  handle    TEXT NOT NULL REFERENCES views ON DELETE CASCADE,
  client    TEXT NOT NULL,
  delivered INTEGER NOT NULL,
  UNIQUE (client, handle)
) STRICT;
CREATE INDEX deliveries_by_view ON deliveries (handle);

-- The ledger.
CREATE TABLE acts (
  id      TEXT PRIMARY KEY,
  client  TEXT NOT NULL,
  browser TEXT NOT NULL,
  tab     INTEGER NOT NULL,
  uid     TEXT NOT NULL,
  kind    TEXT NOT NULL,
  args    BLOB NOT NULL,              -- HMAC, never the arguments
  epoch   INTEGER NOT NULL,
  state   TEXT NOT NULL,
  result  BLOB,
  at      INTEGER NOT NULL
) STRICT;

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
