package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handrail/compressor"
	"handrail/compressor/extract"
	"handrail/host/client"
	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/recovery"
)

// viewFlags are the options of a view, the same words everywhere.
type viewFlags struct {
	wire.ViewOptions
	window, tail, maxTokens int
	context                 bool
	flags                   *pflag.FlagSet
}

// addViewFlags gives a command the flags of a view.
func addViewFlags(cmd *cobra.Command, profile string) *viewFlags {
	v := &viewFlags{flags: cmd.Flags()}
	f := cmd.Flags()
	f.StringVar(&v.Profile, "profile", profile, "how much to show: "+strings.Join(compressor.Profiles, ", "))
	f.StringVar(&v.Query, "query", "", "show only what these words find")
	f.StringVar(&v.Under, "under", "", "show only what stands under this uid")
	f.StringVar(&v.Filter, "filter", "", "show only what is: "+strings.Join(compressor.Filters, ", "))
	f.StringVar(&v.Handles, "handles", "", "all: headings, cells and texts have uids, too")
	f.IntVar(&v.MaxDepth, "max-depth", 0, "levels to show (default all)")
	f.IntVar(&v.TruncateNamesAt, "truncate-names-at", 0, "longest name, in characters as people count them (default light 80)")
	f.IntVar(&v.TruncateValuesAt, "truncate-values-at", 0, "longest value")
	f.IntVar(&v.TruncateTextAt, "truncate-text-at", 0, "longest text")
	f.BoolVar(&v.URLs, "urls", false, "say where links lead")
	f.BoolVar(&v.context, "context", true, "light: with the headings and names above")
	f.StringVar(&v.Format, "format", "", "text, or json: an object to a line")
	f.IntVar(&v.window, "window", 0, "characters given at once, 500 at least; 0 for all")
	f.IntVar(&v.tail, "tail", 0, "characters of the view's end that every window has")
	f.IntVar(&v.maxTokens, "max-tokens", 0, "tokens given at once, 200 at least; 0 for all")
	f.IntVar(&v.MaxChars, "max-chars", 0, "cut off what is over so many characters")
	f.IntVar(&v.Offset, "offset", 0, "where the window begins: next_offset of the one before")
	f.IntVar(&v.Page, "page", 0, "or which window, from 1")
	f.StringVar(&v.Since, "since", "", "recovery handle: show only what is different from that view's page")
	f.BoolVar(&v.Structure, "structure", false, "also summarize forms, tables and results")
	f.BoolVar(&v.Fence, "fence", false, "put the view between lines that the page cannot know")
	return v
}

// options are what the flags say; what was not given is left out, so that each
// verb's own defaults hold.
func (v *viewFlags) options() wire.ViewOptions {
	o := v.ViewOptions
	for name, limit := range map[string]struct {
		from *int
		to   **int
	}{"window": {&v.window, &o.Window}, "tail": {&v.tail, &o.Tail}, "max-tokens": {&v.maxTokens, &o.MaxTokens}} {
		if v.flags.Changed(name) {
			*limit.to = limit.from
		}
	}
	if v.flags.Changed("context") {
		o.Context = &v.context
	}
	return o
}

// request checks the flags here, where that needs no browser.
func (v *viewFlags) request() (snapshot.Request, error) {
	for name, value := range map[string]struct {
		is    string
		among []string
	}{"profile": {v.Profile, compressor.Profiles}, "filter": {v.Filter, compressor.Filters}, "format": {v.Format, compressor.Formats}, "handles": {v.Handles, []string{"all"}}} {
		if err := oneOf(name, value.is, value.among); err != nil {
			return snapshot.Request{}, err
		}
	}
	req, err := snapshot.RequestOf(v.options(), nonce)
	if f, ok := errors.AsType[*wire.Fault](err); ok {
		return req, usage("%s", f.Message)
	}
	return req, err
}

func oneOf(name, is string, among []string) error {
	for _, one := range among {
		if is == one || is == "" {
			return nil
		}
	}
	return usage("no %s %q: there is %s", name, is, strings.Join(among, ", "))
}

func nonce() string { return newID()[:8] }

