package tokens

import (
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

var (
	rounds = flag.Int("rounds", 10_000, "random texts to compare with tiktoken-go")
	seed   = flag.Uint64("seed", 1, "seed of the random texts")
)

// oracle counts with tiktoken-go and the same ranks.
func oracle(text string) int { return len(loadOracle().EncodeOrdinary(text)) }

var loadOracle = sync.OnceValue(func() *tiktoken.Tiktoken {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	encoding, err := tiktoken.GetEncoding("o200k_base")
	if err != nil {
		panic(err)
	}
	return encoding
})

// compare checks a text's count, and its pieces: two wrong pieces often have as
// many tokens as the right ones.
func compare(t *testing.T, text string) {
	t.Helper()
	if got, want := pieces(text), patternPieces(text); !slices.Equal(got, want) {
		t.Errorf("the pieces of %q are %q, want %q", text, got, want)
	}
	want := oracle(text)
	if got := Count([]byte(text)); got != want {
		t.Errorf("Count(%q) = %d, want %d", text, got, want)
	}
	if got := CountString(text); got != want {
		t.Errorf("CountString(%q) = %d, want %d", text, got, want)
	}
}

func pieces(text string) (pieces []string) {
	for rest := repair([]byte(text)); len(rest) > 0; {
		end := pieceEnd(rest)
		pieces, rest = append(pieces, string(rest[:end])), rest[end:]
	}
	return pieces
}

func patternPieces(text string) (pieces []string) {
	match, err := pattern.FindStringMatch(text)
	for ; match != nil; match, err = pattern.FindNextMatch(match) {
		pieces = append(pieces, match.String())
	}
	if err != nil {
		panic(err)
	}
	return pieces
}

// pattern is the one in piece.go, as tiktoken-go has it.
var pattern = regexp2.MustCompile(`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|`+
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|`+
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`, regexp2.None)

// atoms are what random texts are made of: what the pattern tells apart, and
// what pages are full of.
var atoms = []string{
	" ", "  ", "\n", "\r\n", "\r", "\t", " \n \n x", "\u00a0", "\u2028", "\u3000", "\u0085", "\u200b", "\ufeff", "\u180e",
	"'s", "'S", "'t", "'ll", "'LL", "'lL", "'re", "'VE", "'d", "'m", "'", "’s", "'ſ", "'K", "x's", "X'LL",
	"/", "//", "_", "-", "=", "...", "\"", "{\"", "\":\"", "},{", "\"}}]},\"", "\\u00e9", "\\n", "<|endoftext|>", "<|endofprompt|>", "<|", "|>", "\x00", "\x7f",
	"a", "b", "Z", "ABC", "Abc", "the", "nodeId", "backendDOMNodeId", "StaticText", "role", "1", "12", "123", "1234567", "0x1f",
	"é", "É", "ß", "ǅ", "ʰ", "ﬀ", "İ", "ı", "K", "ſ", "ᾼ", "東京", "日本語", "नमस्ते", "مرحبا", "א", "\u0e34", "ก", "한국어",
	"\u0301", "\u0300\u0301", "\u20dd", "½", "Ⅷ", "٣", "²", "１", "😀", "👩\u200d👩\u200d👧", "\U0001F1EF\U0001F1F5", "\U000E0001", "\U00030000", "\U000E0100", "\U0010FFFD",
	"\ufffd", "\xff", "\xc3", "\xe6\x9d", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80", "\x80",
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(24) {
		switch r.IntN(10) {
		case 0:
			b.WriteRune(rune(r.IntN(unicode.MaxRune + 1)))
		case 1:
			b.WriteRune(rune(r.IntN(0x3000)))
		case 2:
			b.WriteByte(byte(r.IntN(256)))
		default:
			b.WriteString(atoms[r.IntN(len(atoms))])
		}
	}
	text := b.String()
	if r.IntN(4) == 0 { // once more, to meet the memo
		text += `a"` + text + `b" ` + text + `a"` + text
	}
	return text
}

func TestCountRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 0))
	for range *rounds {
		compare(t, randomText(r))
		if t.Failed() {
			return
		}
	}
}

// Every order of three characters, each of a kind that the pattern knows.
func TestCountKinds(t *testing.T) {
	t.Parallel()
	kinds := []string{"s", "Z", "ʰ", "\u0301", "1", "٣", " ", "\n", "\u00a0", "'", "/", "\"", "€"}
	for i := range len(kinds) * len(kinds) * len(kinds) {
		text := ""
		for range 3 {
			text += kinds[i%len(kinds)]
			i /= len(kinds)
		}
		compare(t, text)
	}
}

// The first and last character of every range of every category, and the
// characters beside them.
func TestCountCategories(t *testing.T) {
	t.Parallel()
	tested := map[rune]bool{}
	test := func(edge rune) {
		for r := edge - 1; r <= edge+1; r++ {
			if !tested[r] {
				tested[r] = true
				compare(t, fmt.Sprintf("a%cB %c1%c%c.%c\n", r, r, r, r, r))
			}
		}
	}
	for _, table := range unicode.Categories {
		for _, r := range table.R16 {
			test(rune(r.Lo))
			test(rune(r.Hi))
		}
		for _, r := range table.R32 {
			test(rune(r.Lo))
			test(rune(r.Hi))
		}
	}
}

