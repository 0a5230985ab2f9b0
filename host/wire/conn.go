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
// it is), or an error; one that is no *Fault, nor the end of ctx, is sent as
// internal. ctx ends with the link or when the asker cancels.
type Handler func(ctx context.Context, method string, params json.RawMessage) (result any, err error)

// Options of a Conn. Zero values are those of a socket.
type Options struct {
	Part     int // largest frame written, in bytes (default PartToHost)
	MaxFrame int // largest frame read, in bytes (default MaxFrame)
	Handler  Handler
	Trace    func(direction string, bytes int)           // sees the size of each frame: "in" or "out"
	Panic    func(logID string, value any, stack []byte) // told of a handler's panic
	Internal func(logID string, what string, err error)  // told of an error that has no code, in a method or its answer
}

// Conn is JSON-RPC 2.0 in both directions over one link. Requests are handled
// concurrently; each message is written whole, its parts in a row.
type Conn struct {
	in   io.Reader
	out  io.Writer
	opt  Options
	turn chan struct{} // held by who writes
	done chan struct{} // closed when nothing more comes
	shut chan struct{} // closed when nothing more can go

	ending, closing sync.Once

	mu      sync.Mutex
	nextID  int64
	waiting map[int64]chan Message
	told    map[int64]func(Waiting)
	running map[int64]context.CancelFunc
}

// NewConn makes a Conn; Serve must run for it to live. When out is an
// io.Closer it is closed when the link ends.
func NewConn(in io.Reader, out io.Writer, opt Options) *Conn {
	if opt.Part == 0 {
		opt.Part = PartToHost
	}
	if opt.MaxFrame == 0 {
		opt.MaxFrame = MaxFrame
	}
	return &Conn{
		in: newReader(in), out: out, opt: opt, turn: make(chan struct{}, 1), done: make(chan struct{}), shut: make(chan struct{}),
		waiting: map[int64]chan Message{}, told: map[int64]func(Waiting){}, running: map[int64]context.CancelFunc{},
	}
}

// Serve reads messages until the link ends (nil) or breaks (a *Fault, told to
// the other end), then cancels what is running, fails what is waiting with
// detached, and closes the link when the last answers have gone. The end of ctx
// cancels what is running; to end the link, Close it.
func (c *Conn) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var handlers sync.WaitGroup
	defer c.Close()
	defer handlers.Wait()
	defer c.end()
	defer cancel()
	var join Joiner
	for {
		text, err := c.read(&join)
		if fault, broken := errors.AsType[*Fault](err); broken {
			c.send(ctx, failure(nil, fault))
			return fault
		}
		if err != nil {
			return nil // the other end has gone, in whichever way
		}
		m, err := ParseMessage(text)
		if fault, bad := errors.AsType[*Fault](err); bad {
			if m.ID == nil || m.Method != "" {
				c.send(ctx, failure(m.ID, fault))
				continue
			}
			m.unread = fault // ends its request
		}
		switch m.Method {
		case "":
			c.answer(m)
		case "cancel":
			c.cancel(m.Params)
		case "waiting":
			c.waits(m.Params)
		default:
			ctx, stop := context.WithCancel(withID(ctx, m.ID))
			if !c.begin(m.ID, stop) {
				c.send(ctx, failure(m.ID, Fail(BadRequest, "request id %d is in use", *m.ID)))
				stop()
				continue
			}
			handlers.Go(func() {
				defer c.finish(m.ID, stop)
				c.reply(m.ID, m.Method, func() (any, error) { return c.opt.Handler(ctx, m.Method, m.Params) })
			})
		}
	}
}

// read gives the next whole message.
func (c *Conn) read(join *Joiner) ([]byte, error) {
	for {
		frame, err := ReadFrame(c.in, c.opt.MaxFrame)
		if err != nil {
			return nil, err
		}
		if c.opt.Trace != nil {
			c.opt.Trace("in", len(frame))
		}
		if text, whole, err := join.Add(frame); whole || err != nil {
			return text, err
		}
	}
}

// begin notes that a request runs, unless its id is in use.
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

type (
	waitingKey struct{}
	idKey      struct{}
)

// OnWaiting makes a Call under ctx tell when it waits for a person's approval. f
// must not block.
func OnWaiting(ctx context.Context, f func(Waiting)) context.Context {
	return context.WithValue(ctx, waitingKey{}, f)
}

// waits tells who called that the other end waits for the person.
func (c *Conn) waits(params json.RawMessage) {
	var p Waiting
	if Decode(params, &p) != nil {
		return // a notification has no answer
	}
	c.mu.Lock()
	tell := c.told[p.ID]
	c.mu.Unlock()
	if tell != nil {
		tell(p)
	}
}

// RequestID is the id under which the other end knows the request that a Handler
// answers; 0 for a notification.
func RequestID(ctx context.Context) int64 {
	id, _ := ctx.Value(idKey{}).(int64)
	return id
}

func withID(ctx context.Context, id *int64) context.Context {
	if id == nil {
		return ctx
	}
	return context.WithValue(ctx, idKey{}, *id)
}

// answer hands a response to who waits for it; one that nobody waits for, since
// it was given up or answers nothing of ours, is dropped.
func (c *Conn) answer(m Message) {
	if m.ID == nil {
		return
	}
	c.mu.Lock()
	waiter := c.waiting[*m.ID]
	delete(c.waiting, *m.ID)
	c.mu.Unlock()
	if waiter != nil {
		waiter <- m
	}
}

