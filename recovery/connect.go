package recovery

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// conn is a connection to the file that was the store's when it was opened.
type conn struct {
	*sqlite3.SQLiteConn
	path string // "" in memory
	file fs.FileInfo
}

// ResetSession gives a connection up, before it is used again, when its file has
// been moved aside: by this process or another, that does not matter.
func (c *conn) ResetSession(context.Context) error {
	if c.path == "" {
		return nil
	}
	if now, err := os.Lstat(c.path); err != nil || !os.SameFile(now, c.file) {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid is there so that database/sql keeps a connection whose transaction was
// canceled: in memory the store would go with it.
func (c *conn) IsValid() bool { return true }

// writer opens the one connection that writes. It makes the file, moves a
// damaged one aside and brings the schema up to date.
type writer struct{ store *Store }

func (w writer) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

func (w writer) Connect(context.Context) (driver.Conn, error) {
	s := w.store
	for last := false; ; last = true {
		c, file, err := s.openWriter()
		if err == nil {
			if err = s.ready(c); err == nil {
				return c, nil
			}
			c.Close()
		}
		if !errors.Is(err, ErrCorrupt) || !s.writable.Load() || last {
			return nil, err
		}
		if err := s.moveAside(file); err != nil {
			return nil, err
		}
	}
}

// reader opens the connections that read. The writer's must be free then: so
// nothing reads in the middle of a transaction but on the transaction itself.
type reader struct{ store *Store }

func (r reader) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

func (r reader) Connect(ctx context.Context) (driver.Conn, error) {
	if err := r.store.write.PingContext(ctx); err != nil { // what is read is as the writer makes it
		return nil, err
	}
	held, err := hold(r.store.dir, r.store.path)
	if err != nil {
		return nil, err
	}
	defer held.release()
	c, err := r.store.dialReader(held)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// openWriter opens a connection that writes, where that can be; file is there
// even when the store is damaged.
func (s *Store) openWriter() (c *conn, file fs.FileInfo, err error) {
	if s.path == "" {
		c, err = s.dial(":memory:", nil)
		return c, nil, err
	}
	held, err := hold(s.dir, s.path)
	if err != nil {
		return nil, nil, err
	}
	defer held.release()
	s.writable.Store(!held.readOnly)
	if held.readOnly {
		c, err = s.dialReader(held)
		return c, held.file, err
	}
	// A connection that writes empties the log when it closes, and a newer
	// release's store is to be left as it is.
	if log, err := os.Lstat(s.path + "-wal"); err == nil && log.Size() > 0 {
		c, err := s.dialReader(held)
		if errors.Is(err, ErrNewer) {
			return nil, held.file, err
		}
		if err == nil {
			c.Close()
		}
	}
	c, err = s.dial("file:"+escape(s.path)+"?mode=rw&_txlock=immediate", held.file)
	if err != nil {
		return nil, held.file, err
	}
	if err := c.logged(s.opt.Busy); err != nil {
		c.Close()
		return nil, held.file, err
	}
	if err := c.set("synchronous = FULL", "fullfsync = ON", "secure_delete = ON", "journal_size_limit = 16777216"); err != nil {
		c.Close()
		return nil, held.file, err
	}
	return c, held.file, nil
}

// logged makes the store keep a log. While another connection makes a new store do
// so SQLite does not wait, as its own timeout would have it: both would wait for
// each other's lock.
func (c *conn) logged(patience time.Duration) error {
	const pause = 5 * time.Millisecond
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		err := c.set("journal_mode = WAL")
		if !errors.Is(err, ErrBusy) || time.Now().After(end) {
			return err
		}
	}
}

// dialReader opens the store for reading. Where nothing can be written and there
// is no log, SQLite must be told that there is none to make.
func (s *Store) dialReader(held *place) (*conn, error) {
	dsn := "file:" + escape(s.path) + "?mode=ro"
	c, err := s.dial(dsn, held.file)
	if held.readOnly && (errors.Is(err, ErrIO) || errors.Is(err, ErrReadOnly)) {
		return s.dial(dsn+"&immutable=1", held.file)
	}
	return c, err
}

// dial opens a connection and reads the schema's version from it.
func (s *Store) dial(dsn string, file fs.FileInfo) (*conn, error) {
	opened, err := (&sqlite3.SQLiteDriver{}).Open(dsn)
	if err != nil {
		return nil, wrap("open", schemaError(err))
	}
	c := &conn{opened.(*sqlite3.SQLiteConn), s.path, file}
	// SQLite removes a log by its path when the last connection closes. By then
	// that can be the log of the store that took a damaged one's place.
	if err := c.SetFileControlInt("main", sqlite3.SQLITE_FCNTL_PERSIST_WAL, 1); err != nil {
		return nil, errors.Join(wrap("keep log", err), c.Close())
	}
	if err := c.set(fmt.Sprintf("busy_timeout = %d", s.opt.Busy.Milliseconds()), "foreign_keys = ON", "trusted_schema = OFF", "cell_size_check = ON",
		"temp_store = MEMORY", // page text in no other file
	); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if _, err := c.version(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// set sets pragmas, one after the other.
func (c *conn) set(pragmas ...string) error {
	for _, pragma := range pragmas {
		if _, err := c.Exec("PRAGMA "+pragma, nil); err != nil {
			return wrap("set "+pragma, schemaError(err))
		}
	}
	return nil
}

// ready brings the schema up to date and takes note of the store's secret and file.
func (s *Store) ready(c *conn) error {
	secret, err := c.migrate()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.secret = secret
	s.mu.Unlock()
	if c.file != nil {
		s.file.Store(&c.file)
	}
	return nil
}

// steps gives the names of the migrations, in order.
var steps = sync.OnceValue(func() []string {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is ours
	}
	return names
})

// version is the number of migrations that the store has had.
func (c *conn) version() (int, error) {
	value, err := c.one("PRAGMA user_version")
	if err != nil {
		return 0, wrap("read the schema's version", schemaError(err))
	}
	switch version := int(value.(int64)); {
	case version < 0:
		return 0, fmt.Errorf("schema %d: %w", version, ErrCorrupt)
	case version > len(steps()):
		return 0, fmt.Errorf("schema %d, where %d is known: %w", version, len(steps()), ErrNewer)
	default:
		return version, nil
	}
}

// migrate brings the schema up to date, each step in a transaction of its own,
// and returns the store's secret.
func (c *conn) migrate() ([]byte, error) {
	version, err := c.version()
	if err != nil {
		return nil, err
	}
	for n, name := range steps() {
		if n < version {
			continue
		}
		if err := c.step(n, name); err != nil {
			return nil, wrap("migrate to "+name, schemaError(err))
		}
	}
	secret, err := c.one("SELECT key FROM secret")
	if key, ok := secret.([]byte); err == nil && ok && len(key) == 32 {
		return key, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = ErrCorrupt
	}
	return nil, wrap("read the store's secret", schemaError(err))
}

func (c *conn) step(n int, name string) error {
	script, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := c.Exec("BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	version, err := c.version()
	if err == nil && version == n { // else another process was first
		_, err = c.Exec(fmt.Sprintf("%s; PRAGMA user_version = %d", script, n+1), nil)
	}
	if err == nil {
		_, err = c.Exec("COMMIT", nil)
	}
	if err != nil {
		c.Exec("ROLLBACK", nil)
	}
	return err
}

// one reads a single value.
func (c *conn) one(query string) (driver.Value, error) {
	rows, err := c.Query(query, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	row := make([]driver.Value, 1)
	if err := rows.Next(row); err != nil {
		return nil, err
	}
	return row[0], nil
}

// schemaError gives ErrCorrupt for SQLite's plain "error", which on our own
// statements means a file format that is none, or tables that are missing,
// malformed or there already.
func schemaError(err error) error {
	var said sqlite3.Error
	if errors.As(err, &said) && said.Code == sqlite3.ErrError {
		return fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
	return err
}

// escape makes a path the path of a URI.
func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
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
