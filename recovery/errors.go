package recovery

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mattn/go-sqlite3"
)

var (
	ErrUnknownHandle = errors.New("no stored view has this recovery handle")
	ErrUnknownUID    = errors.New("no view shown to this client has this uid")
	ErrUnknownAct    = errors.New("no act has this id")
	ErrActReused     = errors.New("the act id was used for another act")
	ErrNoStore       = errors.New("the state directory cannot be used")
	ErrFull          = errors.New("the disk is full")
	ErrIO            = errors.New("the disk gave an error")
	ErrReadOnly      = errors.New("the store is read-only")
	ErrNewer         = errors.New("the store was written by a newer release")
	ErrCorrupt       = errors.New("the stored bytes are damaged")
	ErrBusy          = errors.New("the store is held by another process")
)

var sentinels = map[sqlite3.ErrNo]error{
	sqlite3.ErrFull:     ErrFull,
	sqlite3.ErrIoErr:    ErrIO,
	sqlite3.ErrCantOpen: ErrIO,
	sqlite3.ErrReadonly: ErrReadOnly,
	sqlite3.ErrPerm:     ErrReadOnly,
	sqlite3.ErrCorrupt:  ErrCorrupt,
	sqlite3.ErrNotADB:   ErrCorrupt,
	sqlite3.ErrBusy:     ErrBusy,
	sqlite3.ErrLocked:   ErrBusy,
	sqlite3.ErrProtocol: ErrBusy, // others kept it from the log
}

// wrap names the operation and gives SQLite's error its sentinel.
func wrap(operation string, err error) error {
	var said sqlite3.Error
	if errors.As(err, &said) {
		sentinel := sentinels[said.Code]
		if said.ExtendedCode == sqlite3.ErrIoErrShortRead { // the file ends too early
			sentinel = ErrCorrupt
		}
		if sentinel != nil && !errors.Is(err, sentinel) {
			err = fmt.Errorf("%w (%w)", sentinel, err)
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// end does what wrap does at the end of an operation on the store. When SQLite
// found damage, the file with which the operation began is moved aside.
func (s *Store) end(operation string, file *fs.FileInfo, err *error) {
	var said sqlite3.Error
	found := file != nil && s.writable.Load() && errors.As(*err, &said)
	if found && said.ExtendedCode == sqlite3.ErrNoExtended(sqlite3.ErrReadonly) {
		*err = fmt.Errorf("%w (its header says that it is read-only)", ErrCorrupt)
	}
	*err = wrap(operation, *err)
	if found && errors.Is(*err, ErrCorrupt) {
		*err = errors.Join(*err, s.moveAside(*file))
	}
}

// missing turns "no rows" into the error that says what is not there.
func missing(err, what error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return what
	}
	return err
}
