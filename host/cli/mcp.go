package cli

import (
	"os"

	"github.com/spf13/cobra"

	"handrail/host/client"
	"handrail/host/mcp"
	"handrail/host/state"
	"handrail/host/stdio"
	"handrail/host/wire"
)

func (c *command) mcp() *cobra.Command {
	var slim bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the browser to a coding agent, as an MCP server on stdin and stdout",
		Long: "Serves the browser's tools to one agent, which starts this command. It connects to a browser at the first call, and has a\n" +
			"current tab of its own.",
		Example: "  claude mcp add handrail -- handrail mcp\n  handrail mcp --headless --slim",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.browser != "" && c.headless {
				return usage("--browser and --headless exclude each other")
			}
			dir, err := state.Dir()
			if err != nil {
				return wire.Fail(wire.NoStore, "%v", err)
			}
			out := c.out
			if f, ok := out.(*os.File); ok {
				if out, err = stdio.MoveAway(f); err != nil {
					return wire.Fail(wire.Internal, "move stdout: %v", err)
				}
			}
			log := state.OpenLog(dir, "mcp")
			return mcp.Run(cmd.Context(), mcp.Options{
				Choice: client.Choice{
					Dir: dir, Ephemeral: state.Ephemeral(), Browser: c.browser, Headless: c.headless,
					Warn: func(text string) { log.Warn().Msg(text) },
				},
				Slim: slim, Log: log,
			}, c.in, out)
		},
	}
	c.which(cmd)
	cmd.Flags().BoolVar(&slim, "slim", false, "offer four tools in few words: snapshot, act, eval, recover")
	return cmd
}
