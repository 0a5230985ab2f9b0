package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ends gives the two ends of a link, serving, and what Serve returned at each.
type ends struct {
	a, b   *Conn
	served chan error // of b
}

func link(t *testing.T, a, b Options) ends {
	t.Helper()
	x, y := net.Pipe()
	l := ends{NewConn(x, x, a), NewConn(y, y, b), make(chan error, 1)}
	var serving sync.WaitGroup
	serving.Go(func() { l.a.Serve(t.Context()) })
	serving.Go(func() { l.served <- l.b.Serve(t.Context()) })
	t.Cleanup(func() { l.a.Close(); l.b.Close(); serving.Wait() })
	return l
}

// echo answers with the params.
func echo(_ context.Context, _ string, params json.RawMessage) (any, error) { return params, nil }

func TestCallIsByteExact(t *testing.T) {
	t.Parallel()
	awkward := []string{
		`{ "b":1,  "a":[ 1.0,1e2,-0 ] }`, "\"<&>\u2028\u2029\"", `"\ud800 \u0000 \u003c"`, `{"a":1,"a":2}`, `null`,
		`"` + strings.Repeat("é😀\\\"\u2028", 5000) + `"`,
	}
	for _, part := range []int{600, 601, 602, 603, 4096, 0} {
		l := link(t, Options{Part: part, Handler: echo}, Options{Part: part, Handler: echo})
		for _, text := range awkward {
			for _, from := range []*Conn{l.a, l.b} {
				var got json.RawMessage
				if err := from.Call(t.Context(), "echo", json.RawMessage(text), &got); err != nil || string(got) != text {
					t.Errorf("in parts of %d: %.60s came back as %.60s, %v", part, text, got, err)
				}
			}
		}
	}
}

func TestCallsRunAtOnce(t *testing.T) {
	t.Parallel()
	const calls = 50
	var arrived sync.WaitGroup
	arrived.Add(calls)
	l := link(t, Options{}, Options{Part: 600, Handler: func(_ context.Context, _ string, params json.RawMessage) (any, error) {
		arrived.Done()
		arrived.Wait() // all are here before the first is answered
		return params, nil
	}})
	var asked sync.WaitGroup
	for i := range calls {
		asked.Go(func() {
			want := TabsResult{Tab: i, Tabs: []Tab{{Tab: i, Title: strings.Repeat("x", 100*i)}}}
			var got TabsResult
			if err := l.a.Call(t.Context(), "tabs", want, &got); err != nil || got.Tab != i || len(got.Tabs[0].Title) != 100*i {
				t.Errorf("call %d: got %d, %v", i, got.Tab, err)
			}
		})
	}
	asked.Wait()
}

