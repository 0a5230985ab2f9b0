// Package client is a client's side of a host: it chooses the browser, connects,
// and asks again what may be asked again when the host was replaced.
package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"handrail/host/keeper"
	"handrail/host/socket"
	"handrail/host/wire"
)

// Choice says which browser is meant.
type Choice struct {
	Dir       string // state directory
	Ephemeral bool   // its store is in memory: only the dedicated browser has that
	Browser   string // instance (or the start of it), name or label of a connected browser; "" is the only one
	Headless  bool   // the dedicated browser, whatever else is connected
	Running   bool   // start none: what is asked for only a browser that runs can have
	Client    wire.Client
	Warn      func(string)
}

// Client is a connection to a browser's host. Several may ask at once.
type Client struct {
	Welcome wire.Welcome // of the first host

	mu     sync.Mutex // held while another host is looked for
	choice Choice
	began  time.Time
	link   *wire.Conn
	conn   net.Conn
}

const (
	// patience bounds how long a new host is waited for.
	patience = 3 * time.Second
	// farewell is how long ago a host may have been seen that is still expected back.
	farewell = 10 * time.Second
)

// Connect connects to the browser chosen: the connected one, the dedicated one
// if there is none or it is asked for. The error is a *wire.Fault: no_browser,
// no_page, ambiguous_browser, browser_failed, bad_version, no_store.
func Connect(ctx context.Context, choice Choice) (*Client, error) {
	c := &Client{choice: choice, began: time.Now()}
	return c, c.connect(ctx)
}

