package wire

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
)

// Handler answers a request: a result to be encoded (a json.RawMessage goes as
// it is), or an error; one that is no *Fault is sent as internal. ctx ends with
// the link or when the asker cancels.
type Handler func(ctx context.Context, method string, params json.RawMessage) (result any, err error)

// Options of a Conn. Zero values are those of a socket.
type Options struct {
	Part     int // largest frame written, in bytes (default PartToHost)
	MaxFrame int // largest frame read, in bytes (default MaxFrame)
	Handler  Handler
	Trace    func(direction string, bytes int)            // sees the size of each frame: "in" or "out"
	Panic    func(logID string, value any, stack []byte)  // told of a handler's panic
	Internal func(logID string, method string, err error) // told of an error that has no code
}

// Conn is JSON-RPC 2.0 in both directions over one link. Requests are handled
// concurrently; each message is written whole, its parts in a row.
type Conn struct {
	in   io.Reader
	out  io.Writer
	opt  Options
	done chan struct{}

	writing sync.Mutex

	mu      sync.Mutex
	ended   bool
	nextID  int64
	waiting map[int64]chan Message
	running map[int64]context.CancelFunc
}

// NewConn makes a Conn; Serve must run for it to live. When out is an
// io.Closer, Close closes it.
func NewConn(in io.Reader, out io.Writer, opt Options) *Conn {
	if opt.Part == 0 {
		opt.Part = PartToHost
	}
	if opt.MaxFrame == 0 {
		opt.MaxFrame = MaxFrame
	}
	return &Conn{
		in: newReader(in), out: out, opt: opt, done: make(chan struct{}),
		waiting: map[int64]chan Message{}, running: map[int64]context.CancelFunc{},
	}
}

// Serve reads messages until the link ends (nil) or breaks (a *Fault), then
// cancels what is running and fails what is waiting with detached.
func (c *Conn) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var handlers sync.WaitGroup
	defer handlers.Wait()
	defer c.end()
	defer cancel()
	var join Joiner
	for {
		frame, err := ReadFrame(c.in, c.opt.MaxFrame)
		if err != nil {
			var fault *Fault
			if errors.As(err, &fault) {
				c.reply(nil, nil, fault)
				return fault
			}
			return nil // the other end has gone, in whichever way
		}
		if c.opt.Trace != nil {
			c.opt.Trace("in", len(frame))
		}
		text, whole, err := join.Add(frame)
		if err != nil {
			c.reply(nil, nil, err)
			return err
		}
		if !whole {
			continue
		}
		m, err := ParseMessage(text)
		switch {
		case err != nil:
			c.reply(m.ID, nil, err)
		case m.Method == "":
			c.answer(m)
		case m.Method == "cancel":
			c.cancel(m.Params)
		default:
			handlers.Add(1)
			ctx, stop := context.WithCancel(ctx)
			if !c.begin(m.ID, stop) {
				c.reply(m.ID, nil, Fail(BadRequest, "request id %d is in use", *m.ID))
				stop()
				handlers.Done()
				continue
			}
			go func() {
				defer handlers.Done()
				defer c.finish(m.ID, stop)
				result, err := c.handle(ctx, m)
				if m.ID != nil {
					c.reply(m.ID, result, err)
				}
			}()
		}
	}
}

// handle runs the handler; its panic becomes an internal fault with a log id.
func (c *Conn) handle(ctx context.Context, m Message) (result any, err error) {
	defer func() {
		if value := recover(); value != nil {
			fault := Fail(Internal, "")
			fault.LogID = rand.Text()[:8]
			if c.opt.Panic != nil {
				c.opt.Panic(fault.LogID, value, debug.Stack())
			}
			result, err = nil, fault
		}
	}()
	if c.opt.Handler == nil {
		return nil, Fail(UnknownMethod, "no method %q", m.Method)
	}
	result, err = c.opt.Handler(ctx, m.Method, m.Params)
	var fault *Fault
	if err != nil && !errors.As(err, &fault) {
		fault = Fail(Internal, "")
		fault.LogID = rand.Text()[:8]
		if c.opt.Internal != nil {
			c.opt.Internal(fault.LogID, m.Method, err)
		}
		err = fault
	}
	return result, err
}