func TestFrameSizes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	largest := map[string]int{}
	trace := func(direction string, bytes int) {
		mu.Lock()
		defer mu.Unlock()
		largest[direction] = max(largest[direction], bytes)
	}
	l := link(t, Options{Part: PartToHost}, Options{Part: PartToExtension, Handler: echo, Trace: trace})
	text := json.RawMessage(`"` + strings.Repeat(`\"x`, 1<<20) + `"`)
	var got json.RawMessage
	if err := l.a.Call(t.Context(), "echo", text, &got); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("got %d bytes of %d, %v", len(got), len(text), err)
	}
	mu.Lock()
	defer mu.Unlock()
	if largest["in"] < len(text) || largest["out"] > PartToExtension || largest["out"] < PartToExtension-partOverhead {
		t.Errorf("the largest frames were %v", largest)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	fault := Fail(Covered, "the dialog %q covers it", "Cookies")
	fault.Dispatched, fault.Reason = DispatchedYes, "gone"
	fault.Candidates = []Candidate{{UID: "e9", Role: "dialog", Name: "Cookies"}}
	tests := []struct {
		name    string
		handler Handler
		want    *Fault // LogID "?" is any
		logged  string
	}{
		{"a fault crosses whole", func(context.Context, string, json.RawMessage) (any, error) { return nil, fault }, fault, ""},
		{"a wrapped fault is that fault", func(context.Context, string, json.RawMessage) (any, error) {
			return nil, errors.Join(errors.New("click"), fault)
		}, fault, ""},
		{"an error is internal, its words stay here", func(context.Context, string, json.RawMessage) (any, error) {
			return nil, errors.New("secret words")
		}, withLogID(Fail(Internal, "")), "secret words"},
		{"a panic is internal", func(context.Context, string, json.RawMessage) (any, error) { panic("secret words") }, withLogID(Fail(Internal, "")), "secret words"},
		{"a result that cannot be spelt", func(context.Context, string, json.RawMessage) (any, error) { return func() {}, nil }, withLogID(Fail(Internal, "")), "json: unsupported type: func()"},
		{"a raw result that is no JSON", func(context.Context, string, json.RawMessage) (any, error) { return json.RawMessage(`{"a":`), nil }, withLogID(Fail(Internal, "")), "not well-formed JSON"},
		{"canceled", func(context.Context, string, json.RawMessage) (any, error) { return nil, context.Canceled }, Fail(Canceled, ""), ""},
		{"out of time", func(context.Context, string, json.RawMessage) (any, error) { return nil, context.DeadlineExceeded }, Fail(Timeout, ""), ""},
		{"no handler", nil, Fail(UnknownMethod, `there is no method "click" here`), ""},
		{"a result that is too large", func(context.Context, string, json.RawMessage) (any, error) {
			return strings.Repeat("x", MaxParts*partOverhead+1), nil
		}, Fail(TooLarge, "a message of 65537 parts; at most 65536 are allowed"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			logged, logID := "", ""
			note := func(id, what string) { logID, logged = id, what }
			l := link(t, Options{}, Options{Part: 2 * partOverhead, Handler: tt.handler,
				Panic:    func(id string, value any, stack []byte) { note(id, value.(string)) },
				Internal: func(id, method string, err error) { note(id, err.Error()) },
			})
			err := l.a.Call(t.Context(), "click", nil, nil)
			got, ok := err.(*Fault)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if tt.want.LogID == "?" && got.LogID != "" {
				if got.LogID != logID || logged != tt.logged {
					t.Errorf("told %q, logged %q as %q", got.LogID, logged, logID)
				}
				got.LogID = "?"
			}
			want, _ := encode(tt.want)
			if text, _ := encode(got); !bytes.Equal(text, want) {
				t.Errorf("got %s, want %s", text, want)
			}
			if err := l.a.Call(t.Context(), "click", nil, nil); codeOf(err) != tt.want.Code {
				t.Errorf("then the link gave %v", err)
			}
		})
	}
}

func withLogID(f *Fault) *Fault { f.LogID = "?"; return f }

func TestCallTooLarge(t *testing.T) {
	t.Parallel()
	l := link(t, Options{Part: 2 * partOverhead}, Options{Handler: echo})
	if err := l.a.Call(t.Context(), "echo", strings.Repeat("x", MaxParts*partOverhead+1), nil); codeOf(err) != TooLarge {
		t.Errorf("got %v", err)
	}
	if err := l.a.Call(t.Context(), "echo", "x", nil); err != nil {
		t.Errorf("then the link gave %v", err)
	}
}

// untilDone answers when it is given up.
func untilDone(started chan<- string, ended chan<- error) Handler {
	return func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		started <- method
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		cause error
		want  Code
	}{
		{"canceled", context.Canceled, Canceled},
		{"canceled for a reason", Fail(Timeout, "the browser sent nothing"), Timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			started, ended := make(chan string, 1), make(chan error, 1)
			l := link(t, Options{}, Options{Handler: untilDone(started, ended)})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-started; cancel(tt.cause) }()
			if err := l.a.Call(ctx, "wait", nil, nil); codeOf(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if err := <-ended; err != context.Canceled {
				t.Errorf("the handler saw %v", err)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started, ended := make(chan string, 1), make(chan error, 1)
		l := link(t, Options{}, Options{Handler: untilDone(started, ended)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		if err := l.a.Call(ctx, "wait", nil, nil); codeOf(err) != Timeout {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("took %v", took)
		}
		<-ended
	})
}

// A call ends in time even when the other end has stopped reading.
func TestDeadlineWithoutAReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, y := net.Pipe()
		c := NewConn(x, x, Options{})
		var serving sync.WaitGroup
		serving.Go(func() { c.Serve(t.Context()) })
		for range 2 { // one that holds the link, one that waits for it
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if err := c.Call(ctx, "wait", nil, nil); codeOf(err) != Timeout {
				t.Errorf("got %v", err)
			}
			cancel()
		}
		y.Close()
		serving.Wait()
	})
}

