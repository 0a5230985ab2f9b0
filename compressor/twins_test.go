package compressor

import (
	"encoding/json"
	"os"
	"testing"
)

// What tells a target from its twins, by the vectors that the extension runs too.
func TestTwins(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../testdata/wire/context.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Twins []struct {
			Name             string
			Nodes            json.RawMessage
			BackendDOMNodeID int64
			ContextNode      int64
			Context          string
			ContextTexts     int
		}
	}
	if err := json.Unmarshal(file, &vectors); err != nil || len(vectors.Twins) == 0 {
		t.Fatalf("%d vectors, %v", len(vectors.Twins), err)
	}
	for _, v := range vectors.Twins {
		page, err := Read(v.Nodes)
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		found := false
		for _, target := range page.Targets() {
			if target.BackendDOMNodeID != v.BackendDOMNodeID {
				continue
			}
			found = true
			if target.Context != v.Context || target.ContextNode != v.ContextNode || target.ContextTexts != v.ContextTexts || target.ContextExact != (v.ContextNode > 0) {
				t.Errorf("%s: context %q of node %d, exact %v; want %q of node %d", v.Name, target.Context, target.ContextNode, target.ContextExact, v.Context, v.ContextNode)
			}
		}
		if !found {
			t.Errorf("%s: no target", v.Name)
		}
	}
}
