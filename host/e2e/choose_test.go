//go:build e2e

package e2e

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/host/client"
	"handrail/host/wire"
)

// chooser acts as the same client as h, whose uids it may use.
type chooser func(wire.ActParams) (wire.ActResult, *wire.Fault)

func (h *handrail) chooser(t *testing.T) chooser {
	t.Helper()
	link, err := client.Connect(context.Background(), client.Choice{
		Dir: h.home, Headless: true, Client: wire.Client{Kind: "cli", Name: h.client}, Warn: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	return func(params wire.ActParams) (r wire.ActResult, fault *wire.Fault) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := link.Act(ctx, "act", params, &r); err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		return r, fault
	}
}

// must does an act that has to succeed.
func (do chooser) must(t *testing.T, params wire.ActParams) wire.ActResult {
	t.Helper()
	r, fault := do(params)
	if fault != nil {
		t.Errorf("%+v: %v", params, fault)
	}
	return r
}

// refused does an act that has to fail with the code and these words.
func (do chooser) refused(t *testing.T, code wire.Code, words string, params wire.ActParams) *wire.Fault {
	t.Helper()
	r, fault := do(params)
	if fault == nil {
		t.Errorf("%+v: done: %+v", params, r)
		return &wire.Fault{}
	}
	if fault.Code != code || !strings.Contains(fault.Message, words) {
		t.Errorf("%+v: %v, want %s with %q", params, fault, code, words)
	}
	return fault
}

func TestSelect(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("select.html")).UIDs
	do := h.chooser(t)
	list := func(name string, values ...string) wire.ActParams {
		return wire.ActParams{UID: uidOf(t, view, `"`+name+`"`), Action: "select", Values: values}
	}
	for _, test := range []struct {
		name   string
		values []string
		counts string
		chosen []string
	}{
		{"Country", []string{"Land 120"}, "country %s l120", []string{"Land 120"}},
		{"Country", []string{"l7"}, "country %s l7", []string{"Land 7"}},
		{"Country", []string{"LAND  249"}, "country %s l249", []string{"Land 249"}},
		{"Country", []string{"l150"}, "country %s l150", []string{"Capital"}},
		{"Country", []string{"and 121"}, "country %s l121", []string{"Land 121"}},
		{"Toppings", []string{"Basil", "o"}, "toppings %s o+b", []string{"Olives", "Basil"}},
		{"Size", []string{"Medium"}, "size %s m", []string{"Medium"}},
	} {
		r := do.must(t, list(test.name, test.values...))
		if !slices.Equal(r.Chosen, test.chosen) || r.Reverted || r.Method != "select" || r.Effect != "seen" || !slices.Contains(r.Changes, "value") {
			t.Errorf("%s %q: %+v", test.name, test.values, r)
		}
		web.wantCounts(t, map[string]int{strings.Replace(test.counts, "%s", "input", 1): 1, strings.Replace(test.counts, "%s", "change", 1): 1})
	}
	if r := do.must(t, list("Size", "m")); !r.Unchanged || r.Dispatched != "no" || !slices.Equal(r.Chosen, []string{"Medium"}) {
		t.Errorf("again: %+v", r)
	}
	h.eval(t, "void (get('lid').hidden = false)")
	for _, test := range []struct {
		code   wire.Code
		words  string
		name   string
		values []string
	}{
		{wire.BadRequest, `"Land 48", "Land 49" and 250 more`, "Country", []string{"Atlantis"}},
		{wire.BadRequest, `"Capital" (value "l50" in "Continent 1")`, "Country", []string{"Capital"}},
		{wire.BadRequest, `"Land 12" (value "l12" in "Continent 0"), "Land 120"`, "Country", []string{"nd 12"}},
		{wire.BadRequest, "one value", "Country", []string{"l1", "l2"}},
		{wire.Disabled, "Land 299", "Country", []string{"Land 299"}},
		{wire.Disabled, "Extra large", "Size", []string{"Extra large"}},
		{wire.Disabled, "", "Frozen", []string{"Two"}},
		{wire.WrongKind, "button", "No list", []string{"Two"}},
		{wire.Covered, "lid", "Below", []string{"Two"}},
	} {
		if f := do.refused(t, test.code, test.words, list(test.name, test.values...)); f.Dispatched != "no" {
			t.Errorf("%s %q: %+v", test.name, test.values, f)
		}
	}
	web.wantCounts(t, map[string]int{})

	if r := do.must(t, list("Plan", "Pro")); !r.Reverted || !slices.Equal(r.Chosen, []string{"Free"}) {
		t.Errorf("taken back: %+v", r)
	}
	web.take()
	if f := do.refused(t, wire.StaleUID, "", list("Shifty", "Two")); f.Dispatched != "yes" {
		t.Errorf("a list that is filled anew as it gets the focus: %+v", f)
	}
	web.wantCounts(t, map[string]int{})
	if r := do.must(t, list("Asks", "Two")); r.Dialog != "Really two?" {
		t.Errorf("dialog: %+v", r)
	}
	h.must(t, "dialog", "accept")
	eventually(t, "the dialog was accepted", func() bool { return web.take()["asked"] == 1 })
}

