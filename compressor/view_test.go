package compressor

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handrail/compressor/tokens"
)

var update = flag.Bool("update", false, "rewrite the golden views and their token counts")

func mustRead(t testing.TB, payload []byte) *Page {
	t.Helper()
	p, err := Read(payload)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustView(t testing.TB, p *Page, o Options) *View {
	t.Helper()
	v, err := p.View(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// size is what a golden view costs beside its payload.
type size struct {
	PayloadBytes  int `json:"payload_bytes"`
	PayloadTokens int `json:"payload_tokens"`
	ViewBytes     int `json:"view_bytes"`
	ViewTokens    int `json:"view_tokens"`
	Balanced      int `json:"balanced_tokens"`
	Light         int `json:"light_tokens"`
}

// TestGolden renders testdata/payloads to testdata/views by each profile; sizes.json counts them.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	sizes := map[string]size{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := mustRead(t, payload)
		v := mustView(t, p, Options{})
		checkView(t, p, v)
		checkReference(t, payload)
		golden(t, name+".txt", v.Text)
		counts := map[string]int{}
		for _, profile := range []string{Balanced, Light} {
			checkShown(t, p, Options{Profile: profile})
			text := mustView(t, p, Options{Profile: profile}).Text
			golden(t, name+"."+profile+".txt", text)
			counts[profile] = tokens.CountString(text)
		}
		sizes[name] = size{len(payload), tokens.Count(payload), len(v.Text), tokens.CountString(v.Text), counts[Balanced], counts[Light]}
	}
	table, err := json.MarshalIndent(sizes, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sizes.json", string(table)+"\n")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("../testdata/views", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// TestWorkedExample is the published form of the view that the format is known by.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	payload, err := os.ReadFile("../testdata/payloads/caveman.json")
	if err != nil {
		t.Fatal(err)
	}
	const want = `page "Caveman AX Fixture" {focused}
  main
    [ua] button "Save settings"
    [u1] textbox "Email address" = "ops@example.com" {editable}
    heading "Operations Overview"
    [uf] link "View trace detail"`
	v := mustView(t, mustRead(t, payload), Options{})
	if v.Text != want {
		t.Errorf("view\n%s\nwant\n%s", v.Text, want)
	}
	if n := tokens.CountString(v.Text); n != 58 {
		t.Errorf("%d tokens, published are 58", n)
	}
}