func (c *Client) connect(ctx context.Context) error {
	for deadline := time.Now().Add(patience); ; {
		entry, err := c.choice.entry(ctx)
		late := time.Now().After(deadline)
		// A worker that was stopped has a new host in a moment; the dedicated
		// browser is not a person's own.
		recent := time.Since(socket.OwnSeen(c.choice.Dir)) < patience+farewell
		if errors.Is(err, errNone) && (late || !recent) {
			entry, err = c.choice.instead(ctx)
		}
		if err == nil {
			err = c.greet(ctx, entry)
		}
		// A host that ends while it is greeted is replaced by the next one.
		if again := errors.Is(err, errNone) || lost(err); !again || late {
			return err
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
}

// greet says hello to a host.
func (c *Client) greet(ctx context.Context, entry socket.Entry) error {
	conn, err := socket.Dial(ctx, entry)
	if err != nil {
		return wire.Fail(wire.Detached, "%v", err)
	}
	link := wire.NewConn(conn, conn, wire.Options{})
	go link.Serve(context.Background())
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	hello := wire.Hello{Min: wire.ProtocolMin, Max: wire.Protocol, Version: wire.Version, Client: &c.choice.Client}
	var welcome wire.Welcome
	if err := link.Call(ctx, "hello", hello, &welcome); err != nil {
		conn.Close()
		return err
	}
	if c.link == nil {
		c.Welcome = welcome
	}
	c.link, c.conn = link, conn
	return nil
}

// entry finds the host of the browser that is meant.
func (choice Choice) entry(ctx context.Context) (socket.Entry, error) {
	if choice.Ephemeral && choice.Browser != "" {
		return socket.Entry{}, wire.Fail(wire.BadRequest, "HANDRAIL_EPHEMERAL=1 works in the dedicated browser only, not in %q", choice.Browser)
	}
	if choice.Headless || choice.Ephemeral {
		return choice.dedicated(ctx)
	}
	entries, err := socket.List(choice.Dir)
	if err != nil {
		return socket.Entry{}, wire.Fail(wire.NoStore, "%v", err)
	}
	var own []socket.Entry
	for _, e := range entries {
		if e.Dedicated == "" && choice.means(e.Browser) {
			own = replace(own, e)
		}
	}
	switch {
	case len(own) == 1:
		return own[0], nil
	case len(own) > 1:
		return socket.Entry{}, wire.Fail(wire.AmbiguousBrowser, "several browsers are connected: %s", describe(own))
	}
	return socket.Entry{}, errNone
}

// errNone says that no browser of the person's own is connected that is meant.
var errNone = errors.New("no browser is connected")

// instead gives what is used when there is none.
func (choice Choice) instead(ctx context.Context) (socket.Entry, error) {
	if choice.Browser != "" {
		fault := wire.Fail(wire.NoBrowser, "no connected browser is %q", choice.Browser)
		fault.Hint = "start it and see that its Handrail extension is on, or leave --browser out"
		return socket.Entry{}, fault
	}
	return choice.dedicated(ctx)
}

func (choice Choice) dedicated(ctx context.Context) (socket.Entry, error) {
	if !choice.Running {
		return keeper.Ensure(ctx, choice.Dir, choice.Ephemeral, choice.Warn)
	}
	entry, err := keeper.Running(ctx, choice.Dir, choice.Ephemeral)
	if err == nil && entry.Socket == "" {
		err = wire.Fail(wire.NoPage, "no browser is running")
	}
	return entry, err
}

// replace adds a host; of two of one browser the later one is meant, since the
// earlier is about to end.
func replace(list []socket.Entry, e socket.Entry) []socket.Entry {
	for i := range list {
		if list[i].Browser.Instance == e.Browser.Instance {
			list[i] = e
			return list
		}
	}
	return append(list, e)
}

func (choice Choice) means(b wire.Browser) bool {
	name := strings.ToLower(choice.Browser)
	return name == "" || strings.HasPrefix(b.Instance, name) || name == strings.ToLower(b.Name) || name == strings.ToLower(b.Label)
}

func describe(entries []socket.Entry) string {
	var names []string
	for _, e := range entries {
		label := e.Browser.Label
		if label != "" {
			label = " " + label
		}
		names = append(names, fmt.Sprintf("%s %s%s (--browser %.8s)", e.Browser.Name, e.Browser.Version, label, e.Browser.Instance))
	}
	return strings.Join(names, ", ")
}

// Read asks what changes nothing: when the host is lost it is asked of the next
// one, for up to 3 s. The error is a *wire.Fault.
func (c *Client) Read(ctx context.Context, method string, params, result any) error {
	for deadline := time.Now().Add(patience); ; {
		link := c.current()
		err := link.Call(ctx, method, params, result)
		if !lost(err) || time.Now().After(deadline) {
			return err
		}
		if err := c.reconnect(ctx, link); err != nil {
			return err
		}
	}
}

// Once asks for what must not happen twice and has no id by which the next host
// would know it: when the host is lost, that is the answer. The error is a
// *wire.Fault.
func (c *Client) Once(ctx context.Context, method string, params, result any) error {
	return c.unsure(ctx, c.current().Call(ctx, method, params, result))
}

// Act asks for what happens at most once; params carry the act's id. When the
// host is lost the same id is asked of the next one, which knows what became of
// it. The error is a *wire.Fault; uncertain when nobody knows.
func (c *Client) Act(ctx context.Context, method string, params, result any) error {
	link := c.current()
	err := link.Call(ctx, method, params, result)
	if !lost(err) {
		return c.unsure(ctx, err)
	}
	if c.reconnect(ctx, link) == nil {
		err = c.current().Call(ctx, method, params, result)
	}
	if lost(err) || ctx.Err() != nil {
		err = wire.Fail(wire.Uncertain, "the host was lost while it acted")
	}
	return c.unsure(ctx, err)
}

// unsure makes a failure say that something may have happened, where the answer
// was not waited for or never came.
func (c *Client) unsure(ctx context.Context, err error) error {
	fault, ok := errors.AsType[*wire.Fault](err)
	if ok && (ctx.Err() != nil || fault.Code == wire.Detached || fault.Code == wire.Uncertain) {
		fault.Dispatched, fault.Effect = wire.DispatchedUncertain, "unknown"
	}
	return err
}

// lost tells the end of a host from its answers.
func lost(err error) bool {
	fault, ok := errors.AsType[*wire.Fault](err)
	return ok && fault.Code == wire.Detached
}

// current is the link to the newest host that was reached.
func (c *Client) current() *wire.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// Lost tells that the host has gone. A read looks for the next one.
func (c *Client) Lost() bool {
	select {
	case <-c.current().Done():
		return true
	default:
		return false
	}
}

// reconnect connects to the next host of the same browser, unless another call did.
func (c *Client) reconnect(ctx context.Context, was *wire.Conn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != was {
		return nil
	}
	c.conn.Close()
	if err := wait(ctx); err != nil {
		return err
	}
	switch {
	case c.Welcome.Dedicated && keeper.ClosedAt(c.choice.Dir, c.choice.Ephemeral).After(c.began):
		return wire.Fail(wire.Detached, "the dedicated browser was closed meanwhile")
	case c.Welcome.Dedicated:
		c.choice.Headless = true
	case c.Welcome.Browser != nil:
		c.choice.Browser = c.Welcome.Browser.Instance
	}
	err := c.connect(ctx)
	if fault, ok := errors.AsType[*wire.Fault](err); ok && fault.Code == wire.NoBrowser {
		return wire.Fail(wire.Detached, "the browser has gone")
	}
	return err
}

// Close ends the connection.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn.Close()
}

// wait pauses between two tries.
func wait(ctx context.Context) error {
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return wire.Fail(wire.Canceled, "")
	}
}
