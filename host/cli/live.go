package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handrail/host/client"
	"handrail/host/keeper"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/host/words"
)

// with runs f on a connection; to a browser that is started if need be.
func (c *command) with(ctx context.Context, f func(link *client.Client) error) error {
	return c.connected(ctx, false, f)
}

func (c *command) connected(ctx context.Context, running bool, f func(link *client.Client) error) error {
	defer c.busy()()
	link, err := c.connect(ctx, running)
	if err != nil {
		return err
	}
	defer link.Close()
	return f(link)
}

// newID makes an act's id.
func newID() string {
	id := make([]byte, 16)
	rand.Read(id)
	return hex.EncodeToString(id)
}

func (c *command) snapshot() *cobra.Command {
	var params wire.SnapshotParams
	var view bool
	var flags *viewFlags
	var frames int
	cmd := &cobra.Command{
		Use:   "snapshot [URL] [QUERY]",
		Short: "Read a page",
		Long: "Reads the current tab, or the page at URL, and prints one JSON object: the view, its recovery handle and its token counts.\n" +
			"With --view it prints the lines alone.",
		Example: "  handrail snapshot https://example.com --view\n  handrail snapshot --query save\n  handrail snapshot https://example.com more --view",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := flags.request(); err != nil {
				return err
			}
			params.ViewOptions = flags.options()
			if cmd.Flags().Changed("max-frames") {
				params.MaxFrames = &frames
			}
			if len(args) > 0 {
				params.URL = args[0]
			}
			if len(args) > 1 {
				if params.Query != "" {
					return usage("the query is given twice: %q and --query %q", args[1], params.Query)
				}
				params.Query = args[1]
			}
			if params.URL != "" && !isURL(params.URL) {
				return usage("%q is no address: begin it with https://, or give a query with --query", params.URL)
			}
			return c.with(cmd.Context(), func(link *client.Client) error {
				ask := link.Read
				if params.URL != "" && !link.Welcome.Dedicated {
					ask = link.Once // it opens a tab
				}
				var raw json.RawMessage
				if err := ask(cmd.Context(), "snapshot", params, &raw); err != nil {
					return err
				}
				return c.printSnapshot(raw, view)
			})
		},
	}
	cmd.Flags().BoolVar(&view, "view", false, "print the view alone")
	flags = addViewFlags(cmd, "")
	cmd.Flags().IntVar(&frames, "max-frames", 16, "child frames to read at most")
	cmd.Flags().IntVar(&params.FrameMs, "frame-ms", 0, "ms for each child frame (default 3000)")
	cmd.Flags().IntVar(&params.FramesMs, "frames-ms", 0, "ms for all child frames (default 12000)")
	cmd.Flags().BoolVar(&params.Reveal, "reveal", false, "show the values of secret fields, but never of passwords, this once")
	cmd.Flags().IntVar(&params.Tab, "tab", 0, "number of the tab (default the current one)")
	return cmd
}

// isURL tells an address from a word; whether it may be opened is for others to say.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != ""
}

// actions are what act does, and what it takes behind its name.
var actions = []struct{ name, takes string }{
	{"click", ""}, {"type", "TEXT"}, {"set_field", "TEXT"}, {"select", "VALUE…"}, {"check", "on|off"}, {"press", "KEY"}, {"hover", ""}, {"focus", ""},
	{"blur", ""}, {"drag", "[UID]"}, {"scroll", ""}, {"set_value", "VALUE"}, {"upload", "FILE…"},
}