func TestLinkEnds(t *testing.T) {
	t.Parallel()
	started, ended := make(chan string, 2), make(chan error, 2)
	l := link(t, Options{Handler: untilDone(started, ended)}, Options{Handler: untilDone(started, ended)})
	failed := make(chan error, 2)
	for _, c := range []*Conn{l.a, l.b} {
		go func() { failed <- c.Call(t.Context(), "wait", nil, nil) }()
	}
	<-started
	<-started
	if err := l.a.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-failed; codeOf(err) != Detached {
			t.Errorf("a call gave %v", err)
		}
		if err := <-ended; err != context.Canceled {
			t.Errorf("a handler saw %v", err)
		}
	}
	if err := <-l.served; err != nil {
		t.Errorf("the other end's Serve gave %v", err)
	}
	<-l.b.Done()
	for _, c := range []*Conn{l.a, l.b} {
		if err := c.Call(t.Context(), "late", nil, nil); codeOf(err) != Detached {
			t.Errorf("a late call gave %v", err)
		}
		if err := c.Notify("late", nil); codeOf(err) != Detached {
			t.Errorf("a late notification gave %v", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("a second Close gave %v", err)
		}
	}
}

// peer is the other end of a Conn, frame by frame.
type peer struct {
	t      *testing.T
	link   net.Conn
	conn   *Conn
	served chan error
}

func newPeer(t *testing.T, opt Options) *peer {
	x, y := net.Pipe()
	p := &peer{t, x, NewConn(y, y, opt), make(chan error, 1)}
	ended := make(chan struct{})
	go func() { p.served <- p.conn.Serve(t.Context()); close(ended) }()
	t.Cleanup(func() { x.Close(); <-ended })
	return p
}

func (p *peer) send(raw string) {
	p.t.Helper()
	if _, err := io.WriteString(p.link, raw); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) receive() Message {
	p.t.Helper()
	text, err := ReadFrame(p.link, MaxFrame)
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := ParseMessage(text)
	if err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	return m
}

func TestBrokenLink(t *testing.T) {
	t.Parallel()
	part := func(rest string) string { return frame(`{"part":{"id":"m","seq":0,"of":2,"data":"{"}}`) + rest }
	tests := []struct {
		name, in string
		want     Code
	}{
		{"no bytes", frame(""), BadFrame},
		{"a frame that is too large", "\xff\xff\xff\xff", TooLarge},
		{"a part that is none", frame(`{"part":7}`), BadFrame},
		{"a message between parts", part(frame(`{"jsonrpc":"2.0","id":1,"method":"x"}`)), BadFrame},
		{"a part twice", part(frame(`{"part":{"id":"m","seq":0,"of":2,"data":"{"}}`)), BadFrame},
		{"another hash", part(frame(`{"part":{"id":"m","seq":1,"of":2,"data":"}","sha256":"00"}}`)), BadFrame},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, Options{Handler: echo})
			go io.WriteString(p.link, tt.in)
			if m := p.receive(); m.ID != nil || m.Error == nil || m.Error.Data.Code != tt.want {
				t.Errorf("was told %+v", m)
			}
			if err := <-p.served; codeOf(err) != tt.want {
				t.Errorf("Serve gave %v", err)
			}
		})
	}
	t.Run("a cut frame", func(t *testing.T) {
		t.Parallel()
		c := NewConn(strings.NewReader(frame("{}")[:5]), io.Discard, Options{})
		if err := c.Serve(t.Context()); codeOf(err) != BadFrame {
			t.Errorf("Serve gave %v", err)
		}
	})
}

