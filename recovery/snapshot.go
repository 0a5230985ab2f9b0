package recovery

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// Handle names the view that options make of a payload: "hr_" and the first 32
// hex digits of sha256(format version ‖ sha256(payload) ‖ options).
func Handle(payload []byte, options string) string {
	digest := sha256.Sum256(payload)
	h := sha256.New()
	h.Write([]byte(formatVersion))
	h.Write(digest[:])
	h.Write([]byte(options))
	return "hr_" + hex.EncodeToString(h.Sum(nil))[:32]
}

// Record stores a payload with its snapshot, targets and one view, in one
// transaction, and returns when it is on the disk. What is there already is not
// stored again. It sets the snapshot's ID, Digest and Bytes and the view's
// Snapshot.
func (s *Store) Record(ctx context.Context, payload []byte, snap *Snapshot, targets []compressor.Target, view *View) error {
	snap.Digest, snap.Bytes = sha256.Sum256(payload), int64(len(payload))
	if snap.Taken.IsZero() {
		snap.Taken = s.opt.Now()
	}
	list, err := json.Marshal(targets)
	if err != nil {
		return err
	}
	packed, packedTargets := s.pack.EncodeAll(payload, nil), s.pack.EncodeAll(list, nil)
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO payloads VALUES (?, ?, ?) ON CONFLICT DO NOTHING", snap.Digest[:], snap.Bytes, packed); err != nil {
			return err
		}
		err := tx.QueryRow(`INSERT INTO snapshots (capture, browser, tab, document, origin, path, title, taken, generation, superseded, digest, targets)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (capture, digest) DO UPDATE SET taken = excluded.taken RETURNING id`,
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
	return wrap("record snapshot", err)
}

// AddView stores another view of a snapshot that is stored, or a view's delivery
// to another client.
func (s *Store) AddView(ctx context.Context, view *View) error {
	return wrap("record view", s.transact(ctx, func(tx *sql.Tx) error { return s.addView(tx, view) }))
}

