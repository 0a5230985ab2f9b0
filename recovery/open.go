// Package recovery keeps what views were made from: payloads byte for byte,
// snapshots with their targets, the views that were handed out and to whom, and
// the ledger of acts.
//
// It promises that what it has acknowledged is on the disk, whole; that a payload
// that comes back has the sha256 it was stored under; that a store that is
// damaged is moved aside and never guessed from; that a newer release's store is
// not touched. Files are 0600 in a directory of 0700, whatever the umask.
//
// It refuses symbolic links and files of other users in place of its own.
package recovery

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/mattn/go-sqlite3"
)

// Options of a store. The zero value is a durable store with the defaults.
type Options struct {
	Ephemeral bool             // in memory: nothing on the disk
	Now       func() time.Time // default time.Now
	Busy      time.Duration    // how long to wait for another process (default 5 s)
	MaxBytes  int64            // size that is kept (default 512 MiB); the oldest go first
	MaxAge    time.Duration    // age that is kept (default 7 days)
}

// Store is an open store. It may be used concurrently, and by several
// processes at once.
type Store struct {
	write  *sql.DB // one connection
	read   *sql.DB
	opt    Options
	secret []byte
	moved  string

	pack   *zstd.Encoder
	unpack *zstd.Decoder
	close  sync.Once
}

const fileName = "store.db"

//go:embed migrations/*.sql
var migrations embed.FS

// Open opens the store of a state directory, which is made if need be. A store
// that cannot be read as one is moved aside (Moved says where) and a new one
// begun. Errors: ErrNoStore, ErrReadOnly, ErrNewer, ErrFull, ErrIO, ErrBusy. On
// a read-only disk an existing store opens for reading.
func Open(dir string, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Busy == 0 {
		opt.Busy = 5 * time.Second
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = 512 << 20
	}
	if opt.MaxAge == 0 {
		opt.MaxAge = 7 * 24 * time.Hour
	}
	if opt.Ephemeral {
		return open("file:handrail-"+rand.Text()+"?mode=memory&cache=private", opt)
	}
	path := filepath.Join(dir, fileName)
	readOnly, err := prepare(dir, path)
	if err != nil {
		return nil, err
	}
	dsn := "file:" + escape(path) + "?_txlock=immediate"
	if readOnly {
		dsn = "file:" + escape(path) + "?mode=ro&immutable=1"
	}
	store, err := open(dsn, opt)
	if !errors.Is(err, ErrCorrupt) || readOnly {
		return store, err
	}
	aside, err := moveAside(path, opt.Now())
	if err != nil {
		return nil, err
	}
	if _, err := prepare(dir, path); err != nil {
		return nil, err
	}
	if store, err = open(dsn, opt); err == nil {
		store.moved = aside
	}
	return store, err
}

// Moved names the file to which a damaged store was moved by Open; "" is none.
func (s *Store) Moved() string { return s.moved }

// Close closes the store.
func (s *Store) Close() error {
	var err error
	s.close.Do(func() {
		s.unpack.Close()
		err = s.write.Close()
		if s.read != s.write {
			err = errors.Join(err, s.read.Close())
		}
	})
	return wrap("close store", err)
}

// prepare makes the directory and the file as only this user may use them, and
// tells whether the store can only be read.
func prepare(dir, path string) (readOnly bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, fmt.Errorf("%w: %v", ErrNoStore, err)
	}
	if err := own(dir, 0o700); err != nil {
		return false, err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return false, fmt.Errorf("%w: %q is not a regular file", ErrNoStore, name)
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	switch {
	case err == nil:
		defer file.Close()
		return false, own(path, 0o600)
	case errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission):
		if _, statErr := os.Stat(path); statErr == nil {
			return true, nil
		}
		return false, fmt.Errorf("%w: %v", ErrNoStore, err)
	case errors.Is(err, syscall.ENOSPC):
		return false, fmt.Errorf("%w: %v", ErrFull, err)
	}
	return false, fmt.Errorf("%w: %v", ErrNoStore, err)
}

// own checks that a file is this user's and takes others' permissions away.
func own(path string, mode fs.FileMode) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrNoStore, err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %q belongs to another user", ErrNoStore, path)
	}
	if info.Mode().Perm()&^mode != 0 {
		if err := os.Chmod(path, mode); err != nil && !errors.Is(err, syscall.EROFS) {
			return fmt.Errorf("%w: %v", ErrNoStore, err)
		}
	}
	return nil
}

