package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"handrail/compressor/tokens"
)

// A text is cut between characters, close to the limit and never over it.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", strings.Repeat("€ä漢", 2_000), strings.Repeat("a", 20_000), strings.Repeat("words and more ", 1_000) + strings.Repeat("\x01☃", 2_000)} {
		const limit = 300
		n := prefix(text, limit)
		if count := tokens.CountString(text[:n]); count > limit || n < len(text) && count < limit*3/4 || !utf8.ValidString(text[:n]) {
			t.Errorf("%.10q: %d bytes, %d tokens", text, n, count)
		}
		if got, cut := within(text, limit); cut != (n < len(text)) || !cut && got != text {
			t.Errorf("%.10q: cut %v, %d bytes of %d", text, cut, n, len(text))
		}
	}
}
