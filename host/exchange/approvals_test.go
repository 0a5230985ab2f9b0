package exchange_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"handrail/host/exchange/faketest"
	"handrail/host/socket"
	"handrail/host/wire"
)

// person answers the questions of a host, in order; without an answer left it waits
// until the question is withdrawn.
type person struct {
	mu        sync.Mutex
	asked     []wire.AskParams
	withdrawn int
	answers   chan wire.AskResult
}

func (w *world) person(answers ...wire.AskResult) *person {
	p := &person{answers: make(chan wire.AskResult, 10)}
	for _, a := range answers {
		p.answers <- a
	}
	w.browser.On("ask", func(ctx context.Context, params json.RawMessage) (any, error) {
		var asked wire.AskParams
		if err := wire.Decode(params, &asked); err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.asked = append(p.asked, asked)
		p.mu.Unlock()
		select {
		case a := <-p.answers:
			return a, nil
		case <-ctx.Done():
			p.mu.Lock()
			p.withdrawn++
			p.mu.Unlock()
			return nil, ctx.Err()
		}
	})
	return p
}

// questions words what was asked so far.
func (p *person) questions() (said []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked {
		said = append(said, fmt.Sprintf("%s %s: %s", q.Kind, q.Origin, q.What))
	}
	return said
}

func (p *person) wantQuestions(t *testing.T, want ...string) {
	t.Helper()
	if got := p.questions(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("questions\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (p *person) wantAsked(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d questions", n), func() bool { return len(p.questions()) == n })
}

func (p *person) wantWithdrawn(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d questions are withdrawn", n), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.withdrawn == n
	})
}

var (
	once   = wire.AskResult{Answer: "once"}
	always = wire.AskResult{Answer: "always"}
	never  = wire.AskResult{Answer: "never"}
	deny   = wire.AskResult{Answer: "deny"}
)

// asking starts a person's own browser on a page, and a client of it.
func asking(t *testing.T, answers ...wire.AskResult) (*world, *client, *person) {
	t.Helper()
	w := start(t)
	w.browser.Load(1, first)
	return w, w.client("c"), w.person(answers...)
}

const (
	readQuestion = "read http://fake: read the page"
	saveQuestion = `act http://fake: click button "Save"`
)

var save = wire.ActParams{UID: "u5", Action: "click"}

func TestOnceIsForOneRequest(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, once, once, once, deny)
	c.snapshot(wire.SnapshotParams{})
	c.snapshot(wire.SnapshotParams{})
	c.act(save)
	f := c.refused(wire.NotApproved, "act", save)
	if f.Retry != wire.RetryNever || f.Need == nil || f.Need.Kind != "act" || f.Need.Origin != "http://fake" {
		t.Errorf("denied: %+v", f)
	}
	p.wantQuestions(t, readQuestion, readQuestion, saveQuestion, saveQuestion)
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
	if asked := p.asked[0]; asked.Client != (wire.Asker{Kind: "cli", Name: "c"}) || asked.Tab != 1 || asked.ID == "" || asked.Expires == 0 {
		t.Errorf("asked %+v", asked)
	}
}

func TestAlwaysAndNeverAreKept(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, always, always, never)
	c.snapshot(wire.SnapshotParams{})
	c.snapshot(wire.SnapshotParams{})
	c.act(save)
	c.act(save)
	w.client("another").snapshot(wire.SnapshotParams{})
	c.refused(wire.EvalOff, "eval", wire.EvalParams{Expression: "1"})
	c.refused(wire.RevealOff, "snapshot", wire.SnapshotParams{Reveal: true})
	w.browser.On("perform", func(context.Context, json.RawMessage) (any, error) { t.Error("sent"); return nil, nil })
	c.refused(wire.NotApproved, "snapshot", wire.SnapshotParams{URL: "http://other/"})
	c.refused(wire.NotApproved, "navigate", wire.NavigateParams{URL: "http://other/"}) // by the rule
	c.refused(wire.NotApproved, "tabs", wire.TabsParams{Action: "open", URL: "http://other/x"})
	p.wantQuestions(t, readQuestion, saveQuestion, "read http://other: open http://other/")

	w.link.Stdin.Close()
	w.link.Exit(t)
	w.restart()
	rules := w.client("c").welcome.Policy.Rules
	var said []string
	for _, r := range rules {
		said = append(said, r.Origin+" "+r.Kind+" "+r.Verdict)
	}
	if got, want := strings.Join(said, ", "), "http://fake act always, http://fake read always, http://other read never"; got != want {
		t.Errorf("after a restart: %s, want %s", got, want)
	}
}