func TestCountLong(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 1))
	random := func(n int, alphabet string) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(text)
	}
	bytes := make([]byte, 3000)
	for i := range bytes {
		bytes[i] = byte(r.IntN(256))
	}
	for _, tt := range []struct{ name, text string }{
		{"empty", ""},
		{"one letter", strings.Repeat("a", 3*window)},
		{"one space", strings.Repeat(" ", 3000)},
		{"spaces before a word", strings.Repeat(" ", 3000) + "x"},
		{"one mark", strings.Repeat("\u0301", 1500)},
		{"one sign", strings.Repeat("=", 3*window)},
		{"one ideograph", strings.Repeat("京", window)},
		{"digits", random(3001, "0123456789")},
		{"digits of two scripts", random(100, "0123456789") + "٣" + random(100, "0123456789")},
		{"letters", random(3*window, "abcdefghijklmnopqrstuvwxyz")},
		{"few letters", random(3*window, "aeinst")},
		{"two letters", strings.Repeat("ab", 3*window/2)},
		{"words in one", strings.Repeat("internationalization", 150)},
		{"upper then lower", strings.Repeat("A", 500) + strings.Repeat("a", 500)},
		{"base64", base64.StdEncoding.EncodeToString(bytes)},
		{"any bytes", string(bytes)},
		{"special tokens", strings.Repeat("<|endoftext|>", 50)},
		{"a short piece", strings.Repeat("xy", shortPiece/2)},
		{"just over a short piece", strings.Repeat("xy", shortPiece/2) + "z"},
		{"a window", random(window, "etaoin")},
		{"just over a window", random(window+1, "etaoin")},
		{"AX JSON", string(axJSON(20_000))},
	} {
		if got, want := CountString(tt.text), oracle(tt.text); got != want {
			t.Errorf("%s: %d, want %d", tt.name, got, want)
		}
	}
}

func TestCountConcurrently(t *testing.T) {
	t.Parallel()
	texts := make([]string, 8)
	want := make([]int, len(texts))
	for i := range texts {
		texts[i] = strings.Repeat(fmt.Sprintf(`{"nodeId":"%d","name":"Ünit %[1]d"} %s `, i, strings.Repeat("ab", 40+i)), 50)
		want[i] = oracle(texts[i])
	}
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() {
			for range 20 {
				if got := CountString(texts[i]); got != want[i] {
					t.Errorf("text %d: %d, want %d", i, got, want[i])
				}
			}
		})
	}
	all.Wait()
}

// A counter that has seen a text counts it again without allocating, and holds
// no more scratch memory after a long piece than a window takes.
func TestCounterMemory(t *testing.T) { // alone: it counts the program's allocations
	c := new(counter)
	for _, tt := range []struct {
		name string
		text []byte
	}{
		{"AX JSON", axJSON(200_000)},
		{"one letter", []byte(strings.Repeat("a", 200_000))},
		{"beyond ASCII", []byte(strings.Repeat("日本語のテキスト、ひとつ。", 1000))},
	} {
		if n := testing.AllocsPerRun(2, func() { c.count(tt.text) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", tt.name, n)
		}
	}
	if n := cap(c.merge.links); n > 2*window {
		t.Errorf("%d links are kept, want no more than for a window of %d", n, window)
	}
}

// A zero byte at the end of a text is no padding of the chunk before it.
func TestCountZeroByte(t *testing.T) {
	t.Parallel()
	signs := strings.Repeat("!?", maxChunk)[:maxChunk-1]
	c := new(counter)
	for _, text := range []string{signs + "1, and so on", signs + "\x00", signs} {
		if got, want := c.count([]byte(text)), oracle(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCountAddsUpAtChunkEnds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 2))
	for range *rounds / 10 {
		addsUp(t, []byte(randomText(r)))
		if t.Failed() {
			return
		}
	}
}

// addsUp checks what the chunks stand on: cut where one may end, a text has the
// tokens of its two halves. They are counted without chunks.
func addsUp(t *testing.T, text []byte) {
	t.Helper()
	text = repair(text)
	c := new(counter)
	whole := c.pieces(text)
	check := func(cut int) {
		if halves := c.pieces(text[:cut]) + c.pieces(text[cut:]); halves != whole {
			t.Errorf("%q and %q have %d tokens, together %d", text[:cut], text[cut:], halves, whole)
		}
	}
	for cut := range string(text) {
		_, size := utf8.DecodeLastRune(text[:cut])
		if cut == 0 || chunkEnd(text[cut-size:]) != size {
			continue
		}
		check(cut)
		check(cut + digits(text[cut:]))
	}
}

func FuzzCount(f *testing.F) {
	for i := range atoms {
		f.Add([]byte(atoms[i] + atoms[(i+7)%len(atoms)] + atoms[(i+31)%len(atoms)]))
	}
	f.Add([]byte(`{"name":{"value":"it's 1234 Ünits"}} x`))
	f.Add([]byte(strings.Repeat("ab", 60)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 512 {
			return // tiktoken-go is quadratic
		}
		compare(t, string(text))
		addsUp(t, text)
		windowsAgree(t, text)
	})
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for _, atom := range atoms {
		got := repair([]byte(atom))
		if want := string([]rune(atom)); string(got) != want || !utf8.Valid(got) {
			t.Errorf("repair(%q) = %q, want %q", atom, got, want)
		}
	}
}
