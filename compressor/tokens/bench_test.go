package tokens

import (
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// axJSON is what Accessibility.getFullAXTree gives of a long table, about as many
// bytes as asked for.
func axJSON(size int) []byte {
	r := rand.New(rand.NewPCG(5, 0))
	words := strings.Fields("Order invoice customer pending shipped review total address Berlin Osaka Lima monthly report draft archived refund quantity colour")
	b := []byte(`{"nodes":[`)
	for id := 2; len(b) < size; id += 3 {
		name := fmt.Sprintf("%s %d %s %s", words[r.IntN(len(words))], r.IntN(100_000), words[r.IntN(len(words))], words[r.IntN(len(words))])
		b = fmt.Appendf(b, `{"nodeId":"%[1]d","ignored":false,"role":{"type":"role","value":"cell"},"chromeRole":{"type":"internalRole","value":18},"name":{"type":"computedString","value":"%[2]s","sources":[{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"attribute","attribute":"aria-label"},{"type":"contents","value":{"type":"computedString","value":"%[2]s"}}]},"properties":[],"parentId":"%[3]d","childIds":["%[4]d"],"backendDOMNodeId":%[1]d},`, id, name, id-1-r.IntN(4), id+1)
		b = fmt.Appendf(b, `{"nodeId":"%[1]d","ignored":false,"role":{"type":"internalRole","value":"StaticText"},"chromeRole":{"type":"internalRole","value":158},"name":{"type":"computedString","value":"%[2]s","sources":[{"type":"contents","value":{"type":"computedString","value":"%[2]s"}}]},"properties":[],"parentId":"%[3]d","childIds":["-1000%[1]d"],"backendDOMNodeId":%[1]d},`, id+1, name, id)
		b = fmt.Appendf(b, `{"nodeId":"-1000%[1]d","ignored":false,"role":{"type":"internalRole","value":"InlineTextBox"},"chromeRole":{"type":"internalRole","value":96},"name":{"type":"computedString","value":"%[2]s","sources":[{"type":"contents","value":{"type":"computedString","value":"%[2]s"}}]},"properties":[],"parentId":"%[1]d","childIds":[]},`, id+1, name)
	}
	return append(b[:len(b)-1], "]}"...)
}

// view is a view of that table.
func view(size int) []byte {
	r := rand.New(rand.NewPCG(6, 0))
	words := strings.Fields("Order invoice customer pending shipped review total address Berlin Osaka Lima monthly report draft archived refund quantity colour")
	word := func() string { return words[r.IntN(len(words))] }
	b := []byte("main\n")
	for id := 1; len(b) < size; id += 3 {
		b = fmt.Appendf(b, "  row\n    [u%d] cell %q\n      text %q\n    [u%d] link %q\n    [u%d] button %q {disabled}\n",
			id, word()+" "+word(), fmt.Sprintf("%s since %d May", word(), r.IntN(31)), id+1, word()+" "+word(), id+2, "Open "+word())
	}
	return b
}

// corpus gives the payloads of every tenth page of the corpus.
func corpus(b *testing.B) (payloads [][]byte) {
	folder := os.Getenv("HANDRAIL_CORPUS")
	if folder == "" {
		b.Skip("HANDRAIL_CORPUS is not set")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "pages", "*.f?.json.gz"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(paths); i += 10 {
		file, err := os.Open(paths[i])
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		unzip, err := gzip.NewReader(file)
		if err != nil {
			b.Fatal(err)
		}
		payload, err := io.ReadAll(unzip)
		if err != nil {
			b.Fatal(err)
		}
		payloads = append(payloads, payload)
	}
	return payloads
}

// BenchmarkCount gives beside its own figures the ratio to tiktoken-go, which
// counts the same texts once, in the same run.
func BenchmarkCount(b *testing.B) {
	noise := make([]byte, 750_000)
	r := rand.New(rand.NewPCG(7, 0))
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	one := func(text []byte) func(*testing.B) [][]byte {
		return func(*testing.B) [][]byte { return [][]byte{text} }
	}
	for _, bb := range []struct {
		name  string
		texts func(*testing.B) [][]byte
	}{
		{"AX JSON", one(axJSON(5_000_000))},
		{"corpus", corpus},
		{"view", one(view(200_000))},
		{"base64", one([]byte(base64.StdEncoding.EncodeToString(noise)))},
		{"Russian", one([]byte(strings.Repeat("Проверьте, пожалуйста, адрес доставки и сумму заказа: она изменилась. ", 5_000)))},
		{"Japanese", one([]byte(strings.Repeat("日本語のテキストは、空白で区切られません。注文を確認してください。", 5_000)))},
	} {
		b.Run(bb.name, func(b *testing.B) {
			texts := bb.texts(b)
			size, want := 0, 0
			for _, text := range texts {
				size += len(text)
			}
			loadOracle()
			start := time.Now()
			for _, text := range texts {
				want += oracle(string(text))
			}
			peer := time.Since(start)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				got := 0
				for _, text := range texts {
					got += Count(text)
				}
				if got != want {
					b.Fatalf("%d tokens, want %d", got, want)
				}
			}
			b.ReportMetric(peer.Seconds()/(b.Elapsed().Seconds()/float64(b.N)), "x-tiktoken-go")
		})
	}
}

// BenchmarkOneLetter shows that a long piece costs no more per byte.
func BenchmarkOneLetter(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := []byte(strings.Repeat("a", n))
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				Count(text)
			}
		})
	}
}
