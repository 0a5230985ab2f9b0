package recovery

import (
	"context"
	"database/sql"
	"errors"
)

// Ordinals returns the ordinals of a tab's CDP sessions by targetId; the tab's
// own session, 0, is not among them.
func (s *Store) Ordinals(ctx context.Context, browser string, tab int) (map[string]int, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT target, ordinal FROM ordinals WHERE browser = ? AND tab = ?", browser, tab)
	if err != nil {
		return nil, wrap("read ordinals", err)
	}
	defer rows.Close()
	ordinals := map[string]int{}
	for rows.Next() {
		var target string
		var ordinal int
		if err := rows.Scan(&target, &ordinal); err != nil {
			return nil, wrap("read ordinals", err)
		}
		ordinals[target] = ordinal
	}
	return ordinals, wrap("read ordinals", rows.Err())
}

// SetOrdinals adds ordinals; one that a target has already stays.
func (s *Store) SetOrdinals(ctx context.Context, browser string, tab int, ordinals map[string]int) error {
	return wrap("record ordinals", s.transact(ctx, func(tx *sql.Tx) error {
		for target, ordinal := range ordinals {
			if _, err := tx.Exec("INSERT INTO ordinals VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", browser, tab, target, ordinal); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Setting returns a setting, "" when it is not set.
func (s *Store) Setting(ctx context.Context, key string) (value string, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT value FROM settings WHERE key = ?", key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, wrap("read setting", err)
}

// SetSetting sets a setting; "" removes it.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	query, args := "INSERT OR REPLACE INTO settings VALUES (?, ?)", []any{key, value}
	if value == "" {
		query, args = "DELETE FROM settings WHERE key = ?", args[:1]
	}
	_, err := s.write.ExecContext(ctx, query, args...)
	return wrap("record setting", err)
}
