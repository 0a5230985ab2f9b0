package cli

import (
	"context"
	"os"
	"syscall"

	"handrail/host/keeper"
	"handrail/host/state"
	"handrail/host/wire"
)

// runKeeper runs the keeper; who started it hears how it went on descriptor 3.
func runKeeper(ctx context.Context) error {
	syscall.Umask(0o077)
	dir, err := state.Dir()
	if err != nil {
		return wire.Fail(wire.NoStore, "%v", err)
	}
	ready := os.NewFile(3, "ready")
	if _, err := ready.Stat(); err != nil {
		ready = nil // started by hand
	}
	return keeper.Run(ctx, keeper.Config{Dir: dir, Ephemeral: state.Ephemeral(), Log: state.OpenLog(dir, "keeper"), Ready: ready})
}
