package compressor

import (
	"encoding/json"
	"os"
	"testing"
)

// TestContextVectors runs the vectors that the extension runs too.
func TestContextVectors(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../testdata/wire/context.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Context []struct {
			Name             string
			Nodes            json.RawMessage
			BackendDOMNodeID int64
			Context          string
			ContextTexts     int
			NameExact        bool
			ContextExact     bool
		}
		Normalize []struct{ Text, Normal string }
	}
	if err := json.Unmarshal(file, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Context) == 0 || len(vectors.Normalize) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors.Context {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p, err := Read(v.Nodes)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range p.Targets() {
				if target.BackendDOMNodeID != v.BackendDOMNodeID {
					continue
				}
				if target.Context != v.Context || target.ContextTexts != v.ContextTexts {
					t.Errorf("context %q of %d texts, want %q of %d", target.Context, target.ContextTexts, v.Context, v.ContextTexts)
				}
				if target.NameExact != v.NameExact || target.ContextExact != v.ContextExact {
					t.Errorf("exact: name %v, context %v; want %v, %v", target.NameExact, target.ContextExact, v.NameExact, v.ContextExact)
				}
				return
			}
			t.Errorf("no target has backend node %d", v.BackendDOMNodeID)
		})
	}
	for _, v := range vectors.Normalize {
		if got := Normalize(v.Text); got != v.Normal {
			t.Errorf("Normalize(%q) = %q, want %q", v.Text, got, v.Normal)
		}
	}
}
