package recovery

import (
	"context"
	"time"
)

// Rule is what a person said about a kind of request on an origin; "" is all sites.
type Rule struct {
	Origin  string
	Kind    string
	Verdict string
	Made    time.Time
	Expires time.Time // zero is never
}

// Rules returns a browser's rules, those for all sites first.
func (s *Store) Rules(ctx context.Context, browser string) (rules []Rule, err error) {
	defer s.end("read rules", s.file.Load(), &err)
	rows, err := s.read.QueryContext(ctx, "SELECT origin, kind, verdict, made, expires FROM rules WHERE browser = ? ORDER BY origin, kind", browser)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r Rule
		var made, expires int64
		if err := rows.Scan(&r.Origin, &r.Kind, &r.Verdict, &made, &expires); err != nil {
			return nil, err
		}
		r.Made = time.Unix(0, made)
		if expires != 0 {
			r.Expires = time.Unix(0, expires)
		}
		rules = append(rules, r)
	}
	return rules, rows.Err()
}

// SetRule records a rule in place of the one that its origin and kind had.
func (s *Store) SetRule(ctx context.Context, browser string, r Rule) (err error) {
	defer s.end("record rule", s.file.Load(), &err)
	var expires int64
	if !r.Expires.IsZero() {
		expires = r.Expires.UnixNano()
	}
	_, err = s.write.ExecContext(ctx, "INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?, ?, ?)",
		browser, r.Origin, r.Kind, r.Verdict, r.Made.UnixNano(), expires)
	return err
}

// DropRule removes the rule of an origin and kind.
func (s *Store) DropRule(ctx context.Context, browser, origin, kind string) (err error) {
	defer s.end("remove rule", s.file.Load(), &err)
	_, err = s.write.ExecContext(ctx, "DELETE FROM rules WHERE browser = ? AND origin = ? AND kind = ?", browser, origin, kind)
	return err
}
