package wire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// vectors reads a file of testdata/wire, which both languages run.
func vectors[T any](t *testing.T, file, key string) []T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "wire", file))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]T
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all[key]) == 0 {
		t.Fatalf("%s holds no %s", file, key)
	}
	return all[key]
}

func TestJoinVectors(t *testing.T) {
	t.Parallel()
	type vector struct {
		Name     string
		Frames   []json.RawMessage
		Messages []string
		Refused  Code
	}
	for _, tt := range vectors[vector](t, "parts.json", "parts") {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			var join Joiner
			var got []string
			for _, frame := range tt.Frames {
				msg, done, err := join.Add(frame)
				if err != nil {
					if codeOf(err) != tt.Refused {
						t.Fatalf("refused with %v, want %q", err, tt.Refused)
					}
					return
				}
				if done {
					got = append(got, string(msg))
				}
			}
			if tt.Refused != "" {
				t.Fatalf("joined to %q, want %q", got, tt.Refused)
			}
			if !slices.EqualFunc(got, tt.Messages, sameJSON) {
				t.Fatalf("joined to %q, want %q", got, tt.Messages)
			}
		})
	}
}

// sameJSON compares but for the spelling of characters, which a file changes.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	a1, _ := encode(x)
	b1, _ := encode(y)
	return string(a1) == string(b1)
}

func TestPartsFit(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"ASCII":       strings.Repeat("a", 5000),
		"quotes":      strings.Repeat(`"\`, 2500),
		"characters":  strings.Repeat("é€😀\u2028\u2029", 500),
		"controls":    strings.Repeat("\x00\x01\n\t\x7f", 1000),
		"markup":      strings.Repeat("<&>", 2000),
		"a mixture":   strings.Repeat("a\"é<\u2028😀\\\n", 400),
		"a character": strings.Repeat("a", 2*partOverhead-1) + "😀",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for limit := 2 * partOverhead; limit < 2*partOverhead+9; limit++ {
				checkParts(t, text, limit)
			}
			checkParts(t, text, 4000)
		})
	}
}

// checkParts fails unless text's frames have at most limit bytes and join to it.
func checkParts(t *testing.T, text string, limit int) {
	t.Helper()
	frames, err := Parts([]byte(text), limit)
	if err != nil {
		t.Fatal(err)
	}
	if whole := len(text) <= limit; whole != (len(frames) == 1 && string(frames[0]) == text) {
		t.Fatalf("%d bytes made %d frames with a limit of %d", len(text), len(frames), limit)
	}
	var join Joiner
	for i, frame := range frames {
		if len(frame) > limit {
			t.Fatalf("frame %d has %d bytes, over %d", i, len(frame), limit)
		}
		if !utf8.Valid(frame) {
			t.Fatalf("frame %d cuts a character", i)
		}
		msg, done, err := join.Add(frame)
		if err != nil {
			t.Fatal(err)
		}
		if done != (i == len(frames)-1) || done && string(msg) != text {
			t.Fatalf("after frame %d of %d: done %v with %q", i, len(frames), done, msg)
		}
	}
}

func TestPartsAtTheExtensionsLimit(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", MaxToExtension)
	checkParts(t, text, MaxToExtension)
	checkParts(t, text+"x", MaxToExtension)
	checkParts(t, text, PartToExtension)
}

func TestPartsRefuse(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("x", MaxParts*partOverhead+1))
	if _, err := Parts(text, 2*partOverhead); codeOf(err) != TooLarge {
		t.Errorf("over %d parts: got %v", MaxParts, err)
	}
	if frames, err := Parts(text[1:], 2*partOverhead); err != nil || len(frames) != MaxParts {
		t.Errorf("%d parts: got %d, %v", MaxParts, len(frames), err)
	}
}

func FuzzJoin(f *testing.F) {
	f.Add("{}", 2)
	f.Add(strings.Repeat("é\u2028\"\\😀", 300), 600)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if text == "" || !utf8.ValidString(text) || isPart([]byte(text)) {
			return
		}
		checkParts(t, text, 2*partOverhead+max(limit, 0)%5000)
	})
}