// moveAside renames a damaged store and drops its write-ahead log, which belongs
// to it alone.
func moveAside(path string, now time.Time) (string, error) {
	aside := path + ".corrupt-" + now.UTC().Format("20060102T150405.000000000")
	if err := os.Rename(path, aside); err != nil {
		return "", fmt.Errorf("%w: move the damaged store aside: %v", ErrIO, err)
	}
	for _, log := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+log, aside+log); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w: move the damaged store aside: %v", ErrIO, err)
		}
	}
	return aside, nil
}

// escape makes a path the path of a URI.
func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

func open(dsn string, opt Options) (*Store, error) {
	readOnly := strings.Contains(dsn, "mode=ro")
	pragmas := []string{
		fmt.Sprintf("busy_timeout = %d", opt.Busy.Milliseconds()),
		"foreign_keys = ON",
		"trusted_schema = OFF",
	}
	if !readOnly {
		pragmas = append(pragmas, "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
	}
	s := &Store{opt: opt}
	s.write = sql.OpenDB(connector{dsn, pragmas})
	s.write.SetMaxOpenConns(1)
	s.write.SetMaxIdleConns(1)
	s.read = s.write
	if !opt.Ephemeral { // memory belongs to its one connection
		s.read = sql.OpenDB(connector{dsn, append(pragmas, "query_only = ON")})
		s.read.SetMaxOpenConns(4)
	}
	var err error
	if s.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	if s.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); err != nil {
		return nil, err
	}
	if err := s.migrate(readOnly); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// connector opens connections that are set up alike, one pragma after the other.
type connector struct {
	dsn     string
	pragmas []string
}

func (c connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	connection, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, wrap("open store", err)
	}
	for _, pragma := range c.pragmas {
		if _, err := connection.(*sqlite3.SQLiteConn).Exec("PRAGMA "+pragma, nil); err != nil {
			connection.Close()
			return nil, wrap("set "+pragma, err)
		}
	}
	return connection, nil
}

// migrate brings the schema up to date, each step in a transaction of its own;
// user_version is the number of steps done.
func (s *Store) migrate(readOnly bool) error {
	ctx := context.Background()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := s.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); isSchemaError(err) || version < 0 {
		return fmt.Errorf("read the store's version: %w (%v)", ErrCorrupt, err)
	} else if err != nil {
		return wrap("read the store's version", err)
	}
	if version > len(names) {
		return fmt.Errorf("open store of schema %d: %w (this one knows %d)", version, ErrNewer, len(names))
	}
	if version < len(names) && readOnly {
		return fmt.Errorf("open store of schema %d: %w", version, ErrReadOnly)
	}
	for ; version < len(names); version++ {
		script, err := migrations.ReadFile(names[version])
		if err != nil {
			return err
		}
		err = s.transact(ctx, func(tx *sql.Tx) error {
			var now int // another process may have been first
			if err := tx.QueryRow("PRAGMA user_version").Scan(&now); err != nil || now > version {
				return err
			}
			_, err := tx.Exec(string(script) + fmt.Sprintf("; PRAGMA user_version = %d", version+1))
			return err
		})
		if isSchemaError(err) { // tables that the version says are not there yet
			return fmt.Errorf("migrate store to %s: %w (%v)", names[version], ErrCorrupt, err)
		}
		if err != nil {
			return wrap("migrate store to "+names[version], err)
		}
	}
	// A damaged schema shows here, before anything is promised.
	if err := s.write.QueryRowContext(ctx, "SELECT key FROM secret").Scan(&s.secret); err != nil || len(s.secret) != 32 {
		if err == nil || errors.Is(err, sql.ErrNoRows) || isSchemaError(err) {
			return fmt.Errorf("open store: %w", ErrCorrupt)
		}
		return wrap("open store", err)
	}
	return nil
}

// isSchemaError tells SQLite's plain "error", which on our own statements means
// that tables are missing or malformed.
func isSchemaError(err error) bool {
	var said sqlite3.Error
	return errors.As(err, &said) && said.Code == sqlite3.ErrError
}

// transact runs f in an immediate transaction.
func (s *Store) transact(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
