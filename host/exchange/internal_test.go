package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"handrail/compressor"
	"handrail/host/wire"
	"handrail/recovery"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	var ts turns[int]
	release, err := ts.take(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ts.take(context.Background(), 2)
	if err != nil {
		t.Fatal("another key had to wait")
	}
	other()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ts.take(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("took a turn that was held: %v", err)
	}
	var wg sync.WaitGroup
	inside, n := 0, 0
	for range 50 {
		wg.Go(func() {
			release, err := ts.take(context.Background(), 1)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			if inside++; inside != 1 {
				t.Error("two at once")
			}
			n++
			inside--
		})
	}
	release()
	wg.Wait()
	if n != 50 || len(ts.held) != 0 {
		t.Errorf("%d turns, %d held", n, len(ts.held))
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"u5", "u5", 0}, {"u5", "u6", 1}, {"u5", "u55", 1}, {"u55", "u5", 1}, {"f2u7", "u7", 2}, {"u12", "u21", 2}, {"", "u1", 2},
		{"u1", "u1234", 99}, {strings.Repeat("x", 65), strings.Repeat("x", 65), 99},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%.10q, %.10q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestResembling(t *testing.T) {
	t.Parallel()
	lost := compressor.Target{UID: "u1", Role: "button", Name: "Cart (3)", Context: "Ada", FrameID: "F"}
	got := resembling(lost, []compressor.Target{
		{UID: "link", Role: "link", Name: "Cart (3)", Context: "Ada", FrameID: "F"},
		{UID: "other", Role: "button", Name: "Pay", FrameID: "F"},
		{UID: "elsewhere", Role: "button", Name: "Cart", Context: "Grace", FrameID: "G"},
		{UID: "sibling", Role: "button", Name: "Cart", Context: "Grace", FrameID: "F"},
		{UID: "itself", Role: "button", Name: "Cart (4)", Context: "Ada", FrameID: "F"},
	})
	var uids []string
	for _, c := range got {
		uids = append(uids, c.UID)
	}
	if want := "[itself sibling elsewhere other]"; fmt.Sprint(uids) != want {
		t.Errorf("%v, want %s", uids, want)
	}
}

func TestWithhold(t *testing.T) {
	t.Parallel()
	value := "p&ss w"
	e := wire.Evidence{URL: "http://a/?p=p%26ss+w&q=p%26ss%20w", Title: "p&ss w", Dialog: "p&ss w?", ValueNow: &value, Hit: &wire.Hit{Name: "p&ss w", Href: "/p&ss w"}}
	withhold(&e, value)
	got, err := json.Marshal(e)
	if err != nil || strings.Contains(string(got), "ss") {
		t.Errorf("%s, %v", got, err)
	}
	withhold(&e, "")
	if e.Title != hiddenValue {
		t.Errorf("title %q", e.Title)
	}
	short := "1"
	e = wire.Evidence{URL: "http://127.0.0.1/?d=1&e=12", Title: "Step 1", ValueNow: &short}
	withhold(&e, short)
	if e.URL != "http://127.0.0.1/?d="+hiddenValue+"&e=12" || e.Title != "Step 1" || short != hiddenValue {
		t.Errorf("one digit: %+v", e)
	}
}

// An act that the extension began and never ended is in progress for a while,
// and then uncertain for good.
func TestStartedActBecomesUncertain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	now := time.Unix(1_000_000, 0)
	clock := func() time.Time { return now }
	store, err := recovery.Open(t.TempDir(), recovery.Options{Ephemeral: true, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	extension, port := pair(t, wire.Options{Handler: func(context.Context, string, json.RawMessage) (any, error) {
		return wire.LedgerResult{Acts: []wire.LedgerRow{{ID: "a", State: "started"}}}, nil
	}})
	defer extension.Close()
	l := &link{host: &host{log: zerolog.Nop(), now: clock, port: port, browser: wire.Browser{Instance: "b"}}}
	known := &recovery.Act{ID: "a", Client: "c", Browser: "b", Kind: "click", Args: []byte("x"), State: stateSent, At: now}
	if _, err := store.BeginAct(ctx, known); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		after time.Duration
		code  wire.Code
		state string
	}{
		{expiry - 1, wire.ActInProgress, stateSent},
		{expiry, wire.Uncertain, stateUncertain},
		{0, wire.Uncertain, stateUncertain},
	} {
		now = known.At.Add(tt.after)
		row, err := store.Act(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.again(ctx, store, row, known)
		if f, ok := errors.AsType[*wire.Fault](err); !ok || f.Code != tt.code || f.Dispatched != wire.DispatchedUncertain {
			t.Errorf("after %v: %v, want %s", tt.after, err, tt.code)
		}
		if row, err = store.Act(ctx, "a"); err != nil || row.State != tt.state {
			t.Errorf("after %v: state %q, %v, want %s", tt.after, row.State, err, tt.state)
		}
	}
}

// A panic is answered as internal; the log has the place and nothing of the page.
func TestPanicIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l := &link{host: &host{log: zerolog.New(&log)}}
	opt := l.options(0)
	opt.Handler = func(context.Context, string, json.RawMessage) (any, error) { panic(fmt.Errorf("page text")) }
	_, port := pair(t, opt)
	f, ok := errors.AsType[*wire.Fault](port.Call(context.Background(), "snapshot", nil, nil))
	if !ok || f.Code != wire.Internal || f.LogID == "" {
		t.Fatalf("%+v", f)
	}
	if got := log.String(); !strings.Contains(got, f.LogID) || !strings.Contains(got, "internal_test.go") || strings.Contains(got, "page text") {
		t.Errorf("log: %s", got)
	}
}

// pair is a link between an extension and a host.
func pair(t *testing.T, opt wire.Options) (extension, port *wire.Conn) {
	t.Helper()
	toHost, fromExtension := io.Pipe()
	toExtension, fromHost := io.Pipe()
	extension = wire.NewConn(toExtension, fromExtension, opt)
	port = wire.NewConn(toHost, fromHost, wire.Options{})
	var wg sync.WaitGroup
	wg.Go(func() { extension.Serve(context.Background()) })
	wg.Go(func() { port.Serve(context.Background()) })
	t.Cleanup(func() { extension.Close(); port.Close(); wg.Wait() })
	return extension, port
}

// A rule that ends is asked about again once it is over.
func TestRuleExpires(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	asked := 0
	_, port := pair(t, wire.Options{Handler: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		if method != "ask" {
			return nil, nil
		}
		asked++
		return wire.AskResult{Answer: "always", Minutes: 60}, nil
	}})
	h := open(t.TempDir(), nil, zerolog.Nop(), clock)
	h.port, h.browser, h.dedicated = port, wire.Browser{Instance: "b"}, ""
	defer h.store.Close()
	l := &link{host: h, client: wire.Client{Kind: "cli", Name: "c"}}
	need := wire.Permit{Kind: "read", Origin: "https://a"}
	for _, tt := range []struct {
		after time.Duration
		asked int
	}{{0, 1}, {time.Hour - 1, 1}, {time.Hour, 2}, {2*time.Hour - 1, 2}, {2 * time.Hour, 3}} {
		mu.Lock()
		now = time.Unix(1_000_000, 0).Add(tt.after)
		mu.Unlock()
		if once, err := l.approved(t.Context(), need, 1, "read the page"); err != nil || once || asked != tt.asked {
			t.Errorf("after %v: %d questions, once %v, %v; want %d", tt.after, asked, once, err, tt.asked)
		}
	}
	if rules := h.allowed(t.Context()).Rules; len(rules) != 1 {
		t.Errorf("rules %+v", rules)
	}
}

