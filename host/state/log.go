package state

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/rs/zerolog"
)

// Names of log fields. What is logged are lengths, codes, ids and hashes; never text of
// a page and nothing of an address beyond its origin.
const (
	FieldMethod  = "method"
	FieldCode    = "code"
	FieldLogID   = "log_id"
	FieldEpoch   = "epoch"
	FieldVersion = "version"
)

// maxLog is the size at which a log is put aside as name.log.1, in bytes.
const maxLog = 1 << 20

// OpenLog returns a logger to dir/log/name.log, mode 0600, and of warnings to
// stderr. When the file cannot be had, and always in ephemeral mode, stderr is
// all there is. HANDRAIL_LOG=debug logs more.
func OpenLog(dir, name string) zerolog.Logger {
	warnings := &zerolog.FilteredLevelWriter{Writer: zerolog.LevelWriterAdapter{Writer: os.Stderr}, Level: zerolog.WarnLevel}
	level := zerolog.InfoLevel
	if os.Getenv("HANDRAIL_LOG") == "debug" {
		level = zerolog.DebugLevel
	}
	to := io.Writer(warnings)
	if !Ephemeral() {
		if f, err := openLogFile(dir, name+".log", maxLog); err != nil {
			fmt.Fprintf(os.Stderr, "handrail: no log: %v\n", err)
		} else {
			to = zerolog.MultiLevelWriter(f, warnings)
		}
	}
	return zerolog.New(to).Level(level).With().Timestamp().Int("pid", os.Getpid()).Logger()
}

// logFile is an append-only file that several processes may share.
type logFile struct {
	mu   sync.Mutex
	path string
	max  int64
	f    *os.File
}

func openLogFile(dir, name string, max int64) (*logFile, error) {
	dir, err := Sub(dir, "log")
	if err != nil {
		return nil, err
	}
	l := &logFile{path: filepath.Join(dir, name), max: max}
	return l, l.open()
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return err
	}
	l.f = f
	return nil
}

func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.f.Stat()
	if err == nil && info.Size()+int64(len(p)) > l.max {
		// Another process may have put it aside already: then only follow.
		if at, err := os.Lstat(l.path); err == nil && os.SameFile(at, info) {
			os.Rename(l.path, l.path+".1")
		}
		old := l.f
		if err := l.open(); err != nil {
			return 0, err
		}
		old.Close()
	}
	return l.f.Write(p)
}
