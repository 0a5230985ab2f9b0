package cli

import (
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"handrail/host/keeper"
	"handrail/host/state"
	"handrail/host/wire"
)

// keep is the keeper: hidden, since snapshot and its like start it.
func (c *command) keep() *cobra.Command {
	ready := 0
	cmd := &cobra.Command{
		Use:    "browser",
		Short:  "Keep the dedicated browser",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			syscall.Umask(0o077)
			dir, err := state.Dir()
			if err != nil {
				return wire.Fail(wire.NoStore, "%v", err)
			}
			config := keeper.Config{Dir: dir, Ephemeral: state.Ephemeral(), Log: state.OpenLog(dir, "keeper")}
			if ready > 0 {
				syscall.CloseOnExec(ready)
				config.Ready = os.NewFile(uintptr(ready), "ready")
			}
			return keeper.Run(cmd.Context(), config)
		},
	}
	cmd.Flags().IntVar(&ready, "ready", 0, "descriptor that is told how the start went")
	return cmd
}
