// Package exchange is the native-messaging host: it answers the extension on
// stdin and stdout and clients on a unix socket, and is the one place where
// views are made, uids looked up, acts decided and recorded.
//
// What may go to stdout: frames of JSON-RPC, nothing else. File descriptor 1 is
// moved away before anything is done, so that a stray print lands on stderr.
// Who may connect: Chrome on behalf of an extension that state.Origins names,
// checked before a byte of stdin is read, and on the socket this user. Only the
// extension's link may allow anything. It refuses to give out a view whose
// payload is not stored, and to do an act that is not recorded. Its log holds
// lengths, codes and hashes.
package exchange

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"handrail/host/state"
	"handrail/host/stdio"
	"handrail/host/wire"
)

// Run is the native host from start to end. args are the process's arguments
// without its name: the first is the origin of the extension. It returns the
// exit status: 0 after the end of in or a signal, 1 when it refused or broke.
func Run(ctx context.Context, args []string, in, out *os.File) int {
	unix.Umask(0o077)
	signal.Ignore(syscall.SIGPIPE) // a closed stdout or stderr is an error, not an end without cleaning up
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	port, err := stdio.MoveAway(out)
	if err != nil {
		fmt.Fprintf(os.Stderr, "handrail: move stdout: %v\n", err)
		return 1
	}
	dir, dirErr := state.Dir()
	log := state.OpenLog(dir, "host")
	if len(args) == 0 || !slices.Contains(state.Origins(dir), args[0]) {
		log.Warn().Str(state.FieldCode, string(wire.ForbiddenOrigin)).Msg("refused an extension")
		if err := wire.WriteFrame(port, wire.Refusal(wire.Fail(wire.ForbiddenOrigin, ""))); err != nil {
			log.Warn().Err(err).Msg("could not say so")
		}
		return 1
	}
	h := open(dir, dirErr, log, time.Now)
	return h.serve(ctx, in, port)
}