// Reads with the same question share it; those of other clients wait for their
// own, unless a rule answers all.
func TestSharedQuestion(t *testing.T) {
	t.Parallel()
	asked, answers := make(chan wire.AskParams), make(chan wire.AskResult)
	_, port := pair(t, wire.Options{Handler: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		if method != "ask" {
			return nil, nil
		}
		var p wire.AskParams
		if err := wire.Decode(params, &p); err != nil {
			return nil, err
		}
		asked <- p
		return <-answers, nil
	}})
	h := open(t.TempDir(), nil, zerolog.Nop(), time.Now)
	h.port, h.browser, h.dedicated = port, wire.Browser{Instance: "b"}, ""
	defer h.store.Close()
	need := wire.Permit{Kind: "read", Origin: "https://a"}
	type end struct {
		who  string
		once bool
		err  error
	}
	ended := make(chan end)
	start := func(client, what string) {
		l := &link{host: h, client: wire.Client{Kind: "cli", Name: client}}
		go func() {
			once, err := l.approved(withOnces(t.Context()), need, 1, what)
			ended <- end{client + " " + what, once, err}
		}()
	}
	waiting := func(n int) {
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
			h.asked.mu.Lock()
			q := h.asked.open[need]
			done := q != nil && q.waiting == n
			h.asked.mu.Unlock()
			if done {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("never %d requests wait", n)
			}
		}
	}
	start("c", "look")
	<-asked
	start("c", "look")
	start("c", "wait")
	start("other", "look")
	waiting(4)
	answers <- wire.AskResult{Answer: "once"}
	for range 2 {
		if e := <-ended; e.who != "c look" || !e.once || e.err != nil {
			t.Errorf("%+v", e)
		}
	}
	if p := <-asked; p.Client.Name == "c" && p.What == "look" {
		t.Errorf("asked again: %+v", p)
	}
	waiting(2)
	answers <- wire.AskResult{Answer: "always"}
	for range 2 {
		if e := <-ended; e.who == "c look" || e.once || e.err != nil {
			t.Errorf("%+v", e)
		}
	}
}
