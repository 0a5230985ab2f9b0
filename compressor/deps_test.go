package compressor_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The package may be imported alone: it needs no cgo, and of what is not the
// standard library only the width of characters.
func TestDependencies(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}{{if .CgoFiles}} cgo {{.ImportPath}}{{end}}", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	slices.Sort(got)
	want := []string{"github.com/rivo/uniseg", "handrail/compressor", "handrail/compressor/tokens", "handrail/compressor/tokens/internal/slot"}
	if !slices.Equal(got, want) {
		t.Errorf("the package needs %q, want %q", got, want)
	}
}

// A module of its own uses it, without cgo and without the network.
func TestImportedByAnotherModule(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.sum": string(sums),
		"go.mod": "module other\n\ngo 1.26\n\nrequire handrail v0.0.0\n\nreplace handrail => " + root + "\n",
		"main.go": `package main

import (
	"fmt"

	"handrail/compressor"
)

func main() {
	page, err := compressor.Read([]byte(` + "`" + `[{"nodeId":"1","role":{"value":"button"},"name":{"value":"Save"},"backendDOMNodeId":9}]` + "`" + `))
	if err != nil {
		panic(err)
	}
	view, err := page.View(compressor.Options{Profile: compressor.Balanced})
	fmt.Println(view.Text, err)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "run", "-mod=mod", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off", "GOWORK=off")
	if out, err := run.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), `[u9] button "Save"`) {
		t.Errorf("%v: %s", err, out)
	}
}
