package compressor

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// corpusFiles are the payloads of the corpus of real pages. Without it the test is skipped.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("HANDRAIL_CORPUS")
	if dir == "" {
		t.Skip("HANDRAIL_CORPUS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "pages", "*.f*.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no payloads in %q", dir)
	}
	return files
}

func gunzip(t testing.TB, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCorpus compresses every page twice: each has a view, which is the
// reference's, and the second has the same bytes.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			payload := gunzip(t, file)
			p := mustRead(t, payload)
			v := mustView(t, p, Options{})
			checkView(t, p, v)
			out := p.outline(Options{}, none)
			w := &writer{outline: out}
			if w.nested(out.top, 0); w.text.String() != v.Text {
				t.Error("the outline of full is not the view")
			}
			if again := mustView(t, mustRead(t, payload), Options{}); again.Text != v.Text {
				t.Error("two views differ")
			}
			if len(payload) < 2_000_000 {
				checkReading(t, p, mustRead(t, payload), "the page", uint64(len(payload))*2654435761)
			}
			if len(payload) < 200_000 { // the reference is slow; these are 4 of 5
				checkReference(t, payload)
			}
		})
	}
}
