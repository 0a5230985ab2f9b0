package tokens

import (
	"fmt"
	"testing"
	"unicode"

	loader "github.com/pkoukk/tiktoken-go-loader"
)

func TestRank(t *testing.T) {
	t.Parallel()
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	if len(ranks) != tokenCount {
		t.Errorf("there are %d ranks, the table has %d", len(ranks), tokenCount)
	}
	longest := 0
	for text, want := range ranks {
		longest = max(longest, len(text))
		if got := rank([]byte(text)); got != uint32(want) {
			t.Fatalf("rank(%q) = %d, want %d", text, got, want)
		}
		without := text + "\xff"
		if _, ok := ranks[without]; !ok && rank([]byte(without)) != noRank {
			t.Fatalf("rank(%q) = %d, want none", without, rank([]byte(without)))
		}
	}
	if longest != longestToken {
		t.Errorf("the longest token has %d bytes, want %d", longest, longestToken)
	}
}

// Digits are counted without a look into the table.
func TestDigitsAreTokens(t *testing.T) {
	t.Parallel()
	for width, limit := range []int{1, 10, 100, 1000} {
		for n := range limit {
			digits := fmt.Sprintf("%0*d", width, n)
			if width > 0 && rank([]byte(digits)) == noRank {
				t.Errorf("%q is no token", digits)
			}
		}
	}
}

func TestPlanes(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if int(r) < len(planes()) && r != '\r' && r != '\n' && planes()[r] != classify(r) {
			t.Fatalf("%U has class %b, want %b", r, planes()[r], classify(r))
		}
	}
}