func (c *Conn) begin(id *int64, stop context.CancelFunc) bool {
	if id == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, used := c.running[*id]; used {
		return false
	}
	c.running[*id] = stop
	return true
}

func (c *Conn) finish(id *int64, stop context.CancelFunc) {
	stop()
	if id != nil {
		c.mu.Lock()
		delete(c.running, *id)
		c.mu.Unlock()
	}
}

func (c *Conn) cancel(params json.RawMessage) {
	var p CancelParams
	if Decode(params, &p) != nil {
		return // a notification has no answer
	}
	c.mu.Lock()
	stop := c.running[p.ID]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// answer hands a response to who waits for it; one that nobody waits for, since
// it was given up, is dropped.
func (c *Conn) answer(m Message) {
	c.mu.Lock()
	waiter := c.waiting[*m.ID]
	delete(c.waiting, *m.ID)
	c.mu.Unlock()
	if waiter != nil {
		waiter <- m
	}
}

// end fails all that waits.
func (c *Conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.ended = true
		close(c.done)
	}
}

// Call asks the other end and decodes its result into result, unless that is
// nil; a *json.RawMessage gets the bytes that came. The error is a *Fault: the
// other end's, detached when the link ends, timeout or canceled with ctx (the
// other end is told).
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	waiter := make(chan Message, 1)
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.waiting[id] = waiter
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return err
	}
	select {
	case m := <-waiter:
		return m.decode(method, result)
	case <-c.done:
		select { // the answer may have been the last thing that came
		case m := <-waiter:
			return m.decode(method, result)
		default:
			return Fail(Detached, "")
		}
	case <-ctx.Done():
		c.Notify("cancel", CancelParams{ID: id})
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Fail(Timeout, "no answer to %s in time", method)
		}
		return Fail(Canceled, "")
	}
}

func (m Message) decode(method string, result any) error {
	if m.Error != nil {
		if m.Error.Data != nil && m.Error.Data.Code != "" {
			return m.Error.Data
		}
		return Fail(Internal, "%s failed: %s", method, m.Error.Message)
	}
	switch into := result.(type) {
	case nil:
		return nil
	case *json.RawMessage:
		*into = m.Result
		return nil
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return Fail(BadRequest, "the answer to %s cannot be read: %v", method, err)
	}
	return nil
}

// Notify tells the other end.
func (c *Conn) Notify(method string, params any) error {
	return c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func (c *Conn) reply(id *int64, result any, err error) {
	m := map[string]any{"jsonrpc": "2.0", "id": id}
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		m["error"] = RPCError{rpcFault, fault.Message, fault}
	default:
		m["result"] = result
	}
	if err := c.send(m); errors.As(err, &fault) && fault.Code != Detached {
		c.send(map[string]any{"jsonrpc": "2.0", "id": id, "error": RPCError{rpcFault, fault.Message, fault}})
	}
}

// send writes a message, in parts where it must be.
func (c *Conn) send(m map[string]any) error {
	text, err := encode(m)
	if err != nil {
		return Fail(Internal, "a message cannot be encoded: %v", err)
	}
	frames, err := Parts(text, c.opt.Part)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	for _, frame := range frames {
		if c.opt.Trace != nil {
			c.opt.Trace("out", len(frame))
		}
		if err := WriteFrame(c.out, frame); err != nil {
			return Fail(Detached, "the link has ended: %v", err)
		}
	}
	return nil
}

// Done is closed when the link has ended: a Call that fails with detached
// before that was told so by the other end.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the link from this side.
func (c *Conn) Close() error {
	c.end()
	if closer, ok := c.out.(io.Closer); ok {
		if err := closer.Close(); err != nil {
			return fmt.Errorf("close link: %w", err)
		}
	}
	return nil
}
