// Package cli is the command line. stdout holds what was asked for and nothing
// else; stderr holds reports and failures. Exit status: 0 done, 1 failed (the
// code on stderr), 2 used wrongly.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"handrail/host/client"
	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/host/words"
	"handrail/recovery"
)

// Main runs one command and returns its exit status.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A later signal ends what does not heed the first; one at once is the first
	// again, as timeout(1) sends it to the process and to its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	c := &command{in: in, stdin: &input{ctx: ctx, from: in}, out: out, errOut: errOut}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(wire.OnWaiting(ctx, c.waits))
	if err == nil {
		return 0
	}
	usage, used := errors.AsType[*usageError](err)
	switch {
	case errors.Is(err, errInterrupted):
		c.say("%s", wire.Fail(wire.Canceled, "interrupted while stdin was read"))
		return 1
	case used:
		c.say("%s", usage)
		return 2
	case !c.understood:
		c.say("%s; see %s --help", err, cmd.CommandPath())
		return 2
	}
	fault, ok := snapshot.Fault(err)
	if !ok {
		fault = wire.Fail(wire.Internal, "%v", err)
		fault.Hint = "put that right and try again"
	}
	c.say("%s", fault)
	for _, more := range words.Details(fault) {
		fmt.Fprintf(errOut, "  %s\n", words.Printable(more))
	}
	if fault.Code == wire.BadRequest {
		return 2
	}
	return 1
}

// say tells the person something beside what was asked for.
func (c *command) say(format string, args ...any) {
	fmt.Fprintf(c.errOut, "handrail: %s\n", words.Printable(fmt.Sprintf(format, args...)))
}

// usageError is a command that cannot be understood.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// command is what the subcommands share.
type command struct {
	in          io.Reader
	stdin       io.Reader // in, until a signal comes
	out, errOut io.Writer
	understood  bool // the command line was, and its command runs

	json     bool
	browser  string
	headless bool
	client   string
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "handrail",
		Short:         "See and use a page in your own Chrome",
		Long:          "Handrail reads a page as a few indented lines, acts on their uids, and gives back what they were made from.",
		Example:       "  handrail snapshot https://example.com --view\n  handrail act u9 click --then diff\n  handrail compress --type a11y < tree.json",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       wire.Version,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRun: func(*cobra.Command, []string) { c.understood = true },
	}
	root.SetVersionTemplate("handrail {{.Version}}\n")
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print one line of JSON")
	root.AddCommand(
		c.compress(), c.detect(), c.retrieve(), c.diff(), c.live(c.structure()), c.stats(), c.purge(), c.pin(), c.history(), c.export(),
		c.live(c.snapshot()), c.read(), c.find(), c.extract(), c.live(c.act()), c.live(c.resolve()), c.live(c.eval()), c.live(c.recover()), c.live(c.tabs()), c.live(c.navigate()), c.live(c.dialog()), c.live(c.wait()), c.live(c.screenshot()), c.live(c.policy()),
		c.closeBrowser(), c.install(), c.uninstall(), c.doctor(), c.version(), c.demo(), c.mcp(), c.keep(), c.man(),
	)
	root.SetOut(c.out) // first: completion takes it as it is now
	complete(root)
	return root
}

// live gives a command the flags that choose the browser and name the client.
func (c *command) live(cmd *cobra.Command) *cobra.Command {
	c.which(cmd)
	cmd.Flags().StringVar(&c.client, "client", "", "name of this client, to which uids belong (default HANDRAIL_CLIENT, else the terminal)")
	return cmd
}

// which gives a command the flags that choose the browser.
func (c *command) which(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.browser, "browser", "", "connected browser: its name, label or instance")
	cmd.Flags().BoolVar(&c.headless, "headless", false, "use the dedicated headless browser")
}

// printJSON prints one line.
func (c *command) printJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// openStore opens the store that this process is to use.
func (c *command) openStore() (*recovery.Store, error) {
	dir, err := state.Dir()
	if err != nil {
		return nil, wire.Fail(wire.NoStore, "%v", err)
	}
	store, err := recovery.Open(dir, recovery.Options{Ephemeral: state.Ephemeral()})
	if err != nil {
		return nil, named(err, dir)
	}
	if moved := store.Moved(); moved != "" {
		c.say("the store was damaged and has been moved to %q; a new one was begun", moved)
	}
	return store, nil
}

// named adds the directory to a failure of the store.
func named(err error, dir string) error {
	fault, ok := snapshot.Fault(err)
	if !ok {
		return err
	}
	fault.Message = fmt.Sprintf("%v (HANDRAIL_HOME is %q)", err, dir)
	return fault
}

// connect reaches the browser that is meant.
func (c *command) connect(ctx context.Context, running bool) (*client.Client, error) {
	dir, err := state.Dir()
	if err != nil {
		return nil, wire.Fail(wire.NoStore, "%v", err)
	}
	if c.browser != "" && c.headless {
		return nil, usage("--browser and --headless exclude each other")
	}
	return client.Connect(ctx, client.Choice{
		Dir: dir, Ephemeral: state.Ephemeral(), Browser: c.browser, Headless: c.headless, Running: running,
		Client: wire.Client{Kind: "cli", Name: c.clientName()},
		Warn:   func(text string) { c.say("warning: %s", text) },
	})
}

// clientName says whose uids these are: --client, HANDRAIL_CLIENT, the
// controlling terminal, or "cli" where there is none.
func (c *command) clientName() string {
	if c.client != "" {
		return c.client
	}
	if name := os.Getenv("HANDRAIL_CLIENT"); name != "" {
		return name
	}
	if name := terminal(); name != "" {
		return name
	}
	return "cli"
}

// terminal names the controlling terminal, to which the standard streams need
// not lead; "" when there is none or it cannot be known.
func terminal() string {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // state, parent, group, session, terminal
	if len(fields) < 5 {
		return ""
	}
	device, err := strconv.ParseUint(fields[4], 10, 32)
	if err != nil || device == 0 {
		return ""
	}
	if unix.Major(device) == 136 {
		return fmt.Sprintf("/dev/pts/%d", unix.Minor(device))
	}
	return fmt.Sprintf("terminal %d:%d", unix.Major(device), unix.Minor(device))
}