// on runs f on the store that has a handle: this process's own, or with no handle,
// or an unknown one, the connected browser's.
func (c *command) on(ctx context.Context, handle string, own func(*recovery.Store) error, ask func(*client.Client) error) error {
	if handle != "" && !state.Ephemeral() {
		store, err := c.openStore()
		if err != nil {
			return err
		}
		defer store.Close()
		return told(own(store), handle)
	}
	// What was not seen yet, or went with a store in memory, a browser started now has not either.
	err := c.connected(ctx, true, ask)
	if f, ok := errors.AsType[*wire.Fault](err); ok && f.Code == wire.NoPage && handle != "" {
		return wire.Fail(wire.UnknownHandle, "no browser runs that could have %.60q in memory", handle)
	}
	return err
}

// told is the failure of reading what is stored: what was asked for wrongly is said
// as of any flag.
func told(err error, handle string) error {
	f, ok := snapshot.Fault(err)
	switch {
	case !ok:
		return err
	case f.Code == wire.UnknownHandle && f.Field == "":
		return unknown(f, handle)
	case f.Code == wire.BadRequest:
		return usage("%s", f.Message)
	}
	return f
}

func (c *command) read() *cobra.Command {
	var lines bool
	cmd := &cobra.Command{
		Use:   "read [HANDLE]",
		Short: "Give another view, or the next window, of a stored snapshot",
		Long: "Reads a stored snapshot again, with other options or from an offset on. The page is not touched. Without HANDLE it is the\n" +
			"newest view that was shown to you in the connected browser.",
		Example: "  handrail read --offset 61234\n  handrail read hr_0123… --profile light\n  handrail read --under u5f --view",
		Args:    cobra.MaximumNArgs(1),
	}
	flags := addViewFlags(cmd, "")
	cmd.Flags().BoolVar(&lines, "view", false, "print the view alone")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := flags.request()
		if err != nil {
			return err
		}
		handle := strings.Join(args, "")
		return c.on(cmd.Context(), handle, func(store *recovery.Store) error {
			if req.Options, err = snapshot.OptionsOf(cmd.Context(), store, handle, flags.options()); err != nil {
				return err
			}
			object, err := snapshot.Read(cmd.Context(), store, handle, "cli:"+c.clientName(), req)
			if err != nil {
				return err
			}
			return c.printSnapshot(object.Text, lines)
		}, func(link *client.Client) error {
			var raw json.RawMessage
			if err := link.Read(cmd.Context(), "read", wire.ReadParams{Handle: handle, ViewOptions: flags.options()}, &raw); err != nil {
				return err
			}
			return c.printSnapshot(raw, lines)
		})
	}
	return c.live(cmd)
}

// printSnapshot prints an object as it came, or its view alone.
func (c *command) printSnapshot(raw []byte, lines bool) error {
	if !lines {
		_, err := fmt.Fprintf(c.out, "%s\n", raw)
		return err
	}
	var s wire.Snapshot
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("read the snapshot: %w", err)
	}
	if s.Note != "" {
		c.say("%s", s.Note)
	}
	if s.Superseded {
		c.say("the page has moved on since")
	}
	_, err := fmt.Fprintln(c.out, s.UIDs)
	return err
}

func (c *command) find() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "find TEXT [HANDLE|FILE]",
		Short: "Look for a text in a stored snapshot, or in a payload file",
		Long: "Prints each line in which the text stands, in any case, 50 at most, with uids. TEXT between slashes is a regular expression\n" +
			"(RE2), in which case counts unless it begins with (?i). Without HANDLE or FILE (- for stdin) it is the newest view that was\n" +
			"shown to you in the connected browser.",
		Example: "  handrail find \"Order 100777\"\n  handrail find '/Order [0-9]{6}/' hr_0123…\n  handrail find assam tree.json.zst",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := wire.FindParams{Text: args[0], Handle: strings.Join(args[1:], "")}
			if strings.TrimSpace(p.Text) == "" {
				return usage("say what to find")
			}
			show := func(found *wire.Found) error {
				if c.json {
					return c.printJSON(found)
				}
				if found.Superseded {
					c.say("the page has moved on since")
				}
				if _, err := fmt.Fprintln(c.out, found.Lines); err != nil {
					return err
				}
				if shown := strings.Count(found.Lines, "\n") + 1; found.Total > shown {
					c.say("%d lines more: look for something narrower", found.Total-shown)
				}
				return nil
			}
			if isFile(p.Handle) {
				page, err := c.filePage(p.Handle)
				if err != nil {
					return err
				}
				hits, err := page.Search(p.Text)
				if err != nil {
					return told(err, "")
				}
				return show(&wire.Found{Lines: hits.Text, Total: hits.Total})
			}
			return c.on(cmd.Context(), p.Handle, func(store *recovery.Store) error {
				found, err := snapshot.Find(cmd.Context(), store, p.Handle, "cli:"+c.clientName(), p.Text)
				if err != nil {
					return err
				}
				return show(found)
			}, func(link *client.Client) error {
				var found wire.Found
				if err := link.Read(cmd.Context(), "find", p, &found); err != nil {
					return err
				}
				return show(&found)
			})
		},
	}
	return c.live(cmd)
}