// A person's own page is not replaced, and an address opens once reading is allowed.
func TestOpeningAsksToRead(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, once)
	if got := c.snapshot(wire.SnapshotParams{URL: second}).Tab; got == 1 {
		t.Error("a user's page was replaced")
	}
	p.wantQuestions(t, "read http://fake: open "+second) // one, for opening and reading
	p.answers <- once
	c.must("navigate", wire.NavigateParams{URL: list}, nil)
	p.wantQuestions(t, "read http://fake: open "+second, "act http://fake: go to "+list)
	if n := w.browser.Asked("perform"); n != 2 {
		t.Errorf("%d acts", n)
	}
}

// What reads a page asks for it; what is stored, and the list of tabs, does not.
func TestWhatIsAskedAbout(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, once)
	s := c.snapshot(wire.SnapshotParams{})
	for _, method := range []string{"await", "shoot"} {
		w.browser.On(method, func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"met": true, "ms": 1, "png": "", "width": 1, "height": 1}, nil
		})
	}
	c.must("tabs", wire.TabsParams{}, nil)
	c.must("recover", wire.RecoverParams{Handle: s.RecoveryHandle}, nil)
	c.must("find", wire.FindParams{Text: "Save"}, nil)
	p.wantAsked(t, 1)
	for i, tt := range []struct {
		method string
		params any
		what   string
	}{
		{"resolve", wire.ResolveParams{All: true}, "read http://fake: look at nodes of the page"},
		{"wait", wire.WaitParams{Text: "x"}, "read http://fake: wait for the page"},
		{"screenshot", wire.ScreenshotParams{}, "read http://fake: take a picture of the page"},
		{"highlight", wire.HighlightUIDParams{UID: "u5"}, "read http://fake: point at a node of the page"},
		{"tabs", wire.TabsParams{Action: "select", Tab: 1}, "act http://fake: select the tab"},
		{"navigate", wire.NavigateParams{Action: "reload"}, "act http://fake: reload"},
	} {
		p.answers <- once
		c.must(tt.method, tt.params, nil)
		if got := p.questions(); len(got) != i+2 || got[i+1] != tt.what {
			t.Errorf("%s: questions %q, want %q", tt.method, got, tt.what)
		}
	}
	w.link.Allow(t, "ask", "eval")
	p.answers <- once
	c.must("eval", wire.EvalParams{Expression: "document.title"}, nil)
	if got := p.questions(); got[len(got)-1] != "eval http://fake: run document.title" {
		t.Errorf("questions %q", got)
	}
	// The panel is the person's own.
	panel := &client{t: t, Conn: w.link.Conn}
	before := len(p.questions())
	panel.snapshot(wire.SnapshotParams{Tab: 1})
	panel.act(save)
	p.wantAsked(t, before)
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	w := start(t, "HANDRAIL_APPROVAL=300ms")
	w.browser.Load(1, first)
	c, p := w.client("c"), w.person()
	var told []wire.Waiting
	var mu sync.Mutex
	ctx := wire.OnWaiting(t.Context(), func(waiting wire.Waiting) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, waiting)
	})
	var result json.RawMessage
	err := c.Call(ctx, "snapshot", wire.SnapshotParams{}, &result)
	f, ok := err.(*wire.Fault)
	if !ok || f.Code != wire.NotApproved || f.Retry != wire.RetrySafe || !strings.Contains(f.Hint, "side panel") || f.Dispatched != wire.DispatchedNo {
		t.Fatalf("%+v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 1 || told[0].Code != "waiting_for_approval" || told[0].Kind != "read" || told[0].Origin != "http://fake" || told[0].ID == 0 {
		t.Errorf("told %+v", told)
	}
	p.wantWithdrawn(t, 1)
	if w.browser.Asked("capture") != 0 {
		t.Error("the page was read")
	}
}

