package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"handrail/compressor"
	"handrail/host/wire"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	files, err := files(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate writes (%v): run make generate", path, err)
		}
	}
}

func TestTableWithoutPlace(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"", "<!-- codes: generated -->\n", "<!-- end codes -->"} {
		if _, err := between([]byte(page), "codes", "x"); err == nil {
			t.Errorf("%q has a place", page)
		}
	}
}

// The compressor imports nothing of the host's, so a Target is spelt twice.
func TestTargetIsTheCompressors(t *testing.T) {
	t.Parallel()
	fields := func(t reflect.Type) (list []string) {
		for i := range t.NumField() {
			f := t.Field(i)
			list = append(list, f.Name+" "+f.Type.String()+" "+f.Tag.Get("json"))
		}
		return list
	}
	if got, want := fields(reflect.TypeFor[wire.Target]()), fields(reflect.TypeFor[compressor.Target]()); !reflect.DeepEqual(got, want) {
		t.Errorf("Target is %q, the compressor's %q", got, want)
	}
}
