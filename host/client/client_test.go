package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"handrail/host/socket"
	"handrail/host/wire"
)

// TestMain makes the test binary a keeper too, as the real one is: its browser
// fails to start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "browser" {
		json.NewEncoder(os.NewFile(3, "ready")).Encode(map[string]any{
			"fault": wire.Fail(wire.NoBrowser, "the keeper was asked, ephemeral %s", os.Getenv("HANDRAIL_EPHEMERAL")),
		})
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fakeHost is a host whose answers a test gives.
type fakeHost struct {
	listener *socket.Listener
	answer   wire.Handler

	mu    sync.Mutex
	conns []net.Conn
}

func newHost(t *testing.T, dir string, b wire.Browser, answer wire.Handler) *fakeHost {
	t.Helper()
	l, err := socket.Listen(dir, socket.Entry{PID: os.Getpid(), Started: time.Now(), Browser: b})
	if err != nil {
		t.Fatal(err)
	}
	h := &fakeHost{listener: l, answer: answer}
	t.Cleanup(h.end)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			h.mu.Lock()
			h.conns = append(h.conns, conn)
			h.mu.Unlock()
			go wire.NewConn(conn, conn, wire.Options{Handler: h.handle}).Serve(context.Background())
		}
	}()
	return h
}

func (h *fakeHost) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method == "hello" {
		b := h.listener.Entry().Browser
		return wire.Welcome{Protocol: wire.Protocol, Version: wire.Version, Browser: &b}, nil
	}
	return h.answer(ctx, method, params)
}

// end is the host's end: its socket and all its links go.
func (h *fakeHost) end() {
	h.listener.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.conns {
		conn.Close()
	}
}

// stateDir is short enough for a socket.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hrc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func choice(dir string) Choice {
	return Choice{Dir: dir, Client: wire.Client{Kind: "cli", Name: "test"}, Warn: func(string) {}}
}

func connect(t *testing.T, c Choice) *Client {
	t.Helper()
	link, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	return link
}

func wantFault(t *testing.T, err error, code wire.Code, words ...string) *wire.Fault {
	t.Helper()
	fault, ok := errors.AsType[*wire.Fault](err)
	if !ok || fault.Code != code {
		t.Fatalf("error %v, want %s", err, code)
	}
	for _, word := range words {
		if !strings.Contains(fault.Error(), word) {
			t.Errorf("%q does not say %q", fault.Error(), word)
		}
	}
	return fault
}

func TestChoice(t *testing.T) {
	t.Parallel()
	one, two := wire.Browser{Instance: "aaaa1111", Name: "Chromium", Version: "156", Label: "work"}, wire.Browser{Instance: "bbbb2222", Name: "Google Chrome", Version: "156", Label: "home"}
	both := []wire.Browser{one, two}
	for _, test := range []struct {
		name      string
		connected []wire.Browser
		browser   string
		headless  bool
		ephemeral bool
		instance  string // of the browser that is reached
		code      wire.Code
		says      []string
	}{
		{name: "the only one", connected: both[:1], instance: "aaaa1111"},
		{name: "two hosts of one browser", connected: []wire.Browser{one, one}, instance: "aaaa1111"},
		{name: "several", connected: both, code: wire.AmbiguousBrowser, says: []string{"Chromium 156 work (--browser aaaa1111)", "Google Chrome 156 home (--browser bbbb2222)"}},
		{name: "by name", connected: both, browser: "google chrome", instance: "bbbb2222"},
		{name: "by label", connected: both, browser: "Work", instance: "aaaa1111"},
		{name: "by the start of its instance", connected: both, browser: "bbbb", instance: "bbbb2222"},
		{name: "none of that name", connected: both[:1], browser: "netscape", code: wire.NoBrowser, says: []string{`"netscape"`, "start it"}},
		{name: "none at all", code: wire.NoBrowser, says: []string{"the keeper was asked, ephemeral 0"}},
		{name: "headless", connected: both[:1], headless: true, code: wire.NoBrowser, says: []string{"the keeper was asked, ephemeral 0"}},
		{name: "ephemeral", connected: both[:1], ephemeral: true, code: wire.NoBrowser, says: []string{"the keeper was asked, ephemeral 1"}},
		{name: "ephemeral in one's own", connected: both[:1], ephemeral: true, browser: "work", code: wire.BadRequest, says: []string{"HANDRAIL_EPHEMERAL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := choice(stateDir(t))
			c.Browser, c.Headless, c.Ephemeral = test.browser, test.headless, test.ephemeral
			for _, b := range test.connected {
				newHost(t, c.Dir, b, nil)
			}
			if test.code == "" {
				if got := connect(t, c).Welcome.Browser.Instance; got != test.instance {
					t.Errorf("reached %q, want %q", got, test.instance)
				}
				return
			}
			// A browser that was there a moment ago may be back in one.
			ago := time.Now().Add(-time.Hour)
			os.Chtimes(c.Dir+"/own-browser", ago, ago)
			_, err := Connect(t.Context(), c)
			wantFault(t, err, test.code, test.says...)
		})
	}
}

