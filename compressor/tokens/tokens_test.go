package tokens

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// oracle is tiktoken-go with the same ranks.
var oracle = sync.OnceValue(func() func(string) int {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	encoding, err := tiktoken.GetEncoding("o200k_base")
	if err != nil {
		panic(err)
	}
	return func(text string) int { return len(encoding.EncodeOrdinary(text)) }
})

var atoms = []string{
	" ", "  ", "\n", "\r\n", "\r", "\t", "'s", "'S", "'ll", "'LL", "'re", "'VE", "'d", "'m", "'", "’s", "'ſ", "/", "//", "\"", "{\"", "\":\"", "},{",
	"\\u00e9", "\\n", "a", "b", "Z", "ABC", "Abc", "the", "nodeId", "1", "12", "123", "1234567", "é", "É", "ß", "東京", "日本語", "नमस्ते",
	"مرحبا", "א", "ǅ", "ʰ", "\u0301", "\u0300\u0301", "😀", "👩\u200d👩\u200d👧", "\u00a0", "\u2028", "\u3000", "\u0085", "\u200b", "\ufeff", "½",
	"Ⅷ", "٣", "²", "_", "-", "<|endoftext|>", "<|endofprompt|>", "\x00", "\x7f", "ﬀ", "İ", "ı", "K", "ſ", "ᾼ", "\u0e34", "ก", "한국어", "role",
	"StaticText", "\ufffd", "\U0001F1EF\U0001F1F5", "\u180e", "\U000E0001", "\U00030000", " \n \n x",
}

func random(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(24) {
		switch r.IntN(10) {
		case 0:
			x := rune(r.IntN(unicode.MaxRune + 1))
			if x >= 0xd800 && x < 0xe000 {
				x = 'x'
			}
			b.WriteRune(x)
		case 1:
			b.WriteRune(rune(r.IntN(0x3000)))
		case 2:
			b.WriteByte(byte(r.IntN(256)))
		default:
			b.WriteString(atoms[r.IntN(len(atoms))])
		}
	}
	return b.String()
}

func TestCountIsTiktokens(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 60000
	if testing.Short() {
		n = 10000
	}
	for range n {
		text := random(r)
		if r.IntN(4) == 0 { // again, to meet the memo
			text += `a"` + text + `b" ` + text + `a"` + text
		}
		if got, want := CountString(text), oracle()(text); got != want {
			t.Fatalf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCountOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r += 1 + r/4096 {
		text := fmt.Sprintf("a%cB %c1%c%c.%c\n", r, r, r, r, r)
		if got, want := CountString(text), oracle()(text); got != want {
			t.Fatalf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCountOfLongPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	letters := make([]byte, 2000)
	for i := range letters {
		letters[i] = "abcdefghijklmnopqrstuvwxyz"[r.IntN(26)]
	}
	for _, test := range []struct{ name, text string }{
		{"empty", ""},
		{"one letter", strings.Repeat("a", 3000)},
		{"one space", strings.Repeat(" ", 3000)},
		{"one mark", strings.Repeat("\u0301", 1000)},
		{"one sign", strings.Repeat("=", 3000)},
		{"one ideograph", strings.Repeat("京", 1000)},
		{"base64", base64.StdEncoding.EncodeToString(noise)},
		{"letters", string(letters)},
		{"bytes", string(noise)},
		{"special tokens", strings.Repeat("<|endoftext|>", 50)},
		{"upper then lower", strings.Repeat("A", 500) + strings.Repeat("a", 500)},
		{"just short", strings.Repeat("xy", shortPiece/2)},
		{"just long", strings.Repeat("xy", shortPiece/2) + "z"},
	} {
		if got, want := CountString(test.text), oracle()(test.text); got != want {
			t.Errorf("%s: %d, want %d", test.name, got, want)
		}
	}
}

func TestCountConcurrently(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{"nodeId":"12","role":{"type":"role","value":"button"}} `, 200)
	want := CountString(text)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if got := CountString(text); got != want {
					t.Errorf("%d, want %d", got, want)
				}
			}
		})
	}
	all.Wait()
}

func TestTable(t *testing.T) {
	t.Parallel()
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range ranks {
		if got := rank([]byte(token)); got != uint32(want) {
			t.Fatalf("rank(%q) = %d, want %d", token, got, want)
		}
		if len(token) > longestToken {
			t.Errorf("%q is longer than longestToken", token)
		}
	}
	if len(ranks) != tokenCount {
		t.Errorf("the ranks have %d tokens, want %d", len(ranks), tokenCount)
	}
}

func FuzzCount(f *testing.F) {
	for _, atom := range atoms {
		f.Add([]byte(atom))
	}
	f.Add([]byte(`{"name":{"value":"it's 1234 Ünits"}} x`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 512 {
			return // the oracle is quadratic
		}
		if got, want := Count(text), oracle()(string(text)); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	})
}

// sample is AX JSON as Chromium gives it, of about the size asked for.
func sample(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"nodeId":"%d","ignored":false,"role":{"type":"role","value":"cell"},"chromeRole":{"type":"internalRole","value":18},"name":{"type":"computedString","value":"Order %d of customer %d","sources":[{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"attribute","attribute":"aria-label"},{"type":"contents","value":{"type":"computedString","value":"Order %d of customer %d"}}]},"properties":[],"parentId":"%d","childIds":["%d"],"backendDOMNodeId":%d},`, i, 100000+i, i%97, 100000+i, i%97, i-1, i+1, i+7)
	}
	return []byte(b.String())
}

func benchmark(b *testing.B, text []byte, count func([]byte) int) {
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		count(text)
	}
}

func BenchmarkCount(b *testing.B) {
	noise := make([]byte, 30000)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	view := []byte(strings.Repeat("      [u1a] button \"Review order 1234\" {disabled}\n        text \"Pending since 12 May\"\n", 300))
	slow := func(text []byte) int { return oracle()(string(text)) }
	for _, test := range []struct {
		name string
		text []byte
	}{
		{"AX JSON", sample(100 << 10)}, {"view", view}, {"base64", []byte(base64.StdEncoding.EncodeToString(noise))},
	} {
		b.Run(test.name+"/tokens", func(b *testing.B) { benchmark(b, test.text, Count) })
		b.Run(test.name+"/tiktoken-go", func(b *testing.B) { benchmark(b, test.text, slow) })
	}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("one letter/%d", n), func(b *testing.B) { benchmark(b, []byte(strings.Repeat("a", n)), Count) })
	}
}
