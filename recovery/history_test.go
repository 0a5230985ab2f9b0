package recovery

import (
	"fmt"
	"testing"
	"time"
)

// What was shown and done is listed by time, newest first, by browser and tab.
func TestHistory(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s := openStore(t, t.TempDir(), Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	for i, of := range []struct {
		browser string
		tab     int
	}{{"a", 1}, {"a", 2}, {"b", 1}} {
		snap := &Snapshot{Capture: fmt.Sprint(i), Browser: of.browser, Tab: of.tab, Origin: "https://x", Path: "/p", Title: fmt.Sprint("T", i)}
		if err := s.Record(ctx, []byte(fmt.Sprint("payload", i)), snap, nil, &View{Client: "cli:c", TokensBefore: 9, ViewTokens: 3}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.BeginAct(ctx, &Act{ID: fmt.Sprint("act", i), Client: "cli:c", Browser: of.browser, Tab: of.tab, UID: "u1", Kind: "click", Args: s.ArgsMAC(nil)}); err != nil {
			t.Fatal(err)
		}
	}
	list := func(browser string, tab int, before time.Time, limit int) (said string) {
		t.Helper()
		entries, err := s.History(ctx, browser, tab, before, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			said += e.Title + e.ActID + " "
		}
		return said
	}
	later := now.Add(time.Hour)
	for _, test := range []struct {
		name    string
		browser string
		tab     int
		before  time.Time
		limit   int
		want    string
	}{
		{"all", "", 0, later, 100, "act2 T2 act1 T1 act0 T0 "},
		{"one browser", "a", 0, later, 100, "act1 T1 act0 T0 "},
		{"one tab", "a", 2, later, 100, "act1 T1 "},
		{"the newest", "", 0, later, 3, "act2 T2 act1 "},
		{"none yet", "", 0, time.Unix(0, 0), 3, ""},
	} {
		if got := list(test.browser, test.tab, test.before, test.limit); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	entries, err := s.History(ctx, "a", 2, later, 2)
	if err != nil {
		t.Fatal(err)
	}
	act, view := entries[0], entries[1]
	if act.Kind != "click" || act.UID != "u1" || act.State != "sent" || view.Handle == "" || view.TokensBefore != 9 || view.ViewTokens != 3 || view.Client != "cli:c" || view.Path != "/p" {
		t.Errorf("act %+v, view %+v", act, view)
	}
	if got := list("", 0, view.At, 100); got != "act0 T0 " {
		t.Errorf("before the view: %q", got)
	}
}
