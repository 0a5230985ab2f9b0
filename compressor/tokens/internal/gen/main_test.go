package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTableIsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../o200k.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("o200k.bin is not what the generator makes: run go generate ./compressor/tokens")
	}
}

func TestLayOutRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		ranks map[string]int
	}{
		{"a gap", map[string]int{"a": 0, "b": 2}},
		{"an empty token", map[string]int{"": 0}},
		{"one rank twice", map[string]int{"a": 0, "b": 0}},
		{"a rank below 0", map[string]int{"a": -1}},
	} {
		if _, err := layOut(tt.ranks); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}
