// What is purged leaves no byte in the store's files: SQLite overwrites what it
// deletes (secure_delete), and the log, where older pages may stand, is emptied.

package recovery

import (
	"context"
	"database/sql"
	"time"
)

// unpinned are the snapshots that may go by themselves.
const unpinned = "NOT EXISTS (SELECT 1 FROM pins WHERE pins.snapshot = snapshots.id)"

// maxVacuum bounds the stores, in bytes, that are written anew to give their room
// back; a larger one fills it again.
const maxVacuum = 64 << 20

// Purge removes the snapshots taken before a time, all that belongs to them, the
// acts until then but those under way, and damaged stores that were moved aside; it
// says how many snapshots went. Pinned ones stay, unless all go. Errors: ErrBusy
// when others kept it from the log: then what is removed is removed, and some of
// its bytes may stay until Purge is called again.
func (s *Store) Purge(ctx context.Context, before time.Time, all bool) (gone int64, err error) {
	defer s.end("purge", s.file.Load(), &err)
	if all {
		before = time.Unix(0, 1<<63-1)
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		done, err := tx.Exec("DELETE FROM snapshots WHERE taken < ? AND (? OR "+unpinned+")", before.UnixNano(), all)
		if err != nil {
			return err
		}
		if gone, err = done.RowsAffected(); err != nil {
			return err
		}
		_, err = tx.Exec(dropAgedActs+" AND state <> 'sent'", before.UnixNano())
		return err
	})
	if err != nil {
		return 0, err
	}
	s.forgetMoved(before)
	var used int64
	if err := s.write.QueryRowContext(ctx, usedBytes).Scan(&used); err != nil {
		return gone, err
	}
	if used <= maxVacuum {
		if _, err := s.write.ExecContext(ctx, "VACUUM"); err != nil {
			return gone, err
		}
	}
	var busy, pages, moved int
	if err := s.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return gone, err
	}
	if busy != 0 {
		return gone, ErrBusy
	}
	return gone, nil
}

// Pin keeps the snapshot of a view from being let go by age and size, or lets it go
// again. Errors: ErrUnknownHandle.
func (s *Store) Pin(ctx context.Context, handle string, pinned bool) (err error) {
	defer s.end("pin snapshot", s.file.Load(), &err)
	return s.transact(ctx, func(tx *sql.Tx) error {
		var snapshot int64
		if err := tx.QueryRow("SELECT snapshot FROM views WHERE handle = ?", handle).Scan(&snapshot); err != nil {
			return missing(err, ErrUnknownHandle)
		}
		query := "INSERT OR IGNORE INTO pins VALUES (?)"
		if !pinned {
			query = "DELETE FROM pins WHERE snapshot = ?"
		}
		_, err := tx.Exec(query, snapshot)
		return err
	})
}

// usedBytes asks how much of the store's file is in use.
const usedBytes = "SELECT (p.page_count - f.freelist_count) * z.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size z"