func (c *command) act() *cobra.Command {
	var p wire.ActParams
	var expect, offset string
	var names, uses []string
	for _, a := range actions {
		names = append(names, a.name)
		uses = append(uses, strings.TrimSpace(a.name+" "+a.takes))
	}
	cmd := &cobra.Command{
		Use:   "act UID ACTION [WHAT…]",
		Short: "Act on a uid, once",
		Long: "Does one act on the node that the uid named when it was shown, or refuses with the reason. An act happens at most once:\n" +
			"the same --act-id again gives the recorded result. Where UID is -, press acts on what has the focus and scroll on the page.\n\n" +
			"Actions: " + strings.Join(uses, ", "),
		Example: "  handrail act u9 click\n  handrail act ub type ops@example.com --clear --submit\n  handrail act uc select Germany\n" +
			"  handrail act ud check on\n  handrail act - press Control+a\n  handrail act ue drag uf",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.UID, p.Action = args[0], args[1]
			if p.UID == "-" {
				p.UID = ""
			}
			if err := oneOf("act", p.Action, names); err != nil {
				return err
			}
			if err := take(&p, args[2:]); err != nil {
				return err
			}
			if cmd.Flags().Changed("expect") {
				p.Expect = &expect
			}
			if offset != "" {
				p.Offset = &wire.Offset{}
				if n, err := fmt.Sscanf(offset, "%g,%g", &p.Offset.X, &p.Offset.Y); n != 2 || err != nil {
					return usage("an offset is X,Y in px, not %q", offset)
				}
			}
			if p.ActID == "" {
				p.ActID = newID()
			}
			return c.with(cmd.Context(), func(link *client.Client) error {
				return c.do(cmd.Context(), link, "act", p)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&p.Clear, "clear", false, "type: replace what is there")
	f.BoolVar(&p.Submit, "submit", false, "type, set_field: submit the form afterwards")
	f.BoolVar(&p.Keys, "keys", false, "type, set_field: key by key")
	f.BoolVar(&p.Secret, "secret", false, "type, set_field: the field is secret from now on")
	f.StringVar(&p.Button, "button", "", "click: left, middle or right")
	f.IntVar(&p.Count, "count", 0, "click: 2 is a double click")
	f.StringSliceVar(&p.Modifiers, "modifiers", nil, "click: Alt, Control, Meta, Shift")
	f.BoolVar(&p.Second, "second", false, "click: once more by script where a plain element did not respond")
	f.Float64Var(&p.Pages, "pages", 0, "scroll: so many views down, negative up (default only into view)")
	f.StringVar(&p.Until, "until", "", "scroll: until this text is there")
	f.StringVar(&offset, "offset", "", "drag: by X,Y px")
	f.BoolVar(&p.Again, "again", false, "a form that was submitted a moment ago is meant again")
	f.BoolVar(&p.Settle, "settle", false, "wait until the page is quiet")
	f.StringVar(&p.Then, "then", "", "diff: then say what is different on the page")
	f.StringVar(&p.Handle, "handle", "", "recovery handle of the view that the uid is from (default the newest that showed it)")
	f.StringVar(&p.ActID, "act-id", "", "id of the act, 32 hex digits (default a new one)")
	f.StringVar(&expect, "expect", "", "accept the node under this new name")
	f.IntVar(&p.TimeoutMs, "timeout", 0, "ms to wait until the node can be acted on (default 2000)")
	f.IntVar(&p.Tab, "tab", 0, "number of the tab, where UID is - (default the current one)")
	return cmd
}

// taken is what an action takes behind its name.
func taken(action string) string {
	for _, a := range actions {
		if a.name == action {
			return a.takes
		}
	}
	return ""
}

// take gives an act what stands behind its name.
func take(p *wire.ActParams, what []string) error {
	one := func() (string, error) {
		if len(what) != 1 {
			return "", usage("say what to %s: handrail act UID %s %s", p.Action, p.Action, taken(p.Action))
		}
		return what[0], nil
	}
	var err error
	switch p.Action {
	case "type", "set_field":
		var text string
		if text, err = one(); err == nil {
			p.Text = &text
		}
	case "press":
		p.Key, err = one()
	case "check":
		var word string
		if word, err = one(); err == nil {
			on := word == "on"
			if p.On = &on; word != "on" && word != "off" {
				err = usage("check takes on or off, not %q", word)
			}
		}
	case "select", "set_value":
		if p.Values = what; len(what) == 0 {
			err = usage("say which value: handrail act %s %s VALUE", p.UID, p.Action)
		}
	case "upload":
		for _, name := range what {
			file, err := filepath.Abs(name)
			if err != nil {
				return usage("find %q: %v", name, err)
			}
			p.Files = append(p.Files, file)
		}
		if len(what) == 0 {
			err = usage("say which files: handrail act %s upload FILE", p.UID)
		}
	case "drag":
		if len(what) == 1 {
			p.To = what[0]
		} else if len(what) > 1 {
			err = usage("drag goes to one uid")
		}
	default:
		if len(what) > 0 {
			err = usage("%s takes no text: %q", p.Action, what)
		}
	}
	return err
}

// do asks for an act and prints its evidence.
func (c *command) do(ctx context.Context, link *client.Client, method string, params any) error {
	var raw json.RawMessage
	if err := link.Act(ctx, method, params, &raw); err != nil {
		return err
	}
	if c.json {
		_, err := fmt.Fprintf(c.out, "%s\n", raw)
		return err
	}
	var r wire.ActResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("read the evidence: %w", err)
	}
	if _, err := fmt.Fprintln(c.out, words.Printable(words.Evidence(r))); err != nil || r.Diff == "" {
		return err
	}
	_, err := fmt.Fprintln(c.out, r.Diff)
	return err
}

func (c *command) navigate() *cobra.Command {
	var p wire.NavigateParams
	var back, forward, reload bool
	cmd := &cobra.Command{
		Use:     "navigate URL | --back | --forward | --reload",
		Short:   "Move the current tab",
		Example: "  handrail navigate https://example.com\n  handrail navigate --back",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := 0
			for action, on := range map[string]bool{"url": len(args) == 1, "back": back, "forward": forward, "reload": reload} {
				if on {
					asked++
					p.Action = action
				}
			}
			if asked != 1 {
				return usage("say one of URL, --back, --forward and --reload")
			}
			if len(args) == 1 {
				p.URL = args[0]
			}
			p.ActID = newID()
			return c.with(cmd.Context(), func(link *client.Client) error {
				return c.do(cmd.Context(), link, "navigate", p)
			})
		},
	}
	cmd.Flags().BoolVar(&back, "back", false, "go back")
	cmd.Flags().BoolVar(&forward, "forward", false, "go forward")
	cmd.Flags().BoolVar(&reload, "reload", false, "load again")
	cmd.Flags().IntVar(&p.Tab, "tab", 0, "number of the tab (default the current one)")
	cmd.Flags().IntVar(&p.TimeoutMs, "timeout", 0, "ms to wait for the load (default 15000)")
	return cmd
}