// A host that ends is replaced: reads go to the next one, an act goes there with
// its id, and what has none is not asked twice.
func TestLostHost(t *testing.T) {
	t.Parallel()
	b := wire.Browser{Instance: "aaaa", Name: "Chromium"}
	type ask func(*Client, context.Context, string, any, any) error
	for _, test := range []struct {
		name   string
		ask    ask
		next   bool // there is a next host
		asked  int
		code   wire.Code
		result string
	}{
		{name: "read", ask: (*Client).Read, next: true, asked: 2, result: "2"},
		{name: "act", ask: (*Client).Act, next: true, asked: 2, result: "2"},
		{name: "once", ask: (*Client).Once, next: true, asked: 1, code: wire.Detached},
		{name: "act, no next host", ask: (*Client).Act, asked: 1, code: wire.Uncertain},
		{name: "read, no next host", ask: (*Client).Read, asked: 1, code: wire.Detached},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := choice(stateDir(t))
			asked := make(chan string, 10)
			first, replaced := make(chan *fakeHost, 1), make(chan struct{})
			first <- newHost(t, c.Dir, b, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
				defer close(replaced)
				asked <- string(params)
				(<-first).end()
				newHost(t, c.Dir, wire.Browser{Instance: "bbbb", Name: "Another"}, func(context.Context, string, json.RawMessage) (any, error) {
					asked <- "in another browser"
					return json.RawMessage("3"), nil
				})
				if test.next {
					newHost(t, c.Dir, b, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
						asked <- string(params)
						return json.RawMessage("2"), nil
					})
				}
				return nil, wire.Fail(wire.Internal, "this host has ended")
			})
			var result json.RawMessage
			err := test.ask(connect(t, c), t.Context(), "act", map[string]string{"act_id": "7"}, &result)
			<-replaced
			if test.code != "" {
				fault := wantFault(t, err, test.code)
				if test.name != "read, no next host" && fault.Dispatched != wire.DispatchedUncertain {
					t.Errorf("dispatched %s", fault.Dispatched)
				}
			} else if err != nil || string(result) != test.result {
				t.Errorf("%s, %v", result, err)
			}
			if len(asked) != test.asked {
				t.Errorf("asked %d times, want %d", len(asked), test.asked)
			}
			for range len(asked) {
				if got := <-asked; got != `{"act_id":"7"}` {
					t.Errorf("asked with %s", got)
				}
			}
		})
	}
}

// A host that is ending answers what it can: what it could not do is asked of
// the next one. A refusal is an answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	c := choice(stateDir(t))
	asked := 0
	newHost(t, c.Dir, wire.Browser{Instance: "aaaa"}, func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		asked++
		switch {
		case method == "wait":
			<-ctx.Done()
			return nil, ctx.Err()
		case method == "refuse" || asked > 1:
			return nil, wire.Fail(wire.Covered, "covered by %d", asked)
		}
		return nil, wire.Fail(wire.Detached, "")
	})
	link := connect(t, c)
	wantFault(t, link.Act(t.Context(), "act", nil, nil), wire.Covered, "covered by 2")
	fault := wantFault(t, link.Act(t.Context(), "refuse", nil, nil), wire.Covered, "covered by 3")
	if fault.Dispatched != wire.DispatchedNo {
		t.Errorf("dispatched %s", fault.Dispatched)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fault = wantFault(t, link.Act(ctx, "wait", nil, nil), wire.Canceled)
	if fault.Dispatched != wire.DispatchedUncertain {
		t.Errorf("a canceled act: dispatched %s", fault.Dispatched)
	}
}

// A person's browser whose worker was stopped is waited for.
func TestComesBack(t *testing.T) {
	t.Parallel()
	c := choice(stateDir(t))
	b := wire.Browser{Instance: "aaaa", Name: "Chromium"}
	newHost(t, c.Dir, b, nil).end()
	back := make(chan error, 1)
	go func() {
		link, err := Connect(t.Context(), c)
		if err == nil {
			err = fmt.Errorf("reached %s", link.Welcome.Browser.Name)
			link.Close()
		}
		back <- err
	}()
	newHost(t, c.Dir, b, nil)
	if err := <-back; err == nil || err.Error() != "reached Chromium" {
		t.Error(err)
	}
}
