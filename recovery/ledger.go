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
	mac := hmac.New(sha256.New, s.secret)
	mac.Write(args)
	return mac.Sum(nil)
}

// maxActs bounds the ledger; the oldest rows go first.
const maxActs = 100_000

// BeginAct records an act before it is sent. When its id is known already, that
// row comes back and nothing is recorded; ErrActReused when it is another act's.
func (s *Store) BeginAct(ctx context.Context, act *Act) (existing *Act, err error) {
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
		if _, err := tx.Exec("INSERT INTO acts ("+actColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			act.ID, act.Client, act.Browser, act.Tab, act.UID, act.Kind, act.Args, act.Epoch, act.State, act.Result, act.At.UnixNano()); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM acts WHERE rowid <= (SELECT max(rowid) FROM acts) - ?", maxActs)
		return err
	})
	if err != nil {
		return nil, wrap("record act", err)
	}
	if existing != nil && !hmac.Equal(existing.Args, act.Args) {
		return existing, ErrActReused
	}
	return existing, nil
}

// FinishAct records what became of an act. Errors: ErrUnknownAct.
func (s *Store) FinishAct(ctx context.Context, id, state string, result []byte) error {
	changed, err := s.write.ExecContext(ctx, "UPDATE acts SET state = ?, result = ? WHERE id = ?", state, result, id)
	if err != nil {
		return wrap("record act's end", err)
	}
	if n, err := changed.RowsAffected(); err != nil || n == 0 {
		return wrap("record act's end", errors.Join(err, ErrUnknownAct))
	}
	return nil
}

// Act returns a row of the ledger. Errors: ErrUnknownAct.
func (s *Store) Act(ctx context.Context, id string) (*Act, error) {
	act, err := scanAct(s.read.QueryRowContext(ctx, "SELECT "+actColumns+" FROM acts WHERE id = ?", id))
	return act, wrap("look up act", err)
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