// An option's own uid works, though there is no place to click.
func TestClickOption(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("select.html"), "--profile", "full", "--handles", "all").UIDs
	if r := h.act(t, uidOf(t, view, `option "Land 33"`), "click"); r.Method != "select" || !slices.Equal(r.Chosen, []string{"Land 33"}) {
		t.Errorf("%+v", r)
	}
	web.wantCounts(t, map[string]int{"country input l33": 1, "country change l33": 1})
	h.refused(t, wire.Disabled, "act", uidOf(t, view, `option "Land 299"`), "click")
	h.eval(t, "void (get('country').options[40].label = 'Elsewhere')")
	h.refused(t, wire.StaleUID, "act", uidOf(t, view, `option "Land 40"`), "click")
	web.wantCounts(t, map[string]int{})
}

func TestCombobox(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("combobox.html")).UIDs
	do := h.chooser(t)
	list := func(name string, values ...string) wire.ActParams {
		return wire.ActParams{UID: uidOf(t, view, name), Action: "select", Values: values}
	}
	for _, test := range []struct {
		name   string
		values []string
		counts map[string]int
	}{
		{`combobox "Fruit"`, []string{"cherry"}, map[string]int{"fruit Cherry": 1}},
		{`combobox "Fruit"`, []string{"Elder"}, map[string]int{"fruit Elder": 1}},
		{`button "Pet"`, []string{"Dog"}, map[string]int{"pet Dog": 1}},
		{`combobox "City"`, []string{"Porto"}, map[string]int{"city Porto": 1}},
		{`combobox "Number"`, []string{"Number 3"}, map[string]int{"number Number 3": 1}},
		{`combobox "Number"`, []string{"Number 700"}, map[string]int{"number Number 700": 1}},
		{`listbox "Colour"`, []string{"Red"}, map[string]int{"colour Red": 1}},
		{`listbox "Days"`, []string{"Tuesday", "Thursday"}, map[string]int{"days Monday": 1, "days Tuesday": 1, "days Thursday": 1}},
	} {
		r := do.must(t, list(test.name, test.values...))
		if len(r.Chosen) != len(test.values) || !strings.EqualFold(r.Chosen[0], test.values[0]) || r.Reverted || r.Method != "mouse" || r.Dispatched != "yes" || r.Effect != "seen" {
			t.Errorf("%s %q: %+v", test.name, test.values, r)
		}
		web.wantCounts(t, test.counts)
	}
	if r := do.must(t, list(`listbox "Colour"`, "Red")); !r.Unchanged || r.Dispatched != "no" {
		t.Errorf("again: %+v", r)
	}
	for _, test := range []struct {
		code   wire.Code
		words  string
		name   string
		value  string
		counts map[string]int
	}{
		{wire.BadRequest, `"Apple", "Banana", "Cherry"`, `combobox "Fruit"`, "Mango", map[string]int{}},
		{wire.BadRequest, `"Elderberry", "Elder"`, `combobox "Fruit"`, "der", map[string]int{}},
		{wire.Disabled, "Durian", `combobox "Fruit"`, "Durian", map[string]int{}},
		{wire.Uncertain, "nothing shows", `combobox "Liar"`, "Apple", map[string]int{"liar Apple": 1}},
		{wire.Uncertain, "nothing shows", `combobox "Fickle"`, "Banana", map[string]int{"fickle Banana": 1}},
		{wire.BadRequest, "", `combobox "City"`, "Atlantis", map[string]int{}},
		{wire.WrongKind, "no list", `combobox "Never"`, "One", map[string]int{"never": 1}},
		{wire.Disabled, "Blue", `listbox "Colour"`, "Blue", map[string]int{}},
		{wire.BadRequest, `"Red", "Green", "Blue"`, `listbox "Colour"`, "Pink", map[string]int{}},
	} {
		do.refused(t, test.code, test.words, list(test.name, test.value))
		web.wantCounts(t, test.counts)
		if open := h.eval(t, "document.querySelectorAll('.portal').length"); open != "0" {
			t.Errorf("%s: its list stays open", test.name)
		}
	}
	if city := h.eval(t, "get('city').value"); city != `"Porto"` {
		t.Errorf("city = %s after a city that does not exist", city)
	}
}