// A client that gives up, or goes, takes its question along.
func TestQuestionIsWithdrawn(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t)
	ctx, cancel := context.WithCancel(t.Context())
	canceled := make(chan error)
	go func() { canceled <- c.Call(ctx, "snapshot", wire.SnapshotParams{}, nil) }()
	p.wantAsked(t, 1)
	cancel()
	if f, ok := (<-canceled).(*wire.Fault); !ok || f.Code != wire.Canceled {
		t.Errorf("canceled: %v", f)
	}
	p.wantWithdrawn(t, 1)

	conn, err := socket.Dial(t.Context(), w.entry())
	if err != nil {
		t.Fatal(err)
	}
	gone := &client{t: t, Conn: wire.NewConn(conn, conn, wire.Options{})}
	go gone.Serve(context.Background())
	gone.must("hello", wire.Hello{Min: 1, Max: 1, Version: "1", Client: &wire.Client{Kind: "mcp", Name: "gone"}}, nil)
	go gone.Call(t.Context(), "snapshot", wire.SnapshotParams{}, nil)
	p.wantAsked(t, 2)
	gone.Close()
	p.wantWithdrawn(t, 2)
}

// A rule counts at once, for requests that wait as well.
func TestRulesCountAtOnce(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t)
	panel := &client{t: t, Conn: w.link.Conn}
	ended := make(chan error)
	read := func() { ended <- c.call("snapshot", wire.SnapshotParams{}, nil) }
	go read()
	p.wantAsked(t, 1)
	panel.must("policy", wire.PolicyParams{Action: "set", Origin: "http://fake", Kind: "read", Verdict: "always"}, nil)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	p.wantWithdrawn(t, 1)
	var now wire.Policy
	panel.must("policy", wire.PolicyParams{Action: "revoke", Origin: "http://fake", Kind: "read"}, &now)
	if len(now.Rules) != 0 {
		t.Errorf("rules %+v", now.Rules)
	}
	go read()
	p.wantAsked(t, 2)
	panel.must("policy", wire.PolicyParams{Action: "set", Origin: "http://fake", Kind: "read", Verdict: "never"}, nil)
	if f, ok := (<-ended).(*wire.Fault); !ok || f.Code != wire.NotApproved || f.Retry != wire.RetryNever {
		t.Errorf("never: %v", f)
	}
	eventually(t, "the extension is told", func() bool { return w.browser.Asked("rules") >= 3 })
}

// A program makes the policy stricter, never wider.
func TestClientsDoNotApproveThemselves(t *testing.T) {
	t.Parallel()
	w, c, _ := asking(t)
	panel := &client{t: t, Conn: w.link.Conn}
	for _, verdict := range []string{"always", "ask"} {
		c.refused(wire.NotApproved, "policy", wire.PolicyParams{Action: "set", Kind: "act", Verdict: verdict, Origin: "http://fake"})
	}
	panel.must("policy", wire.PolicyParams{Action: "set", Kind: "act", Verdict: "always"}, nil)
	panel.must("policy", wire.PolicyParams{Action: "set", Kind: "submit", Verdict: "never", Origin: "http://fake"}, nil)
	c.refused(wire.BadRequest, "policy", wire.PolicyParams{Action: "revoke", Kind: "submit", Origin: "http://fake"}) // submits would be acts
	// A rule that ends would take the place of one that does not.
	c.refused(wire.NotApproved, "policy", wire.PolicyParams{Action: "set", Kind: "submit", Verdict: "never", Origin: "http://fake", Minutes: 1})
	c.must("policy", wire.PolicyParams{Action: "set", Kind: "upload", Verdict: "never", Origin: "http://fake", Minutes: 1}, nil)
	panel.must("policy", wire.PolicyParams{Action: "revoke", Kind: "upload", Origin: "http://fake"}, nil)
	var p wire.Policy
	c.must("policy", wire.PolicyParams{Action: "set", Kind: "read", Verdict: "never", Origin: "http://fake"}, &p)
	c.must("policy", wire.PolicyParams{Action: "revoke"}, &p)
	if len(p.Rules) != 2 || p.Wide["act"] != "ask" || p.Rules[0].Verdict != "never" || p.Rules[1].Verdict != "never" {
		t.Errorf("policy %+v", p)
	}
	c.refused(wire.NotApproved, "snapshot", wire.SnapshotParams{})
	var tabs wire.TabsResult
	c.must("tabs", wire.TabsParams{}, &tabs)
	if tabs.Tabs[0].Title != "" || tabs.Tabs[0].URL != "http://fake" {
		t.Errorf("the list tells of a page that is never read: %+v", tabs.Tabs[0])
	}
	for _, bad := range []wire.PolicyParams{
		{Action: "set", Verdict: "never"}, {Action: "set", Kind: "read"}, {Action: "set", Kind: "read", Verdict: "never", Origin: "http://fake/x"},
		{Action: "set", Kind: "read", Verdict: "never", Origin: "null"}, {Action: "set", Kind: "read", Verdict: "never", Minutes: -1},
	} {
		c.refused(wire.BadRequest, "policy", bad)
	}
}

