// Package batch compresses many payload files into views: one view and one line
// of report each.
//
// It promises that a view is written whole or not at all; that what was done is
// not done again while its file, its view and the options are the same, however
// the run before ended; that a file that fails keeps no other from being done;
// that several runs may share one directory of views. Memory is that of the
// payloads at work: one for each job, and a large one alone.
//
// It refuses to write outside its directory, whatever the files are called.
package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"handrail/host/snapshot"
)

// share is how large a payload may be that is worked on beside others, in bytes.
const share = 8 << 20

// Run says what is to be done.
type Run struct {
	From    string    // a directory, a glob, or "-": a list of files, one a line
	List    io.Reader // that list
	Out     string    // directory of the views
	Jobs    int       // payloads worked on at once
	Options string    // by which the views are made: with others, what was done is done again

	Compress func(ctx context.Context, payload []byte) ([]byte, snapshot.Report, error)
	Report   func(Line) error // one at a time
	Step     func()           // a file is done, failed or skipped; nil is none
}

// Line is the report of one file.
type Line struct {
	File             string `json:"file"`
	View             string `json:"view,omitempty"` // below the directory of the views
	*snapshot.Report        // nil when there is an Error
	Error            string `json:"error,omitempty"`
	State            string `json:"state,omitempty"` // in the index: what the view was made of
}

// Summary counts files and the tokens of those done.
type Summary struct {
	Files, Done, Skipped, Failed int
	TokensBefore, TokensAfter    int64
}

// Do works until all files are done or ctx ends. The error says why the run could
// not go on; a file that failed is none.
func (r *Run) Do(ctx context.Context) (Summary, error) {
	if err := r.check(); err != nil {
		return Summary{}, err
	}
	out, err := openOutput(r.Out)
	if err != nil {
		return Summary{}, err
	}
	defer out.close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &work{Run: r, out: out, stop: stop, claimed: map[uint64]uint64{}}
	sources := make(chan source)
	var workers sync.WaitGroup
	for range max(r.Jobs, 1) {
		workers.Go(func() {
			for s := range sources {
				w.one(ctx, s)
			}
		})
	}
	err = r.each(func(s source) bool {
		select {
		case sources <- s:
			return true
		case <-ctx.Done():
			return false
		}
	})
	close(sources)
	workers.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return w.sum, err
}

// Count is how many files there are; it must not be asked of a list.
func (r *Run) Count() (n int, err error) {
	err = r.each(func(source) bool { n++; return true })
	return n, err
}

type work struct {
	*Run
	out   *output
	stop  context.CancelCauseFunc
	alone sync.RWMutex // held by a large payload

	mu      sync.Mutex // guards the rest
	claimed map[uint64]uint64
	sum     Summary
}

// errSkipped means that a file was done before.
var errSkipped = errors.New("done before")

// one does one file and reports it.
func (w *work) one(ctx context.Context, s source) {
	line := Line{File: s.path}
	report, err := w.make(ctx, s)
	if ctx.Err() != nil && (err != nil || failed(report)) {
		return // the run ends: neither done nor failed
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.Files++
	if w.Step != nil {
		w.Step()
	}
	switch {
	case err == errSkipped:
		w.sum.Skipped++
		return
	case err != nil:
		w.sum.Failed++
		line.Error = err.Error()
	case failed(report):
		w.sum.Failed++
		line.Report = report
	default:
		w.sum.Done++
		w.sum.TokensBefore += int64(report.TokensBefore)
		w.sum.TokensAfter += int64(report.TokensAfter)
		line.View, line.Report = s.view(), report
	}
	if err := w.Report(line); err != nil {
		w.stop(fmt.Errorf("write the report: %w", err))
	}
}

// failed says that a payload was declined. One that is smaller than its view is its
// own view.
func failed(r *snapshot.Report) bool { return r.Reason != "" && r.Reason != "not_smaller" }

// make gives a source its view.
func (w *work) make(ctx context.Context, s source) (*snapshot.Report, error) {
	if s.err != nil {
		return nil, s.err
	}
	if err := w.claim(s); err != nil {
		return nil, err
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no regular file (%s)", info.Mode().Type())
	}
	if w.out.has(s.view(), info, w.Options) {
		return nil, errSkipped
	}
	w.alone.RLock()
	payload, err := read(s.path, info.Size(), share)
	if errors.Is(err, snapshot.ErrTooLarge) {
		w.alone.RUnlock()
		w.alone.Lock()
		defer w.alone.Unlock()
		// Swept often it takes 3 times its size, 5 times otherwise; and no longer.
		defer debug.FreeOSMemory()
		defer debug.SetGCPercent(debug.SetGCPercent(10))
		debug.FreeOSMemory()
		payload, err = read(s.path, info.Size(), snapshot.MaxPayload)
	} else {
		defer w.alone.RUnlock()
	}
	if err != nil {
		return nil, err
	}
	view, report, err := w.Compress(ctx, payload)
	if err != nil || failed(&report) {
		return &report, err
	}
	return &report, w.out.put(s, view, info, w.Options, &report)
}

// claim sees to it that two files do not write one view.
func (w *work) claim(s source) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	view, path := hash(s.view()), hash(filepath.Clean(s.path))
	was, taken := w.claimed[view]
	w.claimed[view] = path
	switch {
	case !taken:
		return nil
	case was == path:
		return errSkipped
	}
	return fmt.Errorf("another file has the view %q", s.view())
}

func read(path string, size, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return snapshot.Unpack(f, size, limit)
}
