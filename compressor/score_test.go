package compressor

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"handrail/compressor/tokens"
)

var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
var uidText = regexp.MustCompile(`\[(?:f\d+)?u([0-9a-z]+)(?:_\d+)?\]`)
var wordText = regexp.MustCompile(`[\p{L}\p{N}]+`)

type pageTruth struct {
	Set      string
	Frames   []struct{ File string }
	Controls []struct {
		BE   int64 `json:"be"`
		Doc  int
		Core bool
		Tag  string
		Name string
	}
}

type tally struct{ tokens, core, controls, wanted, words int }

func wordsIn(s string) []string { return wordText.FindAllString(strings.ToLower(s), -1) }

func TestScore(t *testing.T) {
	dir := os.Getenv("HANDRAIL_CORPUS")
	if dir == "" || os.Getenv("SCORE") == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(filepath.Join(dir, "pages", "*.truth.json.gz"))
	sets := map[string]map[string]*tally{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan string)
	type lost struct {
		page, what string
		n          int
	}
	var losses []lost
	profiles := strings.Split(os.Getenv("SCORE"), ",")
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for file := range work {
				f, _ := os.Open(file)
				z, _ := gzip.NewReader(f)
				var tr pageTruth
				json.NewDecoder(z).Decode(&tr)
				f.Close()
				core := map[int64]bool{}
				for _, c := range tr.Controls {
					if c.Core && c.Doc == 0 {
						core[c.BE] = true
					}
				}
				for k, fr := range tr.Frames {
					payload := gunzip(t, filepath.Join(dir, "pages", fr.File+".gz"))
					p, err := Read(payload)
					if err != nil {
						t.Error(fr.File, err)
						continue
					}
					want := wantedWords(payload)
					inFull := map[int64]bool{}
					if fv, err := p.View(Options{}); err == nil {
						for _, m := range uidText.FindAllStringSubmatch(quotedText.ReplaceAllString(fv.Text, `""`), -1) {
							n, _ := strconv.ParseInt(m[1], 36, 64)
							inFull[n] = true
						}
					}
					for _, profile := range profiles {
						v, err := p.View(Options{Profile: profile})
						if err != nil {
							t.Error(fr.File, err)
							continue
						}
						var now tally
						now.tokens = tokens.CountString(v.Text)
						bare := quotedText.ReplaceAllString(v.Text, `""`)
						if k == 0 {
							have := map[int64]bool{}
							for _, m := range uidText.FindAllStringSubmatch(bare, -1) {
								n, _ := strconv.ParseInt(m[1], 36, 64)
								have[n] = true
							}
							for be := range core {
								now.core++
								if have[be] {
									now.controls++
								} else if profile == os.Getenv("LOST") && inFull[be] {
									for _, c := range tr.Controls {
										if c.BE == be {
											mu.Lock()
											losses = append(losses, lost{filepath.Base(file), fmt.Sprint("control ", c.Tag, " ", be, " ", c.Name), 1})
											mu.Unlock()
										}
									}
								}
							}
						}
						have := map[string]int{}
						for _, q := range quotedText.FindAllString(v.Text, -1) {
							s, err := strconv.Unquote(q)
							if err != nil {
								s = q
							}
							for _, w := range wordsIn(s) {
								have[w]++
							}
						}
						for w, n := range want {
							now.wanted += n
							got := min(n, have[w])
							now.words += got
							if got < n && profile == os.Getenv("LOST") {
								mu.Lock()
								losses = append(losses, lost{filepath.Base(file), w, n - got})
								mu.Unlock()
							}
						}
						mu.Lock()
						if sets[profile] == nil {
							sets[profile] = map[string]*tally{}
						}
						for _, set := range []string{tr.Set, "all", map[bool]string{true: "docs only", false: "nodocs"}[tr.Set == "docs"]} {
							s := sets[profile][set]
							if s == nil {
								s = &tally{}
								sets[profile][set] = s
							}
							s.tokens += now.tokens
							s.core += now.core
							s.controls += now.controls
							s.wanted += now.wanted
							s.words += now.words
						}
						mu.Unlock()
					}
				}
			}
		}()
	}
	for _, f := range files {
		work <- f
	}
	close(work)
	wg.Wait()
	for _, profile := range profiles {
		var names []string
		for s := range sets[profile] {
			names = append(names, s)
		}
		sort.Strings(names)
		for _, s := range names {
			a := sets[profile][s]
			base := a.tokens
			if f := sets["full"][s]; f != nil {
				base = f.tokens
			}
			fmt.Printf("%-9s %-12s %9d %6.2f%% controls %6.2f words %6.2f\n", profile, s, a.tokens, 100*float64(a.tokens)/float64(base), 100*float64(a.controls)/float64(max(a.core, 1)), 100*float64(a.words)/float64(max(a.wanted, 1)))
		}
	}
	sort.Slice(losses, func(i, j int) bool { return losses[i].n > losses[j].n })
	for _, l := range losses[:min(len(losses), 60)] {
		fmt.Println(l.n, l.what, l.page)
	}
}

func wantedWords(payload []byte) map[string]int {
	var d struct {
		Nodes []struct {
			NodeId   string
			Ignored  bool
			Role     struct{ Value any }
			Name     struct{ Value any }
			Value    struct{ Value any }
			ChildIds []string
		}
	}
	json.Unmarshal(payload, &d)
	at := map[string]int{}
	parent := map[string]string{}
	for i, n := range d.Nodes {
		at[n.NodeId] = i
		for _, c := range n.ChildIds {
			parent[c] = n.NodeId
		}
	}
	str := func(v any) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	want := map[string]int{}
	for id, i := range at {
		n := &d.Nodes[i]
		if n.Ignored || n.Role.Value != "StaticText" {
			continue
		}
		text := wordsIn(str(n.Name.Value))
		if len(text) == 0 {
			continue
		}
		said := false
		up, ok := parent[id]
		for k := 0; ok && k < 40 && !said; k++ {
			j, found := at[up]
			if !found {
				break
			}
			a := &d.Nodes[j]
			if !a.Ignored && a.Role.Value != "RootWebArea" {
				have := map[string]bool{}
				for _, w := range wordsIn(str(a.Name.Value) + " " + str(a.Value.Value)) {
					have[w] = true
				}
				said = true
				for _, w := range text {
					said = said && have[w]
				}
			}
			up, ok = parent[up]
		}
		if !said {
			for _, w := range text {
				want[w]++
			}
		}
	}
	return want
}