func TestCheck(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("check.html")).UIDs
	do := h.chooser(t)
	put := func(name string, on bool) wire.ActParams {
		return wire.ActParams{UID: uidOf(t, view, `"`+name+`"`), Action: "check", On: &on}
	}
	for _, test := range []struct {
		name   string
		on     bool
		counts map[string]int
	}{
		{"News", true, map[string]int{"news true": 1}},
		{"News", true, nil},
		{"News", false, map[string]int{"news false": 1}},
		{"Terms", true, map[string]int{"terms true": 1}},
		{"Everything", false, map[string]int{"all true": 1, "all false": 1}},
		{"Cash", true, map[string]int{"cash true": 1}},
		{"Card", false, nil},
		{"Wifi", true, map[string]int{"wifi true": 1}},
		{"Wifi", true, nil},
		{"Bold", true, map[string]int{"bold true": 1}},
		{"Bold", false, map[string]int{"bold false": 1}},
		{"Three states", false, map[string]int{"three true": 1, "three false": 1}},
		{"Round", true, map[string]int{"round true": 1}},
		{"Locked", true, nil},
	} {
		r := do.must(t, put(test.name, test.on))
		want := map[bool]string{true: "checked", false: "unchecked"}[test.on]
		if r.ValueNow == nil || *r.ValueNow != want || r.Reverted || r.Unchanged != (test.counts == nil) || (r.Dispatched == "no") != r.Unchanged || (r.Effect == "seen") == r.Unchanged {
			t.Errorf("%s %t: %+v", test.name, test.on, r)
		}
		if test.counts == nil {
			test.counts = map[string]int{}
		}
		web.wantCounts(t, test.counts)
	}
	if r := do.must(t, put("Stubborn", true)); !r.Reverted || *r.ValueNow != "unchecked" {
		t.Errorf("stubborn: %+v", r)
	}
	web.wantCounts(t, map[string]int{"stubborn": 1})
	do.refused(t, wire.WrongKind, "another one", put("Cash", false))
	do.refused(t, wire.WrongKind, "another one", put("Round", false))
	do.refused(t, wire.WrongKind, "neither", put("Plain", true))
	do.refused(t, wire.Disabled, "", put("Locked", false))
	web.wantCounts(t, map[string]int{})
}

