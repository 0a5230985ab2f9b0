package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handrail/host/exchange"
	"handrail/host/exchange/faketest"
	"handrail/host/socket"
	"handrail/host/wire"
)

// The test binary is also the host, so that each test has one in a process of
// its own and the race detector sees it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "chrome-extension://") {
		os.Exit(exchange.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

const (
	first  = "http://fake/first"
	second = "http://fake/second"
	list   = "http://fake/list"
	big    = "http://fake/big"
)

// site is what the fake browser can load. first and second spell their buttons
// with the same backendDOMNodeIds, as pages of two sites do.
var site = map[string]faketest.Page{
	first: {Title: "First", Nodes: []*faketest.Node{
		{ID: 5, Role: "button", Name: "Save"},
		{ID: 6, Role: "button", Name: "Cancel"},
		{ID: 7, Role: "textbox", Name: "Email", Value: "ops@example.com"},
		{ID: 8, Role: "textbox", Name: "Password", Secret: true},
	}},
	second: {Title: "Second", Nodes: []*faketest.Node{
		{ID: 5, Role: "button", Name: "Save"},
		{ID: 6, Role: "button", Name: "Pay"},
	}},
	list: {Title: "List", Nodes: []*faketest.Node{
		{ID: 5, Role: "button", Name: "Review", Context: "Ada"},
		{ID: 6, Role: "button", Name: "Review", Context: "Grace"},
	}},
	big: {Title: "Big", Fill: 20_000, Nodes: []*faketest.Node{{ID: 5, Role: "button", Name: "Save"}}},
}

// home is a state directory whose path is short enough for a socket.
func home(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// world is a fake browser with its host.
type world struct {
	t       *testing.T
	dir     string
	env     []string
	browser *faketest.Browser
	link    *faketest.Link
}

// dedicated is the environment of Handrail's own browser.
const dedicated = "HANDRAIL_BROWSER=key"

func start(t *testing.T, env ...string) *world {
	t.Helper()
	w := &world{t: t, dir: home(t), browser: faketest.NewBrowser(site)}
	w.env = append([]string{"HANDRAIL_HOME=" + w.dir}, env...)
	w.link = w.browser.Start(t, testBinary, w.env...)
	return w
}

// restart starts another host for the same browser and state.
func (w *world) restart() {
	w.t.Helper()
	w.link = w.browser.Start(w.t, testBinary, w.env...)
}

// client is a client of the newest host, after hello.
type client struct {
	t *testing.T
	*wire.Conn
	welcome wire.Welcome
}

func (w *world) client(name string) *client {
	w.t.Helper()
	conn, err := socket.Dial(w.t.Context(), w.entry())
	if err != nil {
		w.t.Fatal(err)
	}
	c := &client{t: w.t, Conn: wire.NewConn(conn, conn, wire.Options{})}
	go c.Serve(context.Background())
	w.t.Cleanup(func() { c.Close() })
	c.must("hello", helloOf(name), &c.welcome)
	return c
}

func helloOf(name string) wire.Hello {
	return wire.Hello{Min: 1, Max: 1, Version: "1", Client: &wire.Client{Kind: "cli", Name: name}}
}

// hello tells what comes of a client's hello.
func (w *world) hello(name string) error {
	w.t.Helper()
	conn, err := socket.Dial(w.t.Context(), w.entry())
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	link := wire.NewConn(conn, conn, wire.Options{})
	go link.Serve(context.Background())
	return link.Call(w.t.Context(), "hello", helloOf(name), nil)
}

// entry waits for the newest host's entry in the registry.
func (w *world) entry() socket.Entry {
	w.t.Helper()
	var entry socket.Entry
	eventually(w.t, "the host is in the registry", func() bool {
		live, err := socket.List(w.dir)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range live {
			if e.PID == w.link.PID() {
				entry = e
				return true
			}
		}
		return false
	})
	return entry
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func (c *client) must(method string, params, result any) {
	c.t.Helper()
	if err := c.call(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) call(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return c.Call(ctx, method, params, result)
}

// refused makes a call that has to fail with the code.
func (c *client) refused(code wire.Code, method string, params any) *wire.Fault {
	c.t.Helper()
	return refused(c.t, c.Conn, code, method, params)
}

func refused(t *testing.T, conn *wire.Conn, code wire.Code, method string, params any) *wire.Fault {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var result json.RawMessage
	err := conn.Call(ctx, method, params, &result)
	f, ok := errors.AsType[*wire.Fault](err)
	if !ok || f.Code != code {
		t.Fatalf("%s: got %v (result %.200s), want %s", method, err, result, code)
	}
	return f
}

func (c *client) snapshot(p wire.SnapshotParams) wire.Snapshot {
	c.t.Helper()
	var s wire.Snapshot
	c.must("snapshot", p, &s)
	return s
}

func (c *client) act(p wire.ActParams) wire.ActResult {
	c.t.Helper()
	var r wire.ActResult
	c.must("act", p, &r)
	return r
}

func text(s string) *string { return &s }

// everyFile is all bytes under a directory.
func everyFile(t *testing.T, dir string) (all []byte, names []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		all, names = append(all, b...), append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, names
}

var testBinary = os.Args[0]