// The extension finds out that a click submits: the person is asked, and the act
// is done under the same id.
func TestSubmitAsksAgain(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, always)
	c.snapshot(wire.SnapshotParams{})
	w.link.Allow(t, "always", "act")
	w.link.Allow(t, "ask", "submit")
	w.browser.Change(1, func(tab *faketest.Tab) { tab.Page.Nodes[0].Submits = true })
	click := save
	click.ActID = strings.Repeat("1", 32)
	p.answers <- once
	done := c.act(click)
	if again := c.act(click); again.ActID != done.ActID || w.browser.Events() != 1 {
		t.Errorf("the same id: %+v, %d events", again, w.browser.Events())
	}
	p.wantQuestions(t, readQuestion, `submit http://fake: click button "Save"`)
	if n := w.browser.Asked("perform"); n != 2 {
		t.Errorf("%d performs", n)
	}
	p.answers <- deny
	f := c.refused(wire.NotApproved, "act", save)
	if f.Need == nil || f.Need.Kind != "submit" || w.browser.Events() != 1 {
		t.Errorf("denied: %+v, %d events", f, w.browser.Events())
	}
	c.act(wire.ActParams{UID: "u6", Action: "click"}) // no submit
	// Without a rule of its own a submit is an act.
	(&client{t: t, Conn: w.link.Conn}).must("policy", wire.PolicyParams{Action: "revoke", Kind: "submit"}, nil)
	c.act(save)
	if w.browser.Events() != 3 {
		t.Errorf("%d events", w.browser.Events())
	}
}

// An act in a frame of another site needs that site's leave; a never frame is named
// to the extension.
func TestFrameHasItsOwnOrigin(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, always)
	var scope *wire.Scope
	w.browser.On("capture", func(ctx context.Context, params json.RawMessage) (any, error) {
		var asked wire.CaptureParams
		if err := json.Unmarshal(params, &asked); err != nil {
			return nil, err
		}
		scope = asked.Scope
		r, err := w.browser.Own(ctx, "capture", params)
		if err != nil {
			return nil, err
		}
		made := r.(wire.CaptureResult)
		made.Bundle = json.RawMessage(strings.Replace(string(made.Bundle), `"origin":"http://fake"`, `"origin":"http://framed"`, 1))
		return made, nil
	})
	panel := &client{t: t, Conn: w.link.Conn}
	panel.must("policy", wire.PolicyParams{Action: "set", Origin: "http://ads", Kind: "read", Verdict: "never"}, nil)
	c.snapshot(wire.SnapshotParams{})
	if scope == nil || scope.Origin != "http://fake" || fmt.Sprint(scope.Never) != "[http://ads]" || scope.Only != nil {
		t.Errorf("scope %+v", scope)
	}
	panel.must("policy", wire.PolicyParams{Action: "set", Kind: "read", Verdict: "never"}, nil)
	c.snapshot(wire.SnapshotParams{})
	if fmt.Sprint(scope.Only) != "[http://fake]" {
		t.Errorf("scope %+v", scope)
	}
	p.answers <- once
	c.act(save)
	p.wantQuestions(t, readQuestion, `act http://framed: click button "Save"`)
}

// A page that moved to another site while the person thought is asked about anew.
func TestPageMovesWhileThePersonThinks(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.browser.Load(1, "http://before/")
	c, p := w.client("c"), w.person()
	ended := make(chan error)
	go func() { ended <- c.call("snapshot", wire.SnapshotParams{}, nil) }()
	p.wantAsked(t, 1)
	w.browser.Load(1, first)
	p.answers <- always
	p.wantAsked(t, 2)
	p.answers <- once
	if err := <-ended; err != nil {
		t.Error(err)
	}
	p.wantQuestions(t, "read http://before: read the page", readQuestion)
}

