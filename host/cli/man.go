package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"handrail/compressor"
	"handrail/host/wire"
)

// man writes the manual from what --help is written from.
func (c *command) man() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages to a directory",
		Example: "  handrail man ~/.local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usage("make the directory of the manual: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // SOURCE_DATE_EPOCH is the one date on a page
			header := &doc.GenManHeader{Section: "1", Source: "handrail " + wire.Version, Manual: "Handrail"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write the manual: %w", err)
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "handrail*.1"))
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(map[string]int{"pages": len(pages)})
			}
			_, err = fmt.Fprintf(c.out, "%d pages in %s\n", len(pages), args[0])
			return err
		},
	}
}

// complete adds the completion commands, and says what flags and arguments may be:
// uids and handles are known to a page alone, and a shell is not to offer files
// for them.
func complete(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Example = "  source <(handrail completion bash)"
		for _, shell := range cmd.Commands() {
			shell.Example = "  handrail completion " + shell.Name()
		}
	}
	files := map[string]bool{
		"compress": true, "detect": true, "diff": true, "structure": true, "find": true, "extract": true, "man": true, "screenshot": true,
	}
	for _, cmd := range root.Commands() {
		if !files[cmd.Name()] && cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		for flag, values := range map[string][]string{
			"profile": compressor.Profiles, "filter": compressor.Filters, "format": compressor.Formats, "handles": {"all"}, "type": {"a11y"}, "locale": locales,
		} {
			if cmd.Flags().Lookup(flag) != nil {
				cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
}
