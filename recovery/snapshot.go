package recovery

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"handrail/compressor"
)

// Snapshot is one capture of one tab, or one payload file (Capture and Browser
// empty).
type Snapshot struct {
	ID         int64
	Capture    string // the bundle's own id: a live snapshot is unique by it
	Browser    string // browser instance
	Tab        int
	Document   string // loaderId of the root frame
	Origin     string
	Path       string
	Title      string
	Taken      time.Time
	Generation int
	Superseded string // "", "yes" or "unknown"
	Digest     [32]byte
	Bytes      int64 // of the payload
}

// View is one rendering of a snapshot, and its delivery to one client.
type View struct {
	Handle       string
	Snapshot     int64
	Options      string   // compressor.Options.Canonical
	UIDs         []string // those it showed
	TokensBefore int
	ViewTokens   int
	Client       string // "" is nobody's
	Delivered    time.Time
}

// formatVersion is the version of the view's format; it is part of every handle.
const formatVersion = "1"

// maxPayload bounds what is stored and what is unpacked, in bytes.
const maxPayload = 1 << 30

// Handle names the view that options make of a payload: "hr_" and the first 32
// hex digits of sha256(format version ‖ sha256(payload) ‖ options).
func Handle(payload []byte, options string) string {
	return handleOf(sha256.Sum256(payload), options)
}

func handleOf(digest [32]byte, options string) string {
	sum := sha256.Sum256(slices.Concat([]byte(formatVersion), digest[:], []byte(options)))
	return "hr_" + hex.EncodeToString(sum[:16])
}

// Record stores a payload with its snapshot, targets and one view, in one
// transaction, and returns when it is on the disk. Recorded again it is still
// one, mended if it was damaged. It sets the snapshot's ID, Digest and Bytes and
// the view's Handle and Snapshot. When the store turns out to be damaged, a new
// one is begun with this snapshot.
func (s *Store) Record(ctx context.Context, payload []byte, snap *Snapshot, targets []compressor.Target, view *View) error {
	if len(payload) > maxPayload {
		return fmt.Errorf("record snapshot: a payload of %d bytes is over the limit of %d", len(payload), maxPayload)
	}
	if snap.Taken.IsZero() {
		snap.Taken = s.opt.Now()
	}
	var packed, packedTargets []byte
	var side sync.WaitGroup
	side.Go(func() { packed = s.pack.EncodeAll(payload, nil) })
	snap.Digest, snap.Bytes = sha256.Sum256(payload), int64(len(payload))
	view.Handle = handleOf(snap.Digest, view.Options)
	lines, err := targetLines(targets)
	side.Wait()
	if err != nil {
		return fmt.Errorf("record snapshot: %w", err)
	}
	packedTargets = s.pack.EncodeAll(lines, nil)
	err = s.record(ctx, packed, packedTargets, snap, view)
	if errors.Is(err, ErrCorrupt) {
		err = s.record(ctx, packed, packedTargets, snap, view)
	}
	return err
}

