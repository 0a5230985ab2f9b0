package recovery

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"
)

// Act is one row of the host's half of the ledger.
type Act struct {
	ID      string
	Client  string
	Browser string
	Tab     int
	UID     string
	Kind    string
	Args    []byte // ArgsMAC of the arguments; their text is never stored
	Epoch   int64  // of the host's port
	State   string // sent, done, failed or uncertain
	Result  []byte // JSON of the reply or fault; nil while sent
	At      time.Time
}

// ArgsMAC is the HMAC-SHA256 of an act's arguments under the store's own key.
func (s *Store) ArgsMAC(args []byte) []byte {
	s.mu.Lock()
	secret := s.secret
	s.mu.Unlock()
	mac := hmac.New(sha256.New, secret)
	mac.Write(args)
	return mac.Sum(nil)
}

const dropAgedActs = "DELETE FROM acts WHERE at < ?"

// BeginAct records an act before it is sent. When its id is known already, that
// row comes back and nothing is recorded; ErrActReused when it is another act's.
func (s *Store) BeginAct(ctx context.Context, act *Act) (existing *Act, err error) {
	defer s.end("record act", s.file.Load(), &err)
	if act.At.IsZero() {
		act.At = s.opt.Now()
	}
	if act.State == "" {
		act.State = "sent"
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		existing, err = scanAct(tx.QueryRow("SELECT "+actColumns+" FROM acts WHERE id = ?", act.ID))
		if err == nil || !errors.Is(err, ErrUnknownAct) {
			return err
		}
		if _, err := tx.Exec(dropAgedActs, s.opt.Now().Add(-s.opt.MaxAge).UnixNano()); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO acts ("+actColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			act.ID, act.Client, act.Browser, act.Tab, act.UID, act.Kind, act.Args, act.Epoch, act.State, act.Result, act.At.UnixNano())
		return err
	})
	if err != nil {
		return nil, err
	}
	if existing != nil && !hmac.Equal(existing.Args, act.Args) {
		return existing, ErrActReused
	}
	return existing, nil
}

// FinishAct records what became of an act. An act that is done or failed stays
// so: then nothing is recorded. Errors: ErrUnknownAct.
func (s *Store) FinishAct(ctx context.Context, id, state string, result []byte) (err error) {
	defer s.end("record act's end", s.file.Load(), &err)
	return s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := scanAct(tx.QueryRow("SELECT "+actColumns+" FROM acts WHERE id = ?", id)); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE acts SET state = ?, result = ? WHERE id = ? AND state IN ('sent', 'uncertain')", state, result, id)
		return err
	})
}

// Act returns a row of the ledger. Errors: ErrUnknownAct.
func (s *Store) Act(ctx context.Context, id string) (act *Act, err error) {
	defer s.end("look up act", s.file.Load(), &err)
	return scanAct(s.read.QueryRowContext(ctx, "SELECT "+actColumns+" FROM acts WHERE id = ?", id))
}

const actColumns = "id, client, browser, tab, uid, kind, args, epoch, state, result, at"

func scanAct(row *sql.Row) (*Act, error) {
	var a Act
	var at int64
	if err := row.Scan(&a.ID, &a.Client, &a.Browser, &a.Tab, &a.UID, &a.Kind, &a.Args, &a.Epoch, &a.State, &a.Result, &at); err != nil {
		return nil, missing(err, ErrUnknownAct)
	}
	a.At = time.Unix(0, at)
	return &a, nil
}
