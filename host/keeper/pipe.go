package keeper

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// Pipe speaks CDP over --remote-debugging-pipe: JSON messages, each ended by a
// NUL. It starts, loads, wakes and closes; pages go through the extension.
type Pipe struct {
	out io.Writer

	mu      sync.Mutex
	next    int
	waiting map[int]chan answer
	ended   chan struct{}
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// NewPipe reads answers from in until it ends.
func NewPipe(in io.Reader, out io.Writer) *Pipe {
	p := &Pipe{out: out, waiting: map[int]chan answer{}, ended: make(chan struct{})}
	go p.read(in)
	return p
}

func (p *Pipe) read(in io.Reader) {
	defer close(p.ended)
	for r := bufio.NewReader(in); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID int `json:"id"`
			answer
		}
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil || m.ID == 0 {
			continue // an event
		}
		p.mu.Lock()
		waiter := p.waiting[m.ID]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		if waiter != nil {
			waiter <- m.answer
		}
	}
}

var errEnded = errors.New("the browser has ended")

// Call sends one command to the browser, or to a session of it, and decodes its
// result unless result is nil.
func (p *Pipe) Call(ctx context.Context, session, method string, params, result any) error {
	waiter := make(chan answer, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.waiting[id] = waiter
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = p.out.Write(append(text, 0))
	}
	p.mu.Unlock()
	if errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		err = errEnded
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case a := <-waiter:
		if a.Error != nil {
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-p.ended:
		return fmt.Errorf("%s: %w", method, errEnded)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