// reply answers a request with what the handler gives. It is the dispatch edge:
// a panic ends here, as an internal fault with a log id.
func (c *Conn) reply(id *int64, method string, handler func() (any, error)) {
	result, err := func() (result any, err error) {
		defer func() {
			if value := recover(); value != nil {
				fault := Fail(Internal, "")
				fault.LogID = logID()
				if c.opt.Panic != nil {
					c.opt.Panic(fault.LogID, value, debug.Stack())
				}
				err = fault
			}
		}()
		if c.opt.Handler == nil {
			return nil, Fail(UnknownMethod, "there is no method %.60q here", method)
		}
		return handler()
	}()
	m := Message{ID: id}
	if err == nil {
		m.Result, err = raw(result)
	}
	if err != nil {
		m = failure(id, c.fault(method, err))
	}
	if id == nil {
		return
	}
	background := context.Background() // an answer is due although the request was canceled
	if fault, ok := errors.AsType[*Fault](c.send(background, m)); ok && fault.Code == TooLarge {
		c.send(background, failure(id, fault))
	}
}

// fault gives an error its code.
func (c *Conn) fault(method string, err error) *Fault {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Fail(Canceled, "")
	case errors.Is(err, context.DeadlineExceeded):
		return Fail(Timeout, "")
	}
	return c.internal(method, err)
}

// internal tells of an error that has no code.
func (c *Conn) internal(what string, err error) *Fault {
	fault := Fail(Internal, "")
	fault.LogID = logID()
	if c.opt.Internal != nil {
		c.opt.Internal(fault.LogID, what, err)
	}
	return fault
}

func logID() string { return rand.Text()[:8] }

// Call asks the other end and decodes its result into result, unless that is
// nil; a *json.RawMessage gets the bytes that came. The error is a *Fault: the
// other end's; detached when the link ends; when ctx does, its cause if that is
// a Fault, else timeout or canceled, and the other end is told to cancel.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	m := Message{Method: method}
	var err error
	if m.Params, err = raw(params); err != nil {
		return c.fault(method, err)
	}
	waiter := make(chan Message, 1)
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.waiting[id] = waiter
	if tell, ok := ctx.Value(waitingKey{}).(func(Waiting)); ok {
		c.told[id] = tell
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		delete(c.told, id)
		c.mu.Unlock()
	}()
	m.ID = &id
	unsent := make(chan error, 1)
	go func() { // the other end may not be reading
		if err := c.send(ctx, m); err != nil {
			unsent <- err
		}
	}()
	var gone *Fault
	select {
	case answer := <-waiter:
		return c.result(method, answer, result)
	case err := <-unsent:
		return err
	case <-ctx.Done():
		gone = ended(ctx)
		go c.Notify("cancel", CancelParams{ID: id})
	case <-c.done:
		gone = Fail(Detached, "")
	}
	select {
	case answer := <-waiter: // at the last moment
		return c.result(method, answer, result)
	default:
		return gone
	}
}

// result decodes the answer to a call. What an answer that cannot be read did
// is not known.
func (c *Conn) result(method string, answer Message, into any) error {
	err := answer.unread
	if answer.Error != nil && err == nil {
		if answer.Error.Data != nil && answer.Error.Data.Code != "" {
			return answer.Error.Data
		}
		err = errors.New(answer.Error.Message)
	}
	if raw, ok := into.(*json.RawMessage); ok {
		*raw = answer.Result
	} else if into != nil && err == nil {
		err = Decode(answer.Result, into)
	}
	if err == nil {
		return nil
	}
	fault := c.internal("the answer to "+method, err)
	fault.Dispatched, fault.Effect = DispatchedUncertain, "unknown"
	return fault
}

// ended says why ctx did.
func ended(ctx context.Context) *Fault {
	if fault, ok := errors.AsType[*Fault](context.Cause(ctx)); ok {
		return fault
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Fail(Timeout, "")
	}
	return Fail(Canceled, "")
}

// Notify tells the other end.
func (c *Conn) Notify(method string, params any) error {
	text, err := raw(params)
	if err != nil {
		return c.fault(method, err)
	}
	return c.send(context.Background(), Message{Method: method, Params: text})
}

// send writes a message, in parts where it must be. The error is a *Fault.
func (c *Conn) send(ctx context.Context, m Message) error {
	text, err := m.text()
	if err != nil {
		return c.fault(m.Method, err)
	}
	frames, err := Parts(text, c.opt.Part)
	if err != nil {
		return err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ended(ctx)
	case <-c.shut:
		return Fail(Detached, "")
	}
	if ctx.Err() != nil {
		return ended(ctx) // both were ready
	}
	for _, frame := range frames {
		if c.opt.Trace != nil {
			c.opt.Trace("out", len(frame))
		}
		if err := WriteFrame(c.out, frame); err != nil {
			c.Close()
			return Fail(Detached, "the link has ended: %v", err)
		}
	}
	return nil
}

// Done is closed when the link has ended: a Call that fails with detached
// before that was told so by the other end.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the link from this side, at once.
func (c *Conn) Close() (err error) {
	c.end()
	c.closing.Do(func() {
		close(c.shut)
		if closer, ok := c.out.(io.Closer); ok {
			if err = closer.Close(); err != nil {
				err = fmt.Errorf("close link: %w", err)
			}
		}
	})
	return err
}

// end fails all that waits for the other end.
func (c *Conn) end() { c.ending.Do(func() { close(c.done) }) }