// Leave for an hour ends by the clock: the rule carries its end.
func TestAnswerForAWhile(t *testing.T) {
	t.Parallel()
	_, c, _ := asking(t, wire.AskResult{Answer: "always", Minutes: 60})
	c.snapshot(wire.SnapshotParams{})
	var p wire.Policy
	c.must("policy", wire.PolicyParams{}, &p)
	if len(p.Rules) != 1 || time.Duration(p.Rules[0].Expires-p.Rules[0].Made)*time.Millisecond != time.Hour {
		t.Errorf("rules %+v", p.Rules)
	}
}

// Of two acts in the same words one is approved: the other may be on another row. One
// that is given up takes its question along, and leaves the other's to be asked.
func TestOnceIsForOneOfTwoActs(t *testing.T) {
	t.Parallel()
	w, c, p := asking(t, always)
	c.snapshot(wire.SnapshotParams{})
	ended := make(chan error)
	waiting := make(chan wire.Waiting, 3)
	act := func(ctx context.Context) {
		ended <- c.Call(wire.OnWaiting(ctx, func(told wire.Waiting) { waiting <- told }), "act", save, nil)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go act(ctx)
	<-waiting
	for range 2 {
		go act(t.Context())
		<-waiting
	}
	p.wantAsked(t, 2)
	cancel()
	if f, ok := (<-ended).(*wire.Fault); !ok || f.Code != wire.Canceled {
		t.Errorf("canceled: %v", f)
	}
	p.wantAsked(t, 3)
	p.answers <- once
	if err := <-ended; err != nil {
		t.Error(err)
	}
	p.wantAsked(t, 4)
	p.answers <- deny
	if f, ok := (<-ended).(*wire.Fault); !ok || f.Code != wire.NotApproved {
		t.Errorf("denied: %v", f)
	}
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d acts on one approval", n)
	}
}

// What the person reads of a request is one line that is as it looks, whatever a
// client calls itself and wants, and however long that is.
func TestQuestionIsAsItLooks(t *testing.T) {
	t.Parallel()
	w, _, p := asking(t, deny)
	w.link.Allow(t, "ask", "eval")
	c := w.client("Chrome\n\u202e\u200b" + strings.Repeat("x", 100))
	c.refused(wire.NotApproved, "eval", wire.EvalParams{Expression: "1 /*\n\u202e*/ + steal() /*\u2066*/"})
	asked := p.asked[0]
	if want := "Chrome ��" + strings.Repeat("x", 31) + "…"; asked.Client.Name != want {
		t.Errorf("name %q, want %q", asked.Client.Name, want)
	}
	if want := "run 1 /* �*/ + steal() /*�*/"; asked.What != want {
		t.Errorf("what %q, want %q", asked.What, want)
	}
}

// An act that leads to a page that is never read says where to, and nothing of the page.
func TestEvidenceOfAPageThatIsNeverRead(t *testing.T) {
	t.Parallel()
	w, c, _ := asking(t, always, always)
	(&client{t: t, Conn: w.link.Conn}).must("policy", wire.PolicyParams{Action: "set", Origin: "https://bank", Kind: "read", Verdict: "never"}, nil)
	c.snapshot(wire.SnapshotParams{})
	for address, told := range map[string]bool{"https://bank/of?name=canary": false, "http://fake/of?name=canary": true} {
		w.browser.On("perform", func(context.Context, json.RawMessage) (any, error) {
			value := "canary"
			return wire.Evidence{
				Dispatched: wire.DispatchedYes, Effect: "seen", Method: "mouse", NewDocument: true, URL: address, Title: "canary", Focus: "canary", Dialog: "canary",
				Hit: &wire.Hit{Role: "link", Name: "canary"}, ValueNow: &value, Chosen: []string{"canary"}, Scroll: &wire.Scroll{Lines: []string{"canary"}},
			}, nil
		})
		text, err := json.Marshal(c.act(save))
		if n := strings.Count(string(text), "canary"); err != nil || told != (n == 8) || !told && n != 0 || !strings.Contains(string(text), address[:11]) {
			t.Errorf("%s: %s", address, text)
		}
	}
}