func (s *Store) addView(tx *sql.Tx, view *View) error {
	uids := " " + strings.Join(view.UIDs, " ") + " "
	if _, err := tx.Exec(`INSERT INTO views VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		view.Handle, view.Snapshot, view.Options, uids, view.TokensBefore, view.ViewTokens); err != nil {
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

// retain lets the oldest snapshots go when the store is too old or too large;
// the one just recorded stays.
func (s *Store) retain(tx *sql.Tx, newest int64) error {
	dropped, err := tx.Exec("DELETE FROM snapshots WHERE taken < ? AND id <> ?", s.opt.Now().Add(-s.opt.MaxAge).UnixNano(), newest)
	if err != nil {
		return err
	}
	gone, err := dropped.RowsAffected()
	if err != nil {
		return err
	}
	for {
		if gone > 0 {
			if _, err := tx.Exec("DELETE FROM payloads WHERE digest NOT IN (SELECT digest FROM snapshots)"); err != nil {
				return err
			}
		}
		var used int64
		if err := tx.QueryRow("SELECT (p.page_count - f.freelist_count) * z.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size z").Scan(&used); err != nil {
			return err
		}
		if used <= s.opt.MaxBytes {
			return nil
		}
		// A tenth of the snapshots at a time, so that a full store is not counted for each.
		dropped, err := tx.Exec("DELETE FROM snapshots WHERE id IN (SELECT id FROM snapshots WHERE id <> ? ORDER BY taken LIMIT (SELECT 1 + count(*) / 10 FROM snapshots))", newest)
		if err != nil {
			return err
		}
		if gone, err = dropped.RowsAffected(); err != nil || gone == 0 {
			return err
		}
	}
}

// Payload returns the bytes that a view was made from. Errors: ErrUnknownHandle;
// ErrCorrupt when they no longer have their sha256.
func (s *Store) Payload(ctx context.Context, handle string) ([]byte, error) {
	var digest, packed []byte
	err := s.read.QueryRowContext(ctx, `SELECT p.digest, p.zstd FROM views v JOIN snapshots s ON s.id = v.snapshot JOIN payloads p ON p.digest = s.digest WHERE v.handle = ?`, handle).
		Scan(&digest, &packed)
	if err != nil {
		return nil, wrap("read payload", missing(err, ErrUnknownHandle))
	}
	payload, err := s.unpack.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("read payload: %w (%v)", ErrCorrupt, err)
	}
	if sum := sha256.Sum256(payload); string(sum[:]) != string(digest) {
		return nil, fmt.Errorf("read payload: %w", ErrCorrupt)
	}
	return payload, nil
}

const viewColumns = `v.handle, v.snapshot, v.options, v.uids, v.tokens_before, v.view_tokens,
	s.id, s.capture, s.browser, s.tab, s.document, s.origin, s.path, s.title, s.taken, s.generation, s.superseded, s.digest, p.bytes`

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
	copy(s.Digest[:], digest)
	return &v, &s, nil
}

// Lookup returns a view and its snapshot. Errors: ErrUnknownHandle.
func (s *Store) Lookup(ctx context.Context, handle string) (*View, *Snapshot, error) {
	view, snap, err := scanView(s.read.QueryRowContext(ctx, "SELECT "+viewColumns+viewTables+" WHERE v.handle = ?", handle))
	return view, snap, wrap("look up view", missing(err, ErrUnknownHandle))
}

// Targets returns the targets of a view's whole page, in walk order. When their
// blob is damaged they are made again of the payload. Errors: ErrUnknownHandle,
// ErrCorrupt.
func (s *Store) Targets(ctx context.Context, handle string) ([]compressor.Target, error) {
	var packed []byte
	err := s.read.QueryRowContext(ctx, "SELECT s.targets"+viewTables+" WHERE v.handle = ?", handle).Scan(&packed)
	if err != nil {
		return nil, wrap("read targets", missing(err, ErrUnknownHandle))
	}
	var targets []compressor.Target
	if list, err := s.unpack.DecodeAll(packed, nil); err == nil && json.Unmarshal(list, &targets) == nil {
		return targets, nil
	}
	payload, err := s.Payload(ctx, handle)
	if err != nil {
		return nil, err
	}
	page, err := compressor.Read(payload)
	if err != nil {
		return nil, fmt.Errorf("read targets: %w (%v)", ErrCorrupt, err)
	}
	return page.Targets(), nil
}

// Shown finds the newest view delivered to client, in the tab (0 is any) of the
// browser, that showed uid. Errors: ErrUnknownUID.
func (s *Store) Shown(ctx context.Context, client, browser string, tab int, uid string) (*View, *Snapshot, *compressor.Target, error) {
	if uid == "" || strings.Contains(uid, " ") {
		return nil, nil, nil, ErrUnknownUID
	}
	var delivered int64
	view, snap, err := scanView(s.read.QueryRowContext(ctx, "SELECT "+viewColumns+", d.delivered"+viewTables+` JOIN deliveries d ON d.handle = v.handle
		WHERE d.client = ? AND s.browser = ? AND (? = 0 OR s.tab = ?) AND instr(v.uids, ?) > 0 ORDER BY d.id DESC LIMIT 1`,
		client, browser, tab, tab, " "+uid+" "), &delivered)
	if err != nil {
		return nil, nil, nil, wrap("look up uid", missing(err, ErrUnknownUID))
	}
	view.Client, view.Delivered = client, time.Unix(0, delivered)
	targets, err := s.Targets(ctx, view.Handle)
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range targets {
		if targets[i].UID == uid {
			return view, snap, &targets[i], nil
		}
	}
	return nil, nil, nil, fmt.Errorf("look up uid: %w", ErrCorrupt)
}

// Latest returns the view delivered to client last in the tab (0 is any) of the
// browser. Errors: ErrUnknownHandle when there is none.
func (s *Store) Latest(ctx context.Context, client, browser string, tab int) (*View, *Snapshot, error) {
	var delivered int64
	view, snap, err := scanView(s.read.QueryRowContext(ctx, "SELECT "+viewColumns+", d.delivered"+viewTables+` JOIN deliveries d ON d.handle = v.handle
		WHERE d.client = ? AND s.browser = ? AND (? = 0 OR s.tab = ?) ORDER BY d.id DESC LIMIT 1`, client, browser, tab, tab), &delivered)
	if err != nil {
		return nil, nil, wrap("look up view", missing(err, ErrUnknownHandle))
	}
	view.Client, view.Delivered = client, time.Unix(0, delivered)
	return view, snap, nil
}

// Supersede marks the snapshots of a tab (0 is all of the browser) that are not
// marked yet: how is "yes" or "unknown".
func (s *Store) Supersede(ctx context.Context, browser string, tab int, how string) error {
	if how != "yes" && how != "unknown" {
		return errors.New("supersede: how must be yes or unknown")
	}
	_, err := s.write.ExecContext(ctx, "UPDATE snapshots SET superseded = ? WHERE browser = ? AND (? = 0 OR tab = ?) AND superseded IN ('', 'unknown') AND superseded <> ?", how, browser, tab, tab, how)
	return wrap("supersede snapshots", err)
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
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var st Stats
	err := s.read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM snapshots), (SELECT count(*) FROM views),
		count(*), coalesce(sum(bytes), 0), coalesce(sum(length(zstd)), 0),
		(SELECT coalesce(sum(max(tokens_before - view_tokens, 0)), 0) FROM views) FROM payloads`).
		Scan(&st.Snapshots, &st.Views, &st.Payloads, &st.Bytes, &st.StoredBytes, &st.TokensSaved)
	return st, wrap("count the store", err)
}
