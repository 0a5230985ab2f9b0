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

// No event of an act gets to another record than the one that was seen, however
// the page changes before the act or under it.
func TestMutatingPages(t *testing.T) {
	n := chaos(t, 64)
	h, web := newHandrail(t), newSite(t)
	h.snapshot(t, "about:blank")
	d := h.direct(t)
	did, codes, astray := 0, map[string]int{}, 0
	for seed := range min(n, 300) {
		m := mutationOf(seed)
		// The page before may be on its way to another address still, which ends the way to this one.
		eventually(t, "the page is there", func() bool {
			return d.link.Once(t.Context(), "snapshot", wire.SnapshotParams{URL: m.address(web)}, &wire.Snapshot{}) == nil
		})
		meant := d.eval(t, "meant")
		uid := m.find(t, d.snapshot(t, wire.SnapshotParams{ViewOptions: wire.ViewOptions{Profile: "full"}}).UIDs, meant)
		web.take()
		d.eval(t, "start()")
		p := wire.ActParams{UID: uid, Action: m.act}
		on, text := true, "x"
		switch m.act {
		case "check":
			p.On = &on
		case "type":
			p.Text = &text
		case "press":
			p.Key = "Enter"
		}
		result, fault := d.try(t, p)
		got := web.take()
		told := fmt.Sprintf("%s: meant %s, the page counted %v; %+v, fault %+v", m, meant, got, result.Evidence, fault)
		reached := 0
		for key, events := range got {
			if strings.HasPrefix(key, meant+" ") {
				reached += events
				continue
			}
			astray += events
			t.Errorf("astray: %s", told)
		}
		if fault != nil && fault.Dispatched == wire.DispatchedNo && reached > 0 {
			t.Errorf("said to be undone: %s", told)
		}
		if fault == nil {
			did++
		} else {
			codes[string(fault.Code)+" "+fault.Reason]++
		}
	}
	t.Logf("%d pages: %d acted, %d refused, %d events astray: %v", min(n, 300), did, min(n, 300)-did, astray, codes)
}
