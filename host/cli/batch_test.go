package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handrail/compressor"
	"handrail/host/batch"
)

// peakEnv names the file to which a handrail of the tests writes the most memory
// that it had, in bytes.
const peakEnv = "HANDRAIL_TEST_PEAK"

func writePeak() {
	path := os.Getenv(peakEnv)
	if path == "" {
		return
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if size, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kb int64
			fmt.Sscan(size, &kb)
			os.WriteFile(path, fmt.Append(nil, kb<<10), 0o600)
		}
	}
}

// rowsPayload writes a page of at least size bytes: rows of texts with a button,
// as Chromium tells of them.
func rowsPayload(w io.Writer, size, n int) error {
	rows := 1 + size/1800
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `{"nodes":[{"nodeId":"0","ignored":false,"role":{"type":"internalRole","value":"RootWebArea"},"name":{"type":"computedString","value":"Orders %d"},"backendDOMNodeId":1,"childIds":["r1"`, n)
	for i := 2; i <= rows; i++ {
		fmt.Fprintf(out, `,"r%d"`, i)
	}
	out.WriteString("]}")
	node := func(id, parent, role, name string, backend int, children string) {
		fmt.Fprintf(out, `,{"nodeId":%q,"ignored":false,"role":{"type":"role","value":%q},"chromeRole":{"type":"internalRole","value":158},"name":{"type":"computedString","value":%q,"sources":[{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"attribute","attribute":"aria-label"},{"type":"contents","value":{"type":"computedString","value":%q}}]},"properties":[],"childIds":[%s],"backendDOMNodeId":%d,"parentId":%q}`,
			id, role, name, name, children, backend, parent)
	}
	for i := 1; i <= rows; i++ {
		id, backend := fmt.Sprint(i), 10*i
		node("r"+id, "0", "listitem", "", backend, fmt.Sprintf(`"t%d","b%d"`, i, i))
		node("t"+id, "r"+id, "StaticText", fmt.Sprintf("Order %06d of customer %d", i, n), backend+1, `"i`+id+`"`)
		node("i"+id, "t"+id, "InlineTextBox", fmt.Sprintf("Order %06d of customer %d", i, n), 0, "")
		node("b"+id, "r"+id, "button", "Review", backend+2, "")
	}
	out.WriteString("]}")
	return out.Flush()
}

