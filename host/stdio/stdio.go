// Package stdio keeps a stdout that carries frames free of everything else: it
// promises that a stray print of this process lands on stderr.
package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

// MoveAway gives what is written to out a new descriptor and puts stderr in
// out's place.
func MoveAway(out *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(out.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	port := os.NewFile(uintptr(fd), "port")
	if err := unix.Dup2(int(os.Stderr.Fd()), int(out.Fd())); err != nil {
		port.Close()
		return nil, err
	}
	return port, nil
}