func TestSetValue(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	view := h.snapshot(t, web.main("values.html")).UIDs
	do := h.chooser(t)
	set := func(name, value string) wire.ActParams {
		return wire.ActParams{UID: uidOf(t, view, `"`+name+`"`), Action: "set_value", Values: []string{value}}
	}
	for _, test := range []struct{ name, value, now, key string }{
		{"Volume", "7.5", "7.5", "volume"},
		{"Day", "2026-02-28", "2026-02-28", "day"},
		{"Hour", "09:30", "09:30", "hour"},
		{"Moment", "2026-02-28 09:30", "2026-02-28T09:30", "moment"},
		{"Month", "2026-02", "2026-02", "month"},
		{"Week", "2026-W09", "2026-W09", "week"},
		{"Paint", "#FF8000", "#ff8000", "paint"},
		{"Guests", "5", "5", "guests"},
		{"Day", "", "", "day"},
		{"Zoom", "177", "177", ""},
		{"Zoom", "3", "3", ""},
		{"Coarse", "80", "80", ""},
	} {
		r := do.must(t, set(test.name, test.value))
		if r.ValueNow == nil || *r.ValueNow != test.now || r.Reverted || r.Dispatched != "yes" || r.Effect != "seen" || !slices.Contains(r.Changes, "value") {
			t.Errorf("%s %q: %+v", test.name, test.value, r)
		}
		want := map[string]int{}
		if test.key != "" {
			want = map[string]int{test.key + " input": 1, test.key + " change": 1}
		}
		if test.key == "guests" {
			want["guests are 5"] = 1
		}
		web.wantCounts(t, want)
	}
	if r := do.must(t, set("Guests", "5.0")); !r.Unchanged || r.Dispatched != "no" || *r.ValueNow != "5" {
		t.Errorf("again: %+v", r)
	}
	for _, test := range []struct {
		code              wire.Code
		words             string
		name, value, sent string
	}{
		{wire.BadRequest, "a number from 0 up to 10 in steps of 0.5", "Volume", "11", "no"},
		{wire.BadRequest, "", "Volume", "7.3", "no"},
		{wire.BadRequest, "", "Volume", "loud", "no"},
		{wire.BadRequest, "a date as YYYY-MM-DD from 2026-01-01 up to 2026-12-31", "Day", "2027-01-01", "no"},
		{wire.BadRequest, "", "Day", "2026-02-30", "no"},
		{wire.BadRequest, "", "Day", "28.02.2026", "no"},
		{wire.BadRequest, "HH:MM", "Hour", "25:00", "no"},
		{wire.BadRequest, "#rrggbb", "Paint", "orange", "no"},
		{wire.BadRequest, "from 1 up to 8", "Guests", "9", "no"},
		{wire.NotEditable, "", "Fixed", "3", "no"},
		{wire.WrongKind, "", "Word", "x", "no"},
		{wire.BadRequest, "from 0 up to 200", "Zoom", "201", "no"},
		{wire.BadRequest, "does not stop", "Coarse", "75", "yes"},
		{wire.NotDelivered, "no key moves", "Dead", "51", "yes"},
	} {
		if f := do.refused(t, test.code, test.words, set(test.name, test.value)); f.Dispatched != test.sent || f.Code == wire.BadRequest && f.Field != "values" {
			t.Errorf("%s %q: %+v", test.name, test.value, f)
		}
	}
	web.wantCounts(t, map[string]int{})
	if r := do.must(t, set("Takes back", "70")); !r.Reverted || *r.ValueNow != "50" {
		t.Errorf("taken back: %+v", r)
	}
	if r := do.must(t, set("Security code", "719205")); *r.ValueNow != "‹hidden›" || r.Reverted {
		t.Errorf("secret: %+v", r)
	}
	if strings.Contains(everyFile(t, h.home), "719205") {
		t.Error("the code is in the state directory")
	}
}
