//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// captured is the part of a bundle that the tests of facts look at.
type captured struct {
	Frames []struct {
		Nodes []struct {
			Ignored bool
			Role    struct{ Value string }
			Name    struct{ Value string }
			Node    int `json:"backendDOMNodeId"`

			Properties []struct {
				Name  string
				Value struct{ Value any }
			}
		}
	}
	Layout map[string]map[string]map[string]any
}

// capture reads a page and takes its bundle from the store.
func (h *handrail) capture(t *testing.T, url string) (c captured) {
	t.Helper()
	s := h.snapshot(t, url)
	if err := json.Unmarshal(h.must(t, "recover", s.RecoveryHandle).stdout, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c captured) facts(node int) map[string]any { return c.Layout["0"][strconv.Itoa(node)] }

func (c captured) focusable(node int) bool { return c.is(node, "focusable") }
func (c captured) disabled(node int) bool  { return c.is(node, "disabled") }

func (c captured) is(node int, property string) bool {
	for _, n := range c.Frames[0].Nodes {
		for _, p := range n.Properties {
			if n.Node == node && p.Name == property && p.Value.Value == true {
				return true
			}
		}
	}
	return false
}

func unseen(facts map[string]any) bool {
	opacity, faint := facts["opacity"].(float64)
	return facts["clip"] == true || facts["color"] != nil || facts["rendered"] == false || faint && opacity < 0.05
}

func TestFactsOfHiddenTexts(t *testing.T) {
	h, web := newClient(t), newSite(t)
	c := h.capture(t, web.main("hidden.html"))
	all, told := map[string]int{}, map[string]int{}
	for _, n := range c.Frames[0].Nodes {
		m := regexp.MustCompile(`^\s*((hidden|visible|shown)-\w+) `).FindStringSubmatch(n.Name.Value)
		if m == nil || n.Ignored || n.Role.Value != "StaticText" {
			continue
		}
		hidden := m[2] == "hidden"
		all[m[2]]++
		if unseen(c.facts(n.Node)) {
			told[m[2]]++
		}
		if unseen(c.facts(n.Node)) != hidden {
			t.Logf("%s: %v", m[1], c.facts(n.Node))
		}
	}
	if all["hidden"] < 40 || told["hidden"]*100 < all["hidden"]*95 {
		t.Errorf("%d of %d hidden texts are told as unseen, want 95 %%", told["hidden"], all["hidden"])
	}
	if all["visible"] < 20 || told["visible"]+told["shown"] > 0 {
		t.Errorf("%d of %d visible texts are told as unseen, want 0", told["visible"]+told["shown"], all["visible"])
	}
	for id, facts := range c.Layout["0"] {
		if facts["tag"] == "input" && facts["clip"] != nil {
			t.Errorf("the field %s is told as clipped: %v", id, facts)
		}
	}
}

func TestFactsOfTargets(t *testing.T) {
	h, web := newClient(t), newSite(t)
	c := h.capture(t, web.main("icons.html"))
	marked := func(selector string) (places []string) {
		// Which element is which is known by its box.
		list := h.eval(t, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => { const b = e.getBoundingClientRect(); return [e.localName, ...[b.x, b.y, b.width, b.height].map(Math.round)].join(' ') })`, selector))
		if err := json.Unmarshal([]byte(list), &places); err != nil {
			t.Fatal(err)
		}
		return places
	}
	nodes := map[string]int{}
	for id, facts := range c.Layout["0"] {
		if box, ok := facts["box"].([]any); ok {
			nodes[strings.Trim(fmt.Sprintln(append([]any{facts["tag"]}, box...)...), "\n")], _ = strconv.Atoi(id)
		}
	}
	seen := map[string]string{}
	icons := marked("[data-icon-target]")
	for _, place := range icons {
		var says []string
		for name, value := range c.facts(nodes[place]) {
			if name == "icon" || name == "class" || name == "title" {
				says = append(says, fmt.Sprint(name, " ", value))
			}
		}
		sort.Strings(says)
		key := strings.Join(says, ", ")
		if other, twice := seen[key]; twice || key == "" || key == "class listens" {
			t.Errorf("%s says %q, as does %s", place, key, other)
		}
		seen[key] = place
	}
	targets := marked("[data-target]")
	for _, place := range append(targets, icons...) {
		if node := nodes[place]; c.facts(node)["clickable"] != true && !c.focusable(node) && !c.disabled(node) {
			t.Errorf("%s is neither clickable nor focusable: %v", place, c.facts(node))
		}
	}
	if len(icons) < 15 || len(targets) < 15 {
		t.Errorf("%d icons and %d targets", len(icons), len(targets))
	}
}
