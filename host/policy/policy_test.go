package policy

import (
	"slices"
	"testing"
	"time"
)

var now = time.Unix(1_000_000, 0)

func TestDecide(t *testing.T) {
	t.Parallel()
	const a, b = "https://a.example", "https://b.example"
	rule := func(origin, kind, verdict string) Rule {
		return Rule{Origin: origin, Kind: kind, Verdict: verdict, Made: now}
	}
	until := func(r Rule, at time.Time) Rule { r.Expires = at; return r }
	for _, tt := range []struct {
		name         string
		rules        []Rule
		kind, origin string
		want         string
	}{
		{"reading is asked about", nil, Read, a, Ask},
		{"acting is asked about", nil, Act, a, Ask},
		{"submitting is asked about", nil, Submit, a, Ask},
		{"uploading is asked about", nil, Upload, a, Ask},
		{"eval is off", nil, Eval, a, Never},
		{"reveal is off", nil, Reveal, a, Never},
		{"a rule of the origin", []Rule{rule(a, Read, Always)}, Read, a, Always},
		{"is no other origin's", []Rule{rule(a, Read, Always)}, Read, b, Ask},
		{"is no other port's", []Rule{rule(a, Read, Always)}, Read, a + ":8443", Ask},
		{"is no other kind's", []Rule{rule(a, Read, Always)}, Act, a, Ask},
		{"a rule for all sites", []Rule{rule("", Act, Never)}, Act, b, Never},
		{"goes behind the origin's", []Rule{rule("", Act, Never), rule(a, Act, Always)}, Act, a, Always},
		{"in whichever order", []Rule{rule(a, Act, Ask), rule("", Act, Always)}, Act, a, Ask},
		{"a submit is an act", []Rule{rule(a, Act, Always)}, Submit, a, Always},
		{"but where a rule speaks of it", []Rule{rule(a, Act, Always), rule(a, Submit, Ask)}, Submit, a, Ask},
		{"also one for all sites", []Rule{rule(a, Act, Always), rule("", Submit, Never)}, Submit, a, Never},
		{"an upload is no act", []Rule{rule(a, Act, Always)}, Upload, a, Ask},
		{"a rule that has not expired", []Rule{until(rule(a, Read, Always), now.Add(1))}, Read, a, Always},
		{"one that has", []Rule{until(rule(a, Read, Always), now)}, Read, a, Ask},
		{"leaves the one for all sites", []Rule{until(rule(a, Read, Always), now), rule("", Read, Never)}, Read, a, Never},
		{"no site, no rule", []Rule{rule(Opaque, Read, Always)}, Read, Opaque, Ask},
		{"but that for all", []Rule{rule("", Read, Always)}, Read, Opaque, Always},
		{"eval switched on", []Rule{rule("", Eval, Ask)}, Eval, a, Ask},
	} {
		if got := Decide(tt.rules, tt.kind, tt.origin, now); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	rules := []Rule{rule(a, Read, Never), rule("", Read, Never), rule(b, Act, Never), until(rule(b, Read, Never), now)}
	if got := Unread(rules, now); !slices.Equal(got, []string{a}) {
		t.Errorf("unread %v", got)
	}
	for _, tt := range []struct {
		rules []Rule
		want  []string
	}{
		{[]Rule{rule(a, Read, Always)}, nil},
		{[]Rule{until(rule("", Read, Never), now), rule(a, Read, Always)}, nil},
		{[]Rule{rule("", Read, Never), rule(a, Read, Always), rule(b, Read, Ask), rule("https://c.example", Read, Never), rule("https://d.example", Act, Always)}, []string{a, b}},
	} {
		if got := Only(tt.rules, now); !slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("only %v, want %v", got, tt.want)
		}
	}
	if !SubmitsAsActs(nil, a, now) || SubmitsAsActs([]Rule{rule("", Submit, Ask)}, a, now) {
		t.Error("submits are acts just where no rule speaks of them")
	}
}

func TestOriginOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://a.example/x?y#z": "https://a.example", "https://A.example:443/": "https://a.example", "http://a.example:8080": "http://a.example:8080",
		"https://me@a.example/": "https://a.example", "http://[::1]:80/": "http://[::1]", "blob:https://a.example/1": "https://a.example",
		"file:///etc/x": "file://", "about:blank": "", "": "", "chrome://newtab/": "", "data:text/html,x": Opaque, "about:srcdoc": Opaque,
		"https://ä.example/": "https://xn--4ca.example", "http://Ä.example:80/x": "http://xn--4ca.example", "http://ä.example:81": "http://xn--4ca.example:81",
		"https://fußball。example": "https://xn--fuball-cta.example", "https://a\u202eb.example/": Opaque, "http://a b/": Opaque, "blob:null/1": Opaque,
	} {
		if got := OriginOf(address); got != want {
			t.Errorf("OriginOf(%q) = %q, want %q", address, got, want)
		}
	}
}
