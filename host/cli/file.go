package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"handrail/compressor"
	"handrail/compressor/tokens"
	"handrail/host/client"
	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

// handlePrefix begins every recovery handle: what begins otherwise is a file.
const handlePrefix = "hr_"

func isFile(arg string) bool { return arg != "" && !strings.HasPrefix(arg, handlePrefix) }

// payload reads the file named by the arguments, or stdin.
func (c *command) payload(args []string) ([]byte, error) {
	name, in, size := "stdin", c.stdin, int64(0)
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return nil, usage("read the payload: %v", err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		name, in = args[0], f
	}
	return unpacked(name, in, size, snapshot.MaxPayload)
}

// writable refuses the name of a file to write that could not be one: by its device
// or its directory a rename would put the file.
func writable(name string) error {
	if name == "-" {
		return usage("give a file to write: - is none")
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return usage("%q is no regular file", name)
	}
	return nil
}

func unpacked(name string, in io.Reader, size, limit int64) ([]byte, error) {
	body, err := snapshot.Unpack(in, size, limit)
	if err != nil {
		return nil, usage("read the payload from %q: %w", name, err)
	}
	return body, nil
}

// filePage reads the page of a payload file, "-" for stdin.
func (c *command) filePage(name string) (*compressor.Page, error) {
	body, err := c.payload([]string{name})
	if err != nil {
		return nil, err
	}
	return compressor.Read(body)
}

// page reads the page behind an argument: a handle of the store, or a file.
func (c *command) page(ctx context.Context, arg string) (page *compressor.Page, err error) {
	if isFile(arg) {
		return c.filePage(arg)
	}
	store, err := c.openStore()
	if err != nil {
		return nil, err
	}
	defer store.Close()
	page, err = snapshot.Stored(ctx, store, arg)
	return page, unknown(err, arg)
}

func (c *command) structure() *cobra.Command {
	return &cobra.Command{
		Use:   "structure [HANDLE|FILE]",
		Short: "Summarize the forms, tables and results of a page as JSON",
		Long: "Summarizes a stored snapshot, or a payload file (- for stdin). Without either it is the newest view that was shown to you in the\n" +
			"connected browser. The shape is in docs/FORMAT.md, Structure.",
		Example: "  handrail structure hr_0123…\n  handrail structure tree.json.gz",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			show := func(page *compressor.Page) error {
				summary, reason := page.Summary()
				if summary == nil {
					return wire.Fail(wire.Internal, "the page cannot be summarized: %s", reason)
				}
				return c.printJSON(summary)
			}
			arg := strings.Join(args, "")
			if isFile(arg) {
				page, err := c.filePage(arg)
				if err != nil {
					return err
				}
				return show(page)
			}
			return c.on(cmd.Context(), arg, func(store *recovery.Store) error {
				page, err := snapshot.Stored(cmd.Context(), store, arg)
				if err != nil {
					return err
				}
				return show(page)
			}, func(link *client.Client) error {
				var object wire.Snapshot
				p := wire.ReadParams{Handle: arg, ViewOptions: wire.ViewOptions{Structure: true}}
				if err := link.Read(cmd.Context(), "read", p, &object); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.out, "%s\n", object.Structure)
				return err
			})
		},
	}
}

func (c *command) diff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "Show what is different between two pages",
		Long: "Each is the recovery handle of a stored view, or a payload file (- for stdin). Lines that came begin with +, those that went\n" +
			"with -, those that changed with ~; nothing new is one word.",
		Example: "  handrail diff hr_0123… hr_4567…\n  handrail diff monday.json tuesday.json.zst",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" && args[1] == "-" {
				return usage("stdin can be one of the two only")
			}
			before, err := c.page(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			after, err := c.page(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			diff := compressor.Diff(before, after, compressor.Options{})
			if c.json {
				return c.printJSON(map[string]any{
					"lines": diff.Text, "view_tokens": tokens.CountString(diff.Text), "same_document": snapshot.SameDocument(before, after),
				})
			}
			if !snapshot.SameDocument(before, after) {
				c.say("these are two documents: nothing of one is in the other")
			}
			_, err = fmt.Fprintln(c.out, diff.Text)
			return err
		},
	}
}
