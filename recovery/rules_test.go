package recovery

import (
	"fmt"
	"testing"
	"time"
)

func TestRules(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	made := time.Unix(1_000, 5)
	for _, r := range []Rule{
		{"https://a", "read", "always", made, made.Add(time.Hour)}, {"https://a", "act", "never", made, time.Time{}}, {"", "eval", "ask", made, time.Time{}},
		{"https://a", "read", "never", made, time.Time{}}, // in place of the first
	} {
		if err := s.SetRule(ctx, "b", r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetRule(ctx, "b", Rule{"https://a", "read", "sometimes", made, time.Time{}}); err == nil {
		t.Error("a verdict that there is not was recorded")
	}
	rules := func(browser string) string {
		all, err := s.Rules(ctx, browser)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, r := range all {
			text += fmt.Sprintln(r.Origin, r.Kind, r.Verdict, r.Made.Equal(made), r.Expires.IsZero())
		}
		return text
	}
	if got, want := rules("b"), " eval ask true true\nhttps://a act never true true\nhttps://a read never true true\n"; got != want {
		t.Errorf("rules\n%swant\n%s", got, want)
	}
	if err := s.DropRule(ctx, "b", "https://a", "act"); err != nil {
		t.Fatal(err)
	}
	if got, want := rules("b"), " eval ask true true\nhttps://a read never true true\n"; got != want {
		t.Errorf("after a removal\n%swant\n%s", got, want)
	}
	if got := rules("other"); got != "" {
		t.Errorf("another browser has\n%s", got)
	}
}

// What was switched on for all sites before there were rules stays so.
func TestSwitchesBecomeRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(`DROP TABLE rules; PRAGMA user_version = 2;
		INSERT INTO settings VALUES ('policy:b', '{"acts":true,"eval":false,"reveal":true}'), ('policy:c', 'damaged'), ('current:b', '{}')`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rules, err := s.Rules(t.Context(), "b")
	if err != nil || len(rules) != 2 || rules[0].Kind != "act" || rules[1].Kind != "reveal" || rules[0].Verdict != "always" || rules[0].Origin != "" {
		t.Errorf("rules %+v, %v", rules, err)
	}
	if value, err := s.Setting(t.Context(), "policy:b"); err != nil || value != "" {
		t.Errorf("the setting stays: %q, %v", value, err)
	}
	if value, err := s.Setting(t.Context(), "current:b"); err != nil || value != "{}" {
		t.Errorf("another setting went: %q, %v", value, err)
	}
}