func (c *command) wait() *cobra.Command {
	var p wire.WaitParams
	cmd := &cobra.Command{
		Use:     "wait --text TEXT | --gone TEXT | --uid UID [--state STATE] | --url PATTERN | --stable | --quiet | --ms N",
		Short:   "Wait until something holds",
		Long:    "Waits until one thing holds in the current tab, 10 s by default. Ends with status 1 when it does not come.",
		Example: "  handrail wait --text \"Saved\"\n  handrail wait --url '*/orders/*'\n  handrail wait --uid u9 --state enabled",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			said := 0
			for _, is := range []bool{p.Text != "", p.Gone != "", p.UID != "", p.URL != "", p.Stable, p.Quiet, p.Ms != 0} {
				if is {
					said++
				}
			}
			if said != 1 {
				return usage("say what to wait for, one of --text, --gone, --uid, --url, --stable, --quiet and --ms")
			}
			return c.connected(cmd.Context(), true, func(link *client.Client) error {
				var r wire.Waited
				if err := link.Read(cmd.Context(), "wait", p, &r); err != nil {
					return err
				}
				line, late := words.Waited(r)
				if c.json {
					if err := c.printJSON(r); err != nil {
						return err
					}
				} else if late == nil {
					fmt.Fprintln(c.out, words.Printable(line))
				}
				return late
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.Text, "text", "", "this text stands on the page")
	f.StringVar(&p.Gone, "gone", "", "this text stands there no more")
	f.StringVar(&p.UID, "uid", "", "the node of this uid is in a state")
	f.StringVar(&p.State, "state", "", "visible (default), hidden, enabled, disabled, checked, unchecked, gone")
	f.StringVar(&p.Handle, "handle", "", "recovery handle of the view that the uid is from")
	f.StringVar(&p.URL, "url", "", "the address holds this; * stands for anything")
	f.BoolVar(&p.Stable, "stable", false, "nothing changes on the page")
	f.BoolVar(&p.Quiet, "quiet", false, "no request is under way")
	f.IntVar(&p.Ms, "ms", 0, "so many ms")
	f.IntVar(&p.TimeoutMs, "timeout", 0, "ms to wait at most (default 10000)")
	f.IntVar(&p.Tab, "tab", 0, "number of the tab (default the current one)")
	return cmd
}

func (c *command) screenshot() *cobra.Command {
	var p wire.ScreenshotParams
	cmd := &cobra.Command{
		Use:     "screenshot FILE.png",
		Short:   "Take a picture of the page or of a node",
		Long:    "Writes a PNG of the viewport, of a node (--uid) or of the whole page (--full). With --marks the uids are drawn on their nodes.",
		Example: "  handrail screenshot page.png --marks\n  handrail screenshot chart.png --uid u5f",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writable(args[0]); err != nil {
				return err
			}
			return c.connected(cmd.Context(), true, func(link *client.Client) error {
				var r wire.Picture
				if err := link.Read(cmd.Context(), "screenshot", p, &r); err != nil {
					return err
				}
				if err := os.WriteFile(args[0], r.PNG, 0o600); err != nil {
					return usage("write the picture: %w", err)
				}
				if c.json {
					return c.printJSON(map[string]any{"file": args[0], "width": r.Width, "height": r.Height, "marked": r.Marked})
				}
				_, err := fmt.Fprintf(c.out, "%s: %d × %d\n", args[0], r.Width, r.Height)
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.UID, "uid", "", "of this node")
	f.StringVar(&p.Handle, "handle", "", "recovery handle of the view that uids are from")
	f.BoolVar(&p.Full, "full", false, "of the whole page")
	f.BoolVar(&p.Marks, "marks", false, "with uids drawn on their nodes")
	f.IntVar(&p.Tab, "tab", 0, "number of the tab (default the current one)")
	return cmd
}

func (c *command) dialog() *cobra.Command {
	var p wire.DialogParams
	cmd := &cobra.Command{
		Use:     "dialog accept|dismiss [TEXT]",
		Short:   "Answer the dialog that the page has open",
		Example: "  handrail dialog dismiss\n  handrail dialog accept \"my answer\"",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "accept":
				p.Accept = true
			case "dismiss":
				if len(args) == 2 {
					return usage("a dialog that is dismissed takes no text")
				}
			default:
				return usage("say accept or dismiss, not %q", args[0])
			}
			if len(args) == 2 {
				p.Text = &args[1]
			}
			p.ActID = newID()
			return c.connected(cmd.Context(), true, func(link *client.Client) error {
				return c.do(cmd.Context(), link, "dialog", p)
			})
		},
	}
	cmd.Flags().IntVar(&p.Tab, "tab", 0, "number of the tab (default the current one)")
	return cmd
}

func (c *command) eval() *cobra.Command {
	p := wire.EvalParams{}
	cmd := &cobra.Command{
		Use:     "eval EXPRESSION",
		Short:   "Run a JavaScript expression in the current tab and print its value as JSON",
		Example: "  handrail eval document.title",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Expression, p.ActID = args[0], newID()
			return c.with(cmd.Context(), func(link *client.Client) error {
				if c.json {
					return c.do(cmd.Context(), link, "eval", p)
				}
				var r wire.ActResult
				if err := link.Act(cmd.Context(), "eval", p, &r); err != nil {
					return err
				}
				if r.Value == nil {
					r.Value = json.RawMessage("null")
				}
				_, err := fmt.Fprintf(c.out, "%s\n", r.Value)
				return err
			})
		},
	}
	cmd.Flags().IntVar(&p.Tab, "tab", 0, "number of the tab (default the current one)")
	cmd.Flags().IntVar(&p.TimeoutMs, "timeout", 0, "ms to wait for the value")
	return cmd
}

func (c *command) resolve() *cobra.Command {
	var p wire.ResolveParams
	cmd := &cobra.Command{
		Use:     "resolve UID | --all",
		Short:   "Say whether uids still are what they were",
		Example: "  handrail resolve u9\n  handrail resolve --all --handle hr_0123…",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == p.All {
				return usage("say either a UID or --all")
			}
			if len(args) == 1 {
				p.UID = args[0]
			}
			return c.connected(cmd.Context(), true, func(link *client.Client) error {
				var r wire.InspectResult
				if err := link.Read(cmd.Context(), "resolve", p, &r); err != nil {
					return err
				}
				if c.json {
					return c.printJSON(r)
				}
				for _, n := range r.Nodes {
					fmt.Fprintln(c.out, words.Printable(words.NodeState(n)))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&p.All, "all", false, "all uids of the view")
	cmd.Flags().StringVar(&p.Handle, "handle", "", "recovery handle of the view (default the newest)")
	return cmd
}

func (c *command) recover() *cobra.Command {
	var p wire.RecoverParams
	var frame int
	cmd := &cobra.Command{
		Use:     "recover HANDLE",
		Short:   "Print the payload behind a view of the connected browser, byte for byte",
		Example: "  handrail recover hr_0123… | sha256sum\n  handrail recover hr_0123… --frame 0",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := frameFlag(cmd, frame, p.UIDs)
			if err != nil {
				return err
			}
			p.Handle, p.Frame = args[0], at
			return c.connected(cmd.Context(), true, func(link *client.Client) error {
				var r wire.RecoverResult
				if err := link.Read(cmd.Context(), "recover", p, &r); err != nil {
					return unknown(err, args[0])
				}
				return c.printBytes(r.Payload, p.UIDs)
			})
		},
	}
	recoverFlags(cmd, &p.UIDs, &frame)
	return cmd
}

func (c *command) tabs() *cobra.Command {
	var p wire.TabsParams
	cmd := &cobra.Command{
		Use:     "tabs [list | open [URL] | close TAB | select TAB]",
		Short:   "List, open, close or select tabs",
		Example: "  handrail tabs\n  handrail tabs open https://example.com\n  handrail tabs close 12",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Action = args[0]
			}
			switch p.Action {
			case "", "list":
				if len(args) > 1 {
					return usage("list takes nothing")
				}
			case "open":
				if len(args) > 1 {
					p.URL = args[1]
				}
			case "close", "select":
				if len(args) < 2 {
					return usage("say which tab: handrail tabs %s TAB", p.Action)
				}
				tab, err := strconv.Atoi(args[1])
				if err != nil {
					return usage("%q is no tab's number", args[1])
				}
				p.Tab = tab
			default:
				return usage("no action %q: there are list, open, close and select", p.Action)
			}
			return c.with(cmd.Context(), func(link *client.Client) error {
				ask := link.Read
				if p.Action != "" && p.Action != "list" {
					ask = link.Once
				}
				var r wire.TabsResult
				if err := ask(cmd.Context(), "tabs", p, &r); err != nil {
					return err
				}
				if c.json {
					return c.printJSON(r)
				}
				for _, tab := range r.Tabs {
					fmt.Fprintln(c.out, words.Printable(words.Tab(tab)))
				}
				return nil
			})
		},
	}
	return cmd
}

func (c *command) closeBrowser() *cobra.Command {
	return &cobra.Command{
		Use:     "close",
		Short:   "Close the dedicated browser",
		Long:    "Closes the dedicated browsers of this state directory and waits until they are gone. A browser of your own is left alone.",
		Example: "  handrail close",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := state.Dir()
			if err != nil {
				return wire.Fail(wire.NoStore, "%v", err)
			}
			closed, err := closeAll(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(map[string]bool{"closed": closed})
			}
			if !closed {
				_, err = fmt.Fprintln(c.out, "no dedicated browser was running")
				return err
			}
			_, err = fmt.Fprintln(c.out, "closed the dedicated browser")
			return err
		},
	}
}

// closeAll closes the dedicated browsers of a state directory, and tells whether
// there were any.
func closeAll(ctx context.Context, dir string) (closed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for _, ephemeral := range []bool{false, true} {
		running, err := keeper.Close(ctx, dir, ephemeral)
		if err != nil {
			return closed, err
		}
		closed = closed || running
	}
	return closed, nil
}
