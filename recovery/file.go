// Where the store may be: in a directory and files that are this user's alone,
// reached through no symbolic link. What SQLite finds damaged is renamed to
// store.db.corrupt-<time>, kept as long as a snapshot would be, and never read.

package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// suffixes of the files that SQLite keeps beside the store.
var suffixes = []string{"", "-wal", "-shm", "-journal"}

// creating is held while a file is made. A descriptor that is closed after SQLite
// has opened the same file takes the locks of the whole process with it.
var creating sync.Mutex

// place is where the store is. While it is held, nobody moves the store aside:
// SQLite opens the store and its log by path, one after the other.
type place struct {
	file     fs.FileInfo
	readOnly bool
	lock     *os.File // of the directory
}

func (p *place) release() { p.lock.Close() }

// hold makes the directory and the file as only this user may use them.
func hold(dir, path string) (*place, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, refuse(err)
	}
	if err := own(dir, fs.ModeDir|0o700); err != nil {
		return nil, err
	}
	lock, err := flock(dir, syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	file, err := makeFile(path)
	if err != nil {
		lock.Close()
		return nil, err
	}
	// SQLite needs to make files beside the store, too.
	const write = 2
	readOnly := syscall.Access(path, write) != nil || syscall.Access(dir, write) != nil
	return &place{file, readOnly, lock}, nil
}

// flock locks a directory until the file that it returns is closed.
func flock(dir string, how int) (*os.File, error) {
	lock, err := os.Open(dir)
	if err != nil {
		return nil, refuse(err)
	}
	for {
		switch err := syscall.Flock(int(lock.Fd()), how); err {
		case nil:
			return lock, nil
		case syscall.EINTR:
		default:
			lock.Close()
			return nil, fmt.Errorf("lock %q: %w", dir, refuse(err))
		}
	}
}

func makeFile(path string) (fs.FileInfo, error) {
	for _, suffix := range suffixes {
		if err := own(path+suffix, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	creating.Lock()
	defer creating.Unlock()
	file, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, refuse(err)
		}
		file, err = os.Lstat(path)
	}
	if err != nil {
		return nil, refuse(err)
	}
	return file, nil
}

func create(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// own checks that a path is of the kind that mode says and this user's, and
// takes the permissions away that are not in mode.
func own(path string, mode fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return refuse(err)
	}
	if info.Mode().Type() != mode.Type() {
		return fmt.Errorf("%w: %q is a %s", ErrNoStore, path, kind(info.Mode()))
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %q belongs to another user", ErrNoStore, path)
	}
	if mode.IsDir() {
		// A directory that was there before is its owner's to open or close; one
		// in which others may write is not for us.
		if info.Mode().Perm()&0o022 != 0 {
			return fmt.Errorf("%w: others may write in %q: take that from them (chmod 700), or choose another directory", ErrNoStore, path)
		}
		return nil
	}
	if info.Mode().Perm()&^mode.Perm() != 0 {
		if err := os.Chmod(path, mode.Perm()&info.Mode().Perm()); err != nil && !errors.Is(err, syscall.EROFS) {
			return refuse(err)
		}
	}
	return nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode.IsDir():
		return "directory"
	case mode.IsRegular():
		return "file"
	}
	return "special file"
}

// refuse gives an error of the file system its sentinel.
func refuse(err error) error {
	sentinel := ErrNoStore
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		sentinel = ErrFull
	case errors.Is(err, syscall.EROFS):
		sentinel = ErrReadOnly
	case errors.Is(err, syscall.EIO):
		sentinel = ErrIO
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}

const movedTime = "20060102T150405.000000000"

// moveAside renames the damaged store that file is, with its log. When another
// process has done so already, nothing is left to do.
func (s *Store) moveAside(file fs.FileInfo) error {
	lock, err := flock(s.dir, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer lock.Close()
	if now, err := os.Lstat(s.path); err != nil || !os.SameFile(now, file) {
		return nil
	}
	aside := s.path + ".corrupt-" + s.opt.Now().UTC().Format(movedTime)
	for _, suffix := range suffixes {
		if err := os.Rename(s.path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("move the damaged store aside: %w", refuse(err))
		}
	}
	s.mu.Lock()
	s.moved = aside
	s.mu.Unlock()
	return nil
}

// forgetMoved removes damaged stores that were moved aside before a time. It is no
// failure of the store when it cannot.
func (s *Store) forgetMoved(before time.Time) {
	if s.path == "" {
		return
	}
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, name := range names {
		at, ok := strings.CutPrefix(name.Name(), fileName+".corrupt-")
		if !ok || len(at) < len(movedTime) {
			continue
		}
		if moved, err := time.Parse(movedTime, at[:len(movedTime)]); err == nil && moved.Before(before) {
			os.Remove(filepath.Join(s.dir, name.Name()))
		}
	}
}
