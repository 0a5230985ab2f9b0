// Package cli is the command line. stdout holds what was asked for and nothing
// else; stderr holds reports and failures. Exit status: 0 done, 1 failed (the
// code on stderr), 2 used wrongly.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"handrail/host/client"
	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/recovery"
)

// Main runs one command and returns its exit status.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &command{in: in, out: out, errOut: errOut}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(errOut, "handrail: %s\n", usage.Error())
		return 2
	}
	fault, ok := snapshot.Fault(err)
	if !ok {
		fault = wire.Fail(wire.Internal, "%v", err)
	}
	fmt.Fprintf(errOut, "handrail: %s\n", fault.Error())
	for _, more := range details(fault) {
		fmt.Fprintf(errOut, "  %s\n", more)
	}
	return 1
}

// details are what a failure says beside its line.
func details(f *wire.Fault) (lines []string) {
	if f.Reason != "" {
		lines = append(lines, "reason: "+f.Reason)
	}
	if f.Now != "" {
		lines = append(lines, fmt.Sprintf("now: %q", f.Now))
	}
	if f.LogID != "" {
		lines = append(lines, "log id: "+f.LogID)
	}
	for _, c := range f.Candidates {
		uid := c.UID
		if uid == "" {
			uid = "no uid"
		}
		lines = append(lines, fmt.Sprintf("[%s] %s %q", uid, c.Role, c.Name))
	}
	return lines
}

// usageError is a command that cannot be understood.
type usageError struct{ error }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// command is what the subcommands share.
type command struct {
	in          io.Reader
	out, errOut io.Writer

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
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       wire.Version,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("handrail {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v; see handrail %s --help", err, cmd.Name())
	})
	flags := root.PersistentFlags()
	flags.BoolVar(&c.json, "json", false, "print one line of JSON")
	flags.StringVar(&c.browser, "browser", "", "connected browser: its name, label or instance")
	flags.BoolVar(&c.headless, "headless", false, "use the dedicated headless browser")
	flags.StringVar(&c.client, "client", "", "name of this client, to which uids belong (default HANDRAIL_CLIENT, else the terminal)")
	root.AddCommand(
		c.compress(), c.detect(), c.retrieve(),
		c.snapshot(), c.act(), c.resolve(), c.eval(), c.recover(), c.tabs(), c.navigate(), c.dialog(), c.closeBrowser(),
		c.install(), c.uninstall(), c.version(), c.demo(), c.keep(),
	)
	for _, sub := range root.Commands() {
		args := sub.Args
		sub.Args = func(cmd *cobra.Command, given []string) error {
			if err := args(cmd, given); err != nil {
				return usage("%v; see handrail %s --help", err, cmd.Name())
			}
			return nil
		}
	}
	return root
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
		fmt.Fprintf(c.errOut, "handrail: the store was damaged and has been moved to %q; a new one was begun\n", moved)
	}
	return store, nil
}

// named adds the directory to a failure of the store.
func named(err error, dir string) error {
	fault, ok := snapshot.Fault(err)
	if !ok {
		return err
	}
	fault.Message = fmt.Sprintf("%s: %v (HANDRAIL_HOME is %q)", fault.Message, err, dir)
	return fault
}

// connect reaches the browser that is meant.
func (c *command) connect(ctx context.Context) (*client.Client, error) {
	dir, err := state.Dir()
	if err != nil {
		return nil, wire.Fail(wire.NoStore, "%v", err)
	}
	return client.Connect(ctx, client.Choice{
		Dir: dir, Ephemeral: state.Ephemeral(), Browser: c.browser, Headless: c.headless,
		Client: wire.Client{Kind: "cli", Name: c.clientName()},
		Warn:   func(text string) { fmt.Fprintf(c.errOut, "handrail: warning: %s\n", text) },
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
	for _, f := range []string{"/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"} {
		if name, err := os.Readlink(f); err == nil && isTerminal(name) {
			return name
		}
	}
	return "cli"
}
