package recovery

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Entry is one line of the history: a view that was shown to a client, or an act.
type Entry struct {
	At      time.Time
	Browser string
	Tab     int
	Client  string

	// Of a view.
	Handle       string
	Origin       string
	Path         string
	Title        string
	Options      string
	TokensBefore int
	ViewTokens   int
	Superseded   string // "", yes or unknown
	Pinned       bool

	// Of an act; Handle is "".
	ActID  string
	UID    string
	Kind   string
	State  string
	Result []byte // JSON of the reply or fault; nil while sent
}

// maxHistory bounds the entries given at once.
const maxHistory = 500

// History returns what was shown and done before a time, newest first: of one
// browser, or with browser "" of all; of one tab, or with tab 0 of all. At most limit
// entries come, and 500.
func (s *Store) History(ctx context.Context, browser string, tab int, before time.Time, limit int) (entries []Entry, err error) {
	defer s.end("read history", s.file.Load(), &err)
	limit = min(max(limit, 1), maxHistory)
	rows, err := s.read.QueryContext(ctx, `SELECT d.delivered, n.browser, n.tab, d.client, v.handle, n.origin, n.path, n.title, v.options, v.tokens_before, v.view_tokens,
		n.superseded, EXISTS (SELECT 1 FROM pins WHERE pins.snapshot = n.id)
		FROM deliveries d JOIN views v ON v.handle = d.handle JOIN snapshots n ON n.id = v.snapshot
		WHERE d.delivered < ? AND (? = '' OR n.browser = ?) AND (? = 0 OR n.tab = ?) AND d.client NOT LIKE 'offered:%' ORDER BY d.id DESC LIMIT ?`,
		before.UnixNano(), browser, browser, tab, tab, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e Entry
		var at int64
		if err := rows.Scan(&at, &e.Browser, &e.Tab, &e.Client, &e.Handle, &e.Origin, &e.Path, &e.Title, &e.Options, &e.TokensBefore, &e.ViewTokens, &e.Superseded, &e.Pinned); err != nil {
			return nil, err
		}
		e.At = time.Unix(0, at)
		entries = append(entries, e)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	acts, err := s.read.QueryContext(ctx, `SELECT at, browser, tab, client, id, uid, kind, state, result FROM acts
		WHERE at < ? AND (? = '' OR browser = ?) AND (? = 0 OR tab = ?) ORDER BY at DESC LIMIT ?`, before.UnixNano(), browser, browser, tab, tab, limit)
	if err != nil {
		return nil, err
	}
	defer acts.Close()
	for acts.Next() {
		var e Entry
		var at int64
		if err := acts.Scan(&at, &e.Browser, &e.Tab, &e.Client, &e.ActID, &e.UID, &e.Kind, &e.State, &e.Result); err != nil {
			return nil, err
		}
		e.At = time.Unix(0, at)
		entries = append(entries, e)
	}
	if err := acts.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	return entries[:min(limit, len(entries))], nil
}