func viewOf(t *testing.T, path string) string {
	t.Helper()
	payload, err := (&command{}).payload([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	page, err := compressor.Read(payload)
	if err != nil {
		t.Fatal(err)
	}
	view, err := page.View(compressor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return view.Text
}

// A batch of thousands is killed halfway and run again: every payload has its view
// once, whatever the corrupt one and the directory among them say; and it takes
// the memory that the largest payload does.
func TestBatchKilledAndResumed(t *testing.T) {
	t.Parallel()
	files, large := 5_000, 50<<20
	if raced || testing.Short() {
		files, large = 500, 9<<20
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.MkdirAll(filepath.Join(in, "directory.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range files {
		var payload bytes.Buffer
		if err := rowsPayload(&payload, 1000, n); err != nil {
			t.Fatal(err)
		}
		name, body := fmt.Sprintf("p%05d.json", n), &payload
		for i, how := range []string{"gzip", "zstd"} {
			if n%10 == i {
				body = new(bytes.Buffer)
				if err := packTo(body, how, payload.Bytes()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(filepath.Join(in, name), body.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(in, "corrupt.json"), []byte(`{"nodes":[{`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(in, "zlarge.json")) // the last
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rowsPayload(f, large, 0), f.Close()); err != nil {
		t.Fatal(err)
	}
	largest, err := os.Stat(f.Name())
	if err != nil {
		t.Fatal(err)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peak := filepath.Join(dir, "peak")
	// start runs the batch until it has reported so many files, 0 for all.
	start := func(until int) (lines []batch.Line, status int) {
		cmd := exec.Command(self)
		cmd.Args = []string{"handrail", "compress", "--type", "a11y", "--batch", filepath.Join(in, "*"), "--out", out, "--jobs", "2", "--store=false"}
		cmd.Env = append(os.Environ(), "HANDRAIL_HOME="+filepath.Join(dir, "state"), peakEnv+"="+peak, "GORACE=atexit_sleep_ms=0")
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for text := bufio.NewScanner(stdout); text.Scan(); {
			var line batch.Line
			if json.Unmarshal(text.Bytes(), &line) == nil {
				lines = append(lines, line)
			}
			if len(lines) == until {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		return lines, cmd.ProcessState.ExitCode()
	}
	if _, status := start(files / 2); status != -1 {
		t.Fatalf("the batch was done before it was killed: exit status %d", status)
	}
	first := indexed(t, out)
	if len(first) < files/2-2 || len(first) >= files {
		t.Fatalf("%d views when it was killed", len(first))
	}
	lines, status := start(0)
	if status != 1 {
		t.Errorf("exit status %d of a batch with failures, want 1", status)
	}
	var most int64
	if text, err := os.ReadFile(peak); err != nil {
		t.Error(err)
	} else if fmt.Sscan(string(text), &most); !raced && (most == 0 || most > 3*largest.Size()+40<<20) {
		t.Errorf("%d MB were taken for a payload of %d MB", most>>20, largest.Size()>>20)
	}
	var failed []string
	for _, line := range lines {
		if first[line.View] > 0 {
			t.Errorf("%q was done again", line.View)
		}
		if line.View == "" {
			why := line.Error
			if line.Report != nil {
				why = string(line.Reason)
			}
			failed = append(failed, filepath.Base(line.File)+": "+why)
		}
	}
	slices.Sort(failed)
	if got := strings.Join(failed, "\n"); got != "corrupt.json: invalid_json\ndirectory.json: it is a directory" {
		t.Errorf("failed:\n%s", got)
	}
	all := indexed(t, out)
	for view, times := range all {
		if times != 1 {
			t.Errorf("%q was done %d times", view, times)
		}
	}
	if len(all) != files+1 {
		t.Errorf("%d views, want %d", len(all), files+1)
	}
	for _, name := range directory(t, out) {
		if name == "batch.jsonl" {
			continue
		}
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || all[name] != 1 {
			t.Fatalf("%q is no view: %v", name, err)
		}
		if string(got) != viewOf(t, filepath.Join(in, strings.TrimSuffix(name, ".txt"))) {
			t.Errorf("%q is not the view of its payload", name)
		}
	}
	if again, _ := start(0); len(again) != 2 {
		t.Errorf("%d files were reported when all was done, want the 2 that failed", len(again))
	}
}

// indexed counts the views of a batch's index.
func indexed(t *testing.T, out string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, "batch.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	views := map[string]int{}
	for line := range bytes.Lines(text) {
		var l batch.Line
		if json.Unmarshal(line, &l) == nil {
			views[l.View]++
		}
	}
	return views
}

func directory(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Two batches share a directory of views: neither takes what is the other's, and
// what a killed one left is removed by who is alone.
func TestBatchesShareADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, sub := range []string{in, filepath.Join(out, ".batch")} {
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(out, ".batch", "LEFT"), []byte("half a vi"), 0o600),
		os.WriteFile(filepath.Join(out, "batch.jsonl"), []byte(`{"file":"p1","vi`), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		f, err := os.Create(filepath.Join(in, fmt.Sprintf("p%03d", n)))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(rowsPayload(f, 1000, n), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var list [2]strings.Builder
	for n := range 200 {
		fmt.Fprintf(&list[n%2], "%s/p%03d\n", in, n)
	}
	var runs []*exec.Cmd
	for i := range list {
		cmd := exec.Command(self)
		cmd.Args = []string{"handrail", "compress", "--type", "a11y", "--batch", "-", "--out", out, "--store=false"}
		cmd.Stdin = strings.NewReader(list[i].String())
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, cmd)
	}
	for _, cmd := range runs {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	views := indexed(t, out)
	for n := range 200 {
		name := strings.TrimPrefix(fmt.Sprintf("%s/p%03d.txt", in, n), "/")
		if _, err := os.Stat(filepath.Join(out, name)); err != nil || views[name] != 1 {
			t.Errorf("view %d: %d lines, %v", n, views[name], err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, ".batch")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed batch left is still there: %v", err)
	}
}

// Nothing is written outside the directory of the views, and no link leads out of it.
func TestBatchStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, outside := filepath.Join(dir, "out"), filepath.Join(dir, "outside")
	if err := errors.Join(os.MkdirAll(out, 0o755), os.MkdirAll(outside, 0o755), os.MkdirAll(filepath.Join(dir, "in", "sub"), 0o755),
		os.Symlink(outside, filepath.Join(out, "sub"))); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "in", "sub", "p.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rowsPayload(f, 1000, 1), f.Close()); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := Main([]string{"compress", "--type", "a11y", "--batch", filepath.Join(dir, "in"), "--out", out, "--store=false"}, strings.NewReader(""), &stdout, &stderr)
	if status != 1 || !strings.Contains(stdout.String(), `"error":"write the view: `) {
		t.Errorf("exit status %d, %s%s", status, &stdout, &stderr)
	}
	if left := directory(t, outside); len(left) > 0 {
		t.Errorf("%q was written outside", left)
	}
}
