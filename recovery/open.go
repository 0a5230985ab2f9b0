// Package recovery keeps what views were made from: payloads byte for byte,
// snapshots with their targets, the views that were handed out and to whom, and
// the ledger of acts.
//
// It promises that what it has acknowledged is on the disk, whole; that a payload
// that comes back is the one its handle names, by its sha256; that a store that
// is damaged is moved aside and never guessed from; that a newer release's store
// is not touched. Files are 0600 in a directory of 0700, whatever the umask.
//
// It refuses symbolic links and files of other users in place of its own.
package recovery

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
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
	dir, path string // path is "" in memory
	opt       Options
	write     *sql.DB // one connection
	read      *sql.DB
	file      atomic.Pointer[fs.FileInfo] // that the writer has open; nil in memory
	writable  atomic.Bool                 // as far as permissions say

	mu     sync.Mutex // guards the rest
	secret []byte
	moved  string

	pack   *zstd.Encoder
	unpack *zstd.Decoder
	close  sync.Once
}

const fileName = "store.db"

// Open opens the store of a state directory, which is made if need be. A store
// that cannot be read as one is moved aside (Moved says where) and a new one
// begun. Errors: ErrNoStore, ErrReadOnly, ErrNewer, ErrFull, ErrIO, ErrBusy;
// ErrCorrupt only of a damaged store that cannot be moved. Where nothing can be
// written, a store that exists opens for reading.
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
	s := &Store{opt: opt}
	var err error
	if s.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, wrap("open store", err)
	}
	if s.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPayload)); err != nil {
		return nil, wrap("open store", err)
	}
	s.write = sql.OpenDB(writer{s})
	s.write.SetMaxOpenConns(1)
	s.write.SetMaxIdleConns(1)
	s.read = s.write // memory belongs to its one connection
	if !opt.Ephemeral {
		s.dir, s.path = dir, filepath.Join(dir, fileName)
		s.read = sql.OpenDB(reader{s})
		s.read.SetMaxOpenConns(readers)
		s.read.SetMaxIdleConns(readers)
	}
	if err := s.write.Ping(); err != nil {
		return nil, errors.Join(wrap("open store", err), s.Close())
	}
	s.forgetMoved(s.opt.Now().Add(-s.opt.MaxAge)) // as any snapshot would be
	return s, nil
}

const readers = 4

// Moved names the file to which a damaged store was moved last by this Store;
// "" is none.
func (s *Store) Moved() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

// Schema returns the version of the store's tables.
func (s *Store) Schema() (version int, err error) {
	err = s.write.QueryRow("PRAGMA user_version").Scan(&version)
	return version, wrap("read the store's version", err)
}

// Close closes the store.
func (s *Store) Close() error {
	var err error
	s.close.Do(func() {
		s.unpack.Close()
		if s.read != s.write { // first, so that the writer is the last and empties its log
			err = s.read.Close()
		}
		err = errors.Join(err, s.write.Close())
	})
	return wrap("close store", err)
}
