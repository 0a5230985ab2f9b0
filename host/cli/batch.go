package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"handrail/host/batch"
	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/recovery"
)

// batchFlags are those of compress that make it a batch.
type batchFlags struct {
	from, out string
	jobs      int
	store     bool
}

func addBatchFlags(cmd *cobra.Command) *batchFlags {
	b := &batchFlags{}
	f := cmd.Flags()
	f.StringVar(&b.from, "batch", "", "compress many files: a directory, a glob (** crosses directories), or - for a list on stdin")
	f.StringVar(&b.out, "out", "", "batch: directory of the views, each NAME.txt")
	f.IntVar(&b.jobs, "jobs", runtime.NumCPU(), "batch: files worked on at once")
	f.BoolVar(&b.store, "store", true, "batch: record the payloads, so that they can be recovered")
	return b
}

// check refuses flags that do not fit, of a batch and of a single file.
func (b *batchFlags) check(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("batch") {
		for _, name := range []string{"out", "jobs", "store"} {
			if cmd.Flags().Changed(name) {
				return usage("--%s goes with --batch", name)
			}
		}
		return nil
	}
	switch {
	case b.from == "":
		return usage("--batch takes a directory, a glob or -")
	case len(args) > 0:
		return usage("--batch takes no FILE beside it: quote a glob, or list files on stdin with --batch -")
	case b.out == "":
		return usage("say where the views go: --out DIR")
	case b.jobs < 1:
		return usage("--jobs is at least 1")
	}
	return nil
}

// batch compresses many files. Reports go to stdout, one line of JSON each, a bar
// and the summary to stderr.
func (c *command) batch(ctx context.Context, b *batchFlags, req snapshot.Request, options wire.ViewOptions) error {
	// In memory a batch records nothing: its handles would end with it, its payloads would not.
	req.Unrecorded = !b.store || state.Ephemeral()
	canonical, err := json.Marshal(struct {
		Version    string
		Unrecorded bool
		wire.ViewOptions
	}{wire.Version, req.Unrecorded, options})
	if err != nil {
		return err
	}
	run := &batch.Run{From: b.from, List: c.stdin, Out: b.out, Jobs: b.jobs, Options: string(canonical)}
	if req.Unrecorded && req.Since != "" {
		return usage("--since needs the store")
	}
	var store *recovery.Store
	if !req.Unrecorded {
		if store, err = c.openStore(); err != nil {
			return err
		}
		defer store.Close()
	}
	run.Compress = func(ctx context.Context, payload []byte) ([]byte, snapshot.Report, error) {
		return snapshot.Compress(ctx, store, payload, req)
	}
	run.Report = func(line batch.Line) error { return c.printJSON(line) }
	began := time.Now()
	done := c.progress(run)
	sum, err := run.Do(ctx)
	done()
	if sum.Files > 0 || err == nil {
		c.say("%d files in %s: %d done, %d as before, %d failed; %d tokens became %d",
			sum.Files, time.Since(began).Round(10*time.Millisecond), sum.Done, sum.Skipped, sum.Failed, sum.TokensBefore, sum.TokensAfter)
	}
	switch {
	case errors.Is(err, context.Canceled):
		fault := wire.Fail(wire.Canceled, "the batch was interrupted")
		fault.Hint = "run it again to go on"
		return fault
	case errors.Is(err, batch.ErrNone), errors.Is(err, batch.ErrWithin):
		return usage("%w", err)
	case err != nil:
		fault := wire.Fail(wire.BadRequest, "%v", err)
		fault.Hint = "put that right, and run it again to go on"
		return fault
	case sum.Failed > 0:
		return wire.Fail(wire.Declined, "%d of %d files have no view", sum.Failed, sum.Files)
	}
	return nil
}

// progress shows a bar where a person sees it and nothing else is shown.
func (c *command) progress(run *batch.Run) (done func()) {
	if !terminalAt(c.errOut) || terminalAt(c.out) {
		return func() {}
	}
	total := -1
	if run.From != "-" {
		if n, err := run.Count(); err == nil {
			total = n
		}
	}
	bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(c.errOut), progressbar.OptionSetDescription("compress"),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	run.Step = func() { bar.Add(1) }
	return func() { bar.Finish() }
}

// busy shows a person who waits at a terminal that the browser is at work, once that
// has lasted a second.
func (c *command) busy() (done func()) {
	if !terminalAt(c.errOut) {
		return func() {}
	}
	ended := make(chan struct{})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-ended:
			return
		case <-time.After(time.Second):
		}
		bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(c.errOut), progressbar.OptionSetDescription("the browser is at work"),
			progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish())
		for {
			select {
			case <-ended:
				bar.Finish()
				return
			case <-time.After(100 * time.Millisecond):
				bar.Add(1)
			}
		}
	}()
	return func() { close(ended); <-gone }
}

func terminalAt(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
