-- Snapshots that neither age nor size lets go.
CREATE TABLE pins (snapshot INTEGER PRIMARY KEY REFERENCES snapshots ON DELETE CASCADE) STRICT;