// Messages that cannot be understood are answered and do no harm.
func TestBadMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		id       int64 // of the answer; 0 is null
	}{
		{"garbage", "]{", 0},
		{"a batch", `[{"jsonrpc":"2.0","id":4,"method":"echo"}]`, 0},
		{"another version", `{"jsonrpc":"1.0","id":4,"method":"echo"}`, 4},
		{"params that are no JSON", `{"jsonrpc":"2.0","id":4,"method":"echo","params":[}`, 4},
		{"too deep", `{"jsonrpc":"2.0","id":4,"method":"echo","params":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, 4},
		{"an id that is a word", `{"jsonrpc":"2.0","id":"4","method":"echo"}`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, Options{Handler: echo})
			p.send(frame(tt.in))
			m := p.receive()
			if m.Error == nil || m.Error.Data.Code != BadRequest || (m.ID == nil) != (tt.id == 0) || m.ID != nil && *m.ID != tt.id {
				t.Errorf("was told %+v", m)
			}
			p.send(frame(`{"jsonrpc":"2.0","id":5,"method":"echo","params":"still here"}`))
			if m := p.receive(); string(m.Result) != `"still here"` {
				t.Errorf("then got %+v", m)
			}
		})
	}
}

// What answers nothing is passed over: an answer to it would be answered again.
func TestDroppedMessages(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"an answer to nothing":           `{"jsonrpc":"2.0","id":99,"result":{}}`,
		"an unreadable answer":           `{"jsonrpc":"2.0","id":99,"result":{]}`,
		"a refusal":                      string(Refusal(Fail(ForbiddenOrigin, ""))),
		"an unknown notification":        `{"jsonrpc":"2.0","method":"nothing"}`,
		"a cancel of nothing":            `{"jsonrpc":"2.0","method":"cancel","params":{"id":99}}`,
		"a cancel that cannot be read":   `{"jsonrpc":"2.0","method":"cancel","params":{"id":"x"}}`,
		"a cancel as a request, no less": `{"jsonrpc":"2.0","id":7,"method":"cancel","params":{"id":99}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, Options{Handler: echo})
			p.send(frame(in))
			p.send(frame(`{"jsonrpc":"2.0","id":5,"method":"echo","params":"still here"}`))
			if m := p.receive(); string(m.Result) != `"still here"` {
				t.Errorf("got %+v", m)
			}
		})
	}
}

func TestRequestIDInUse(t *testing.T) {
	t.Parallel()
	started, ended := make(chan string, 1), make(chan error, 1)
	p := newPeer(t, Options{Handler: untilDone(started, ended)})
	p.send(frame(`{"jsonrpc":"2.0","id":1,"method":"wait"}`))
	<-started
	p.send(frame(`{"jsonrpc":"2.0","id":1,"method":"wait"}`))
	if m := p.receive(); m.Error == nil || m.Error.Data.Code != BadRequest {
		t.Errorf("the second got %+v", m)
	}
	p.send(frame(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`))
	<-ended
	if m := p.receive(); m.Error == nil || m.Error.Data.Code != Canceled {
		t.Errorf("the first got %+v", m)
	}
	p.send(frame(`{"jsonrpc":"2.0","id":1,"method":"wait"}`))
	<-started // the id is free again
}

// An answer that cannot be read ends its call at once, and leaves open what
// was done.
func TestUnreadableAnswers(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"no JSON":                        `"result":{]`,
		"too deep":                       `"result":{"value":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
		"another type":                   `"result":[]`,
		"without what it must hold":      `"result":{}`,
		"an error that is no fault":      `"error":{"code":-32603,"message":"oops"}`,
		"an error without a code":        `"error":{"code":-32603,"message":"oops","data":{}}`,
		"an error that is not an object": `"error":"oops"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := make(chan string, 1)
			p := newPeer(t, Options{Internal: func(id, what string, err error) { logged <- id }})
			failed := make(chan error, 1)
			var got Evidence
			go func() { failed <- p.conn.Call(t.Context(), "perform", PerformParams{}, &got) }()
			p.receive()
			p.send(frame(`{"jsonrpc":"2.0","id":1,` + result + `}`))
			fault, ok := (<-failed).(*Fault)
			if !ok || fault.Code != Internal || fault.Dispatched != DispatchedUncertain || fault.LogID == "" || fault.LogID != <-logged {
				t.Errorf("got %+v", fault)
			}
		})
	}
}

// A write that fails ends the link: what follows would be read as nonsense.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	c := NewConn(r, failing{}, Options{})
	var serving sync.WaitGroup
	serving.Go(func() { c.Serve(t.Context()) })
	if err := c.Call(t.Context(), "x", nil, nil); codeOf(err) != Detached {
		t.Errorf("got %v", err)
	}
	<-c.Done()
	w.Close()
	serving.Wait()
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
