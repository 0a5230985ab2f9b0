package cli

import (
	"context"
	"errors"
	"io"
)

// errInterrupted means that a signal came while stdin was waited for.
var errInterrupted = errors.New("interrupted")

// input reads until ctx ends: from a terminal or a pipe nothing may ever come.
type input struct {
	ctx  context.Context
	from io.Reader
	buf  [64 << 10]byte // a read that is given up may still write here
}

func (in *input) Read(p []byte) (int, error) {
	if in.ctx.Err() != nil {
		return 0, errInterrupted
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := in.from.Read(in.buf[:min(len(p), len(in.buf))])
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, in.buf[:r.n]), r.err
	case <-in.ctx.Done():
		return 0, errInterrupted
	}
}