// locales are the ways of writing numbers that extract reads.
var locales = []string{"en", "de", "fr", "ch"}

func (c *command) extract() *cobra.Command {
	var p wire.ExtractParams
	cmd := &cobra.Command{
		Use:   "extract SCHEMA [HANDLE|FILE]",
		Short: "Give data of a stored snapshot, or a payload file, as JSON, by a schema that names uids",
		Long: "SCHEMA is a file with a JSON Schema, - for stdin, or the schema itself. Its properties say where each value stands: \"x-ref\" with\n" +
			"a uid, \"x-each\" for the rows or items of an array (docs/FORMAT.md, Extraction).",
		Example: "  handrail extract '{\"type\":\"object\",\"properties\":{\"price\":{\"type\":\"number\",\"x-ref\":\"u2f\"}}}'\n  handrail extract orders.schema.json hr_0123…",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if p.Schema, err = c.schema(args[0]); err != nil {
				return err
			}
			if err := oneOf("locale", p.Locale, locales); err != nil {
				return err
			}
			p.Handle = strings.Join(args[1:], "")
			if p.Fresh && p.Handle != "" && state.Ephemeral() {
				return usage("--fresh needs a stored handle")
			}
			show := func(r *wire.Extracted) error {
				if c.json {
					return c.printJSON(r)
				}
				if r.Superseded {
					c.say("the page has moved on since")
				}
				_, err := fmt.Fprintf(c.out, "%s\n", r.Data)
				return err
			}
			ask := func(link *client.Client) error {
				var r wire.Extracted
				if err := link.Read(cmd.Context(), "extract", p, &r); err != nil {
					return err
				}
				return show(&r)
			}
			if isFile(p.Handle) {
				if p.Fresh {
					return usage("--fresh needs a handle: no page stands behind a file")
				}
				if args[0] == "-" && p.Handle == "-" {
					return usage("stdin can be one of the two only")
				}
				page, err := c.filePage(p.Handle)
				if err != nil {
					return err
				}
				data, err := extract.Extract(page, p.Schema, extract.Options{Locale: p.Locale})
				if err != nil {
					return told(err, "")
				}
				return show(&wire.Extracted{Data: data})
			}
			if p.Fresh {
				return c.with(cmd.Context(), ask)
			}
			return c.on(cmd.Context(), p.Handle, func(store *recovery.Store) error {
				r, err := snapshot.Extract(cmd.Context(), store, p.Handle, p.Schema, p.Locale)
				if err != nil {
					return err
				}
				return show(r)
			}, ask)
		},
	}
	cmd.Flags().StringVar(&p.Locale, "locale", "", "how numbers are written: "+strings.Join(locales, ", "))
	cmd.Flags().BoolVar(&p.Fresh, "fresh", false, "compare every uid with the page first")
	return c.live(cmd)
}

// schema reads the schema that an argument is or names.
func (c *command) schema(arg string) (json.RawMessage, error) {
	body := []byte(arg)
	var err error
	switch {
	case arg == "-":
		body, err = io.ReadAll(c.stdin)
	case !strings.HasPrefix(strings.TrimSpace(arg), "{"):
		body, err = os.ReadFile(arg)
	}
	if err != nil {
		return nil, usage("read the schema: %w", err)
	}
	if body = bytes.TrimSpace(body); !json.Valid(body) {
		return nil, usage("the schema is not well-formed JSON")
	}
	return body, nil
}