func (s *Store) record(ctx context.Context, packed, packedTargets []byte, snap *Snapshot, view *View) (err error) {
	defer s.end("record snapshot", s.file.Load(), &err)
	return s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO payloads VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET bytes = excluded.bytes, zstd = excluded.zstd`, snap.Digest[:], snap.Bytes, packed); err != nil {
			return err
		}
		err := tx.QueryRow(`INSERT INTO snapshots (capture, browser, tab, document, origin, path, title, taken, generation, superseded, digest, targets)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (capture, digest) DO UPDATE SET taken = excluded.taken, targets = excluded.targets RETURNING id`,
			snap.Capture, snap.Browser, snap.Tab, snap.Document, snap.Origin, snap.Path, snap.Title, snap.Taken.UnixNano(),
			snap.Generation, snap.Superseded, snap.Digest[:], packedTargets).Scan(&snap.ID)
		if err != nil {
			return err
		}
		view.Snapshot = snap.ID
		if err := s.addView(tx, view); err != nil {
			return err
		}
		return s.retain(tx, snap.ID)
	})
}

// AddView stores another view of the snapshot that is stored as view.Snapshot,
// or a view's delivery to another client, and sets the view's Handle. Errors:
// ErrUnknownHandle when the snapshot is not there.
func (s *Store) AddView(ctx context.Context, view *View) (err error) {
	defer s.end("record view", s.file.Load(), &err)
	return s.transact(ctx, func(tx *sql.Tx) error {
		var sum []byte
		if err := tx.QueryRow("SELECT digest FROM snapshots WHERE id = ?", view.Snapshot).Scan(&sum); err != nil {
			return missing(err, ErrUnknownHandle)
		}
		var digest [32]byte
		copy(digest[:], sum)
		view.Handle = handleOf(digest, view.Options)
		return s.addView(tx, view)
	})
}

// addView lets a view that is there already go with the snapshot that was
// recorded last, so that it is kept as long.
func (s *Store) addView(tx *sql.Tx, view *View) error {
	uids := " " + strings.Join(view.UIDs, " ") + " "
	if _, err := tx.Exec(`INSERT INTO views (handle, snapshot, options, tokens_before, view_tokens, uids) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET snapshot = excluded.snapshot, uids = excluded.uids`,
		view.Handle, view.Snapshot, view.Options, view.TokensBefore, view.ViewTokens, uids); err != nil {
		return err
	}
	if view.Client == "" {
		return nil
	}
	if view.Delivered.IsZero() {
		view.Delivered = s.opt.Now()
	}
	_, err := tx.Exec("INSERT OR REPLACE INTO deliveries (handle, client, delivered) VALUES (?, ?, ?)", view.Handle, view.Client, view.Delivered.UnixNano())
	return err
}

const dropAged = "DELETE FROM snapshots WHERE taken < ? AND id <> ? AND " + unpinned

// retain lets the oldest snapshots go when the store is too old or too large;
// the one just recorded and the pinned ones stay. Payloads go with the last snapshot of theirs.
func (s *Store) retain(tx *sql.Tx, newest int64) error {
	if _, err := tx.Exec(dropAged, s.opt.Now().Add(-s.opt.MaxAge).UnixNano(), newest); err != nil {
		return err
	}
	for {
		var used int64
		if err := tx.QueryRow(usedBytes).Scan(&used); err != nil {
			return err
		}
		if used <= s.opt.MaxBytes {
			return nil
		}
		// A tenth of the snapshots at a time, so that a full store is not counted for each.
		dropped, err := tx.Exec("DELETE FROM snapshots WHERE id IN (SELECT id FROM snapshots WHERE id <> ? AND "+unpinned+" ORDER BY taken LIMIT (SELECT 1 + count(*) / 10 FROM snapshots))", newest)
		if err != nil {
			return err
		}
		if gone, err := dropped.RowsAffected(); err != nil || gone == 0 {
			return err
		}
	}
}

// Payload returns the bytes that a view was made from. Errors: ErrUnknownHandle;
// ErrCorrupt when they are no longer those.
func (s *Store) Payload(ctx context.Context, handle string) (payload []byte, err error) {
	defer s.end("read payload", s.file.Load(), &err)
	packed, digest, err := s.blob(ctx, handle, "p.zstd")
	if err != nil {
		return nil, err
	}
	if payload, err = s.unpack.DecodeAll(packed, nil); err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
	if sha256.Sum256(payload) != digest {
		return nil, ErrCorrupt
	}
	return payload, nil
}

// blob reads a column that belongs to a view's snapshot, and the digest of the
// payload, which is the one that the handle was made of.
func (s *Store) blob(ctx context.Context, handle, column string) (blob []byte, digest [32]byte, err error) {
	var sum []byte
	var options string
	if err := s.read.QueryRowContext(ctx, "SELECT p.digest, v.options, "+column+viewTables+" WHERE v.handle = ?", handle).Scan(&sum, &options, &blob); err != nil {
		return nil, digest, missing(err, ErrUnknownHandle)
	}
	if copy(digest[:], sum); handleOf(digest, options) != handle {
		return nil, digest, ErrCorrupt
	}
	return blob, digest, nil
}

const viewColumns = `v.handle, v.snapshot, v.options, v.uids, v.tokens_before, v.view_tokens,
	s.id, s.capture, s.browser, s.tab, s.document, s.origin, s.path, s.title, s.taken, s.generation, s.superseded, p.digest, p.bytes`

const viewTables = ` FROM views v JOIN snapshots s ON s.id = v.snapshot JOIN payloads p ON p.digest = s.digest`

// scanView reads viewColumns, and then what more is asked for.
func scanView(row *sql.Row, more ...any) (*View, *Snapshot, error) {
	var v View
	var s Snapshot
	var uids string
	var taken int64
	var digest []byte
	err := row.Scan(append([]any{&v.Handle, &v.Snapshot, &v.Options, &uids, &v.TokensBefore, &v.ViewTokens,
		&s.ID, &s.Capture, &s.Browser, &s.Tab, &s.Document, &s.Origin, &s.Path, &s.Title, &taken, &s.Generation, &s.Superseded, &digest, &s.Bytes}, more...)...)
	if err != nil {
		return nil, nil, err
	}
	v.UIDs = strings.Fields(uids)
	s.Taken = time.Unix(0, taken)
	if copy(s.Digest[:], digest); handleOf(s.Digest, v.Options) != v.Handle {
		return nil, nil, ErrCorrupt
	}
	return &v, &s, nil
}

// Lookup returns a view, without its deliveries, and its snapshot. Errors:
// ErrUnknownHandle.
func (s *Store) Lookup(ctx context.Context, handle string) (view *View, snap *Snapshot, err error) {
	defer s.end("look up view", s.file.Load(), &err)
	view, snap, err = scanView(s.read.QueryRowContext(ctx, "SELECT "+viewColumns+viewTables+" WHERE v.handle = ?", handle))
	return view, snap, missing(err, ErrUnknownHandle)
}

const newestDelivered = "SELECT " + viewColumns + ", d.delivered FROM deliveries d JOIN views v ON v.handle = d.handle" +
	" JOIN snapshots s ON s.id = v.snapshot JOIN payloads p ON p.digest = s.digest" +
	" WHERE d.client = ? AND s.browser = ? AND (? = 0 OR s.tab = ?) AND instr(v.uids, ?) > 0 ORDER BY d.id DESC LIMIT 1"

// delivered finds the newest view delivered to client, in the tab (0 is any) of
// the browser, whose uids hold part.
func (s *Store) delivered(ctx context.Context, client, browser string, tab int, part string) (*View, *Snapshot, error) {
	var at int64
	view, snap, err := scanView(s.read.QueryRowContext(ctx, newestDelivered, client, browser, tab, tab, part), &at)
	if err == nil {
		view.Client, view.Delivered = client, time.Unix(0, at)
	}
	return view, snap, err
}

// Shown finds the newest view delivered to client, in the tab (0 is any) of the
// browser, that showed uid. Errors: ErrUnknownUID.
func (s *Store) Shown(ctx context.Context, client, browser string, tab int, uid string) (view *View, snap *Snapshot, target *compressor.Target, err error) {
	defer s.end("look up uid", s.file.Load(), &err)
	if uid == "" || strings.Contains(uid, " ") {
		return nil, nil, nil, ErrUnknownUID
	}
	if view, snap, err = s.delivered(ctx, client, browser, tab, " "+uid+" "); err != nil {
		return nil, nil, nil, missing(err, ErrUnknownUID)
	}
	if target, err = s.Target(ctx, view.Handle, uid); errors.Is(err, ErrUnknownUID) {
		err = fmt.Errorf("a view showed what its page has not: %w", ErrCorrupt)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return view, snap, target, nil
}

// Latest returns the view delivered to client last in the tab (0 is any) of the
// browser. Errors: ErrUnknownHandle when there is none.
func (s *Store) Latest(ctx context.Context, client, browser string, tab int) (view *View, snap *Snapshot, err error) {
	defer s.end("look up view", s.file.Load(), &err)
	view, snap, err = s.delivered(ctx, client, browser, tab, " ")
	return view, snap, missing(err, ErrUnknownHandle)
}

const supersede = "UPDATE snapshots SET superseded = ? WHERE browser = ? AND (? = 0 OR tab = ?) AND superseded <> 'yes' AND superseded <> ?"

// Supersede marks the snapshots of a tab (0 is all of the browser) that are not
// marked yet: how is "yes" or "unknown". What is unknown can still become yes.
func (s *Store) Supersede(ctx context.Context, browser string, tab int, how string) (err error) {
	defer s.end("supersede snapshots", s.file.Load(), &err)
	if how != "yes" && how != "unknown" {
		return fmt.Errorf("%q is neither yes nor unknown", how)
	}
	_, err = s.write.ExecContext(ctx, supersede, how, browser, tab, tab, how)
	return err
}

// Stats says what the store holds.
type Stats struct {
	Snapshots   int64
	Views       int64
	Payloads    int64
	Bytes       int64 // of the payloads as they came
	StoredBytes int64 // of the payloads as they are stored
	TokensSaved int64 // over all views
}

// Stats counts.
func (s *Store) Stats(ctx context.Context) (st Stats, err error) {
	defer s.end("count the store", s.file.Load(), &err)
	return st, s.read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM snapshots), (SELECT count(*) FROM views),
		count(*), coalesce(sum(bytes), 0), coalesce(sum(length(zstd)), 0),
		(SELECT coalesce(sum(max(tokens_before - view_tokens, 0)), 0) FROM views) FROM payloads`).
		Scan(&st.Snapshots, &st.Views, &st.Payloads, &st.Bytes, &st.StoredBytes, &st.TokensSaved)
}
