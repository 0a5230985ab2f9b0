package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"handrail/compressor"
	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
)

func (c *command) compress() *cobra.Command {
	var kind string
	var flags *viewFlags
	var many *batchFlags
	cmd := &cobra.Command{
		Use:   "compress --type a11y [FILE | --batch DIR|GLOB|- --out DIR]",
		Short: "Turn a saved payload into a view",
		Long: "Reads an accessibility tree (what Accessibility.getFullAXTree gives, or a capture bundle) and prints its view on stdout and\n" +
			"a report, one line of JSON, on stderr. A payload that cannot be compressed comes back unchanged, the report says why.\n" +
			"Payloads are plain, gzip or zstd.\n\n" +
			"With --batch the view of each file is written to NAME.txt below --out, and its report, one line of JSON, to stdout. What was\n" +
			"done is not done again while file, view and options are the same: a batch that was interrupted is run again. A file that fails\n" +
			"has a line with its error or reason and keeps no other from being done; the exit status is 1 then. A payload that is smaller\n" +
			"than its view is its own view. Each payload is recorded unless --store=false or HANDRAIL_EPHEMERAL says otherwise.",
		Example: "  handrail compress --type a11y < tree.json\n  handrail compress --type a11y --query save tree.json.gz\n" +
			"  handrail compress --type a11y --profile balanced --batch pages --out views\n" +
			"  find pages -name '*.json.zst' | handrail compress --type a11y --batch - --out views",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch kind {
			case "a11y":
			case "":
				return usage("say what the payload is: --type a11y")
			default:
				return usage("cannot compress type %q: there is a11y", kind)
			}
			req, err := flags.request()
			if err != nil {
				return err
			}
			if err := many.check(cmd, args); err != nil {
				return err
			}
			req.Limits = compressor.Limits{Chars: flags.window, Tail: flags.tail, Tokens: flags.maxTokens, Max: flags.MaxChars}
			if many.from != "" {
				return c.batch(cmd.Context(), many, req, flags.options())
			}
			body, err := c.payload(args)
			if err != nil {
				return err
			}
			store, storeErr := c.openStore()
			if storeErr != nil {
				c.say("%v", storeErr)
			} else {
				defer store.Close()
			}
			view, report, err := snapshot.Compress(cmd.Context(), store, body, req)
			if f, ok := snapshot.Fault(err); ok {
				return usage("%s", f.Message)
			}
			if err != nil {
				return err
			}
			report.Ephemeral = state.Ephemeral() && report.RecoveryHandle != ""
			if c.json {
				return c.printJSON(struct {
					View string `json:"view"` // or the payload, when there is a reason
					snapshot.Report
				}{string(view), report})
			}
			if _, err := c.out.Write(view); err != nil {
				return fmt.Errorf("write the view: %w", err)
			}
			return json.NewEncoder(c.errOut).Encode(report)
		},
	}
	cmd.Flags().StringVar(&kind, "type", "", "what the payload is: a11y")
	flags = addViewFlags(cmd, compressor.Full)
	many = addBatchFlags(cmd)
	return cmd
}

func (c *command) detect() *cobra.Command {
	return &cobra.Command{
		Use:     "detect [FILE]",
		Short:   "Say what kind of text this is: json or unknown",
		Long:    "Says json for any well-formed JSON, unknown otherwise. An accessibility tree is json too: the compressor is only ever named.",
		Example: "  handrail detect < tree.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			body, err := c.payload(args)
			if err != nil {
				return err
			}
			kind := "unknown"
			if json.Valid(body) {
				kind = "json"
			}
			if c.json {
				return c.printJSON(map[string]string{"content_type": kind})
			}
			_, err = fmt.Fprintln(c.out, kind)
			return err
		},
	}
}

func (c *command) retrieve() *cobra.Command {
	var uids bool
	var frame int
	cmd := &cobra.Command{
		Use:     "retrieve HANDLE",
		Short:   "Print the stored payload of a view, byte for byte",
		Example: "  handrail retrieve hr_0123… | cmp - tree.json\n  handrail retrieve hr_0123… --uids",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := frameFlag(cmd, frame, uids)
			if err != nil {
				return err
			}
			store, err := c.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			body, err := snapshot.Recover(cmd.Context(), store, args[0], at, uids)
			if err != nil {
				return unknown(err, args[0])
			}
			return c.printBytes(body, uids)
		},
	}
	recoverFlags(cmd, &uids, &frame)
	return cmd
}

// recoverFlags are those of retrieve and recover.
func recoverFlags(cmd *cobra.Command, uids *bool, frame *int) {
	cmd.Flags().BoolVar(uids, "uids", false, "print the uid map instead")
	cmd.Flags().IntVar(frame, "frame", 0, "print one frame's node array instead")
}

// frameFlag gives the frame asked for, nil when none was.
func frameFlag(cmd *cobra.Command, frame int, uids bool) (*int, error) {
	if !cmd.Flags().Changed("frame") {
		return nil, nil
	}
	if uids {
		return nil, usage("--uids and --frame exclude each other")
	}
	return &frame, nil
}

// printBytes prints what was stored as it is; a uid map ends its line.
func (c *command) printBytes(body []byte, line bool) error {
	if _, err := c.out.Write(body); err != nil {
		return fmt.Errorf("write the payload: %w", err)
	}
	if line {
		fmt.Fprintln(c.out)
	}
	return nil
}

// unknown says which handle is not known.
func unknown(err error, handle string) error {
	fault, ok := snapshot.Fault(err)
	if ok && fault.Code == wire.UnknownHandle {
		return wire.Fail(wire.UnknownHandle, "no stored view has the recovery handle %q", handle)
	}
	return err
}
