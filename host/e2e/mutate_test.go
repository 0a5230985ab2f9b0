//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"handrail/host/wire"
)

// mutation is a page of records that changes before an act or while it is done.
type mutation struct {
	seed                     int
	shape, change, when, act string
	ms, frame                int // frame is which of three, -1 the page itself
}

func (m mutation) String() string {
	return fmt.Sprintf("seed %d: %s of %s, %s %s (%d ms), frame %d", m.seed, m.act, m.shape, m.change, m.when, m.ms, m.frame)
}

// mutationOf makes a mutation from its seed. Of 16 in a row each is another change.
func mutationOf(seed int) mutation {
	changes := []string{
		"replace", "rerender", "move", "cover", "coverRow", "disable", "reparent", "keyed",
		"rebind", "recycle", "remove", "twin", "hide", "navigate", "cross", "none",
	}
	r := rand.New(rand.NewPCG(uint64(seed), 15))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	m := mutation{
		seed: seed, change: changes[seed%len(changes)], ms: r.IntN(400), frame: -1,
		shape: pick("table", "list", "articles", "cards"),
		act:   pick("click", "click", "click", "check", "type", "press"),
		when:  pick("before", "soon", "soon", "soon", "often", "moved", "pressed", "mousedown", "focused"),
	}
	if r.IntN(25) == 0 {
		m.when = "busy"
	}
	if r.IntN(4) == 0 {
		m.frame = r.IntN(3)
	}
	return m
}

// address is the page's. A frame that the act is not aimed at has the same list and stays as it is.
func (m mutation) address(web *site) string {
	q := url.Values{
		"seed": {fmt.Sprint(m.seed)}, "shape": {m.shape}, "change": {m.change}, "when": {m.when}, "act": {m.act}, "ms": {fmt.Sprint(m.ms)},
		"meant": {fmt.Sprint(m.seed % 4)},
	}
	if m.frame < 0 {
		return web.main("mutate.html?" + q.Encode())
	}
	q["site"] = []string{web.cross(""), web.nested(""), web.main("")}
	q.Set("changes", fmt.Sprint(m.frame))
	return web.main("mutate-frames.html?" + q.Encode())
}

// find gives the uid of the control of a record: the first one behind its name.
func (m mutation) find(t *testing.T, view, record string) string {
	t.Helper()
	control := map[string]string{"click": `button "Review"`, "press": `button "Review"`, "check": `checkbox "Done"`, "type": `textbox "Note"`}[m.act]
	_, behind, found := strings.Cut(view, `"`+record+`"`)
	uids := uidsOf(behind, control)
	if !found || len(uids) == 0 {
		t.Fatalf("%s: no %s of %s in\n%s", m, control, record, view)
	}
	return uids[0]
}

func (d direct) snapshot(t *testing.T, p wire.SnapshotParams) (s wire.Snapshot) {
	t.Helper()
	if err := d.link.Once(t.Context(), "snapshot", p, &s); err != nil {
		t.Fatalf("snapshot %+v: %v", p, err)
	}
	return s
}

// eval gives the text that an expression results in.
func (d direct) eval(t *testing.T, expression string) (text string) {
	t.Helper()
	var r wire.ActResult
	if err := d.link.Once(t.Context(), "eval", wire.EvalParams{Expression: expression}, &r); err != nil {
		t.Fatalf("eval %s: %v", expression, err)
	}
	if err := json.Unmarshal(r.Value, &text); err != nil {
		t.Fatal(err)
	}
	return text
}

// outcome is what became of an act on a page that changed.
type outcome struct {
	meant  string // the record
	events map[string]int
	result wire.ActResult
	fault  *wire.Fault
}

// play opens a mutation's page, acts on the record that is meant, and fails when
// an event of it got to another record, or when what is said of it is untrue.
func (m mutation) play(t *testing.T, d direct, web *site) (o outcome, astray int) {
	t.Helper()
	// The page before may be on its way to another address still, which ends the way to this one.
	eventually(t, "the page is there", func() bool {
		return d.link.Once(t.Context(), "snapshot", wire.SnapshotParams{URL: m.address(web)}, &wire.Snapshot{}) == nil
	})
	o.meant = d.eval(t, "meant")
	p := wire.ActParams{Action: m.act}
	p.UID = m.find(t, d.snapshot(t, wire.SnapshotParams{ViewOptions: wire.ViewOptions{Profile: "full"}}).UIDs, o.meant)
	on, text := true, "x"
	switch m.act {
	case "check":
		p.On = &on
	case "type":
		p.Text = &text
	case "press":
		p.Key = "Enter"
	}
	web.take()
	d.eval(t, "start()")
	o.result, o.fault = d.try(t, p)
	o.events = web.take()
	told := fmt.Sprintf("%s: meant %s, the page counted %v; %+v, fault %+v", m, o.meant, o.events, o.result.Evidence, o.fault)
	reached := 0
	for key, n := range o.events {
		if strings.HasPrefix(key, o.meant+" ") {
			reached += n
			continue
		}
		astray += n
		t.Errorf("astray: %s", told)
	}
	if o.fault != nil && o.fault.Dispatched == wire.DispatchedNo && reached > 0 {
		t.Errorf("said to be undone: %s", told)
	}
	return o, astray
}

// No event of an act gets to another record than the one that was seen, however
// the page changes before the act or under it.
func TestMutatingPages(t *testing.T) {
	n := min(chaos(t, 20), 300)
	h, web := newClient(t), newSite(t)
	h.snapshot(t, "about:blank")
	d := h.direct(t)
	did, astray, codes := 0, 0, map[string]int{}
	for seed := range n {
		o, events := mutationOf(seed).play(t, d, web)
		astray += events
		if o.fault == nil {
			did++
		} else {
			codes[strings.TrimSpace(string(o.fault.Code)+" "+o.fault.Reason)]++
		}
	}
	t.Logf("%d pages: %d acted, %d refused, %d events astray: %v", n, did, n-did, astray, codes)
}

// A page that is busy for longer than an act looks away, and then shows other
// records in its nodes, does not take the press for one of them.
func TestBusyPage(t *testing.T) {
	h, web := newClient(t), newSite(t)
	h.snapshot(t, "about:blank")
	for _, change := range []string{"rebind", "replace"} {
		o, _ := mutation{seed: 1, shape: "table", change: change, when: "stall", act: "click", frame: -1}.play(t, h.direct(t), web)
		if len(o.events) > 0 || o.fault == nil {
			t.Errorf("%s: the page counted %v; fault %v", change, o.events, o.fault)
		}
	}
}
