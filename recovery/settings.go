package recovery

import (
	"context"
	"database/sql"
)

// Ordinals returns the ordinals of a tab's CDP sessions by targetId; the tab's
// own session, 0, is not among them.
func (s *Store) Ordinals(ctx context.Context, browser string, tab int) (ordinals map[string]int, err error) {
	defer s.end("read ordinals", s.file.Load(), &err)
	rows, err := s.read.QueryContext(ctx, "SELECT target, ordinal FROM ordinals WHERE browser = ? AND tab = ?", browser, tab)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ordinals = map[string]int{}
	for rows.Next() {
		var target string
		var ordinal int
		if err := rows.Scan(&target, &ordinal); err != nil {
			return nil, err
		}
		ordinals[target] = ordinal
	}
	return ordinals, rows.Err()
}

// maxOrdinals bounds their table; the oldest rows go first.
const maxOrdinals = 100_000

// SetOrdinals records ordinals; one that is recorded already stays as it is.
func (s *Store) SetOrdinals(ctx context.Context, browser string, tab int, ordinals map[string]int) (err error) {
	defer s.end("record ordinals", s.file.Load(), &err)
	return s.transact(ctx, func(tx *sql.Tx) error {
		for target, ordinal := range ordinals {
			if _, err := tx.Exec("INSERT INTO ordinals VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", browser, tab, target, ordinal); err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM ordinals WHERE rowid <= (SELECT max(rowid) FROM ordinals) - ?", maxOrdinals)
		return err
	})
}

// Setting returns a setting, "" when it is not set.
func (s *Store) Setting(ctx context.Context, key string) (value string, err error) {
	defer s.end("read setting", s.file.Load(), &err)
	err = s.read.QueryRowContext(ctx, "SELECT value FROM settings WHERE key = ?", key).Scan(&value)
	return value, missing(err, nil)
}

// SetSetting sets a setting; "" removes it.
func (s *Store) SetSetting(ctx context.Context, key, value string) (err error) {
	defer s.end("record setting", s.file.Load(), &err)
	query, args := "INSERT OR REPLACE INTO settings VALUES (?, ?)", []any{key, value}
	if value == "" {
		query, args = "DELETE FROM settings WHERE key = ?", args[:1]
	}
	_, err = s.write.ExecContext(ctx, query, args...)
	return err
}
