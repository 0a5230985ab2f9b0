//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handrail/host/client"
	"handrail/host/wire"
)

const (
	binary = "../../bin/handrail"
	pages  = "../../testdata/pages"
)

// site serves testdata/pages on one port under three host names, which are
// three sites to a browser, and counts what the pages' records receive.
type site struct {
	port   string
	mu     sync.Mutex
	counts map[string]int
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{counts: map[string]int{}}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(pages)))
	mux.HandleFunc("/demo.html", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "../cli/demo.html") })
	serveWidgets(mux)
	mux.HandleFunc("POST /count", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.counts[r.FormValue("key")]++
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	_, s.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return s
}

func (s *site) main(path string) string   { return "http://127.0.0.1:" + s.port + "/" + path }
func (s *site) cross(path string) string  { return "http://localhost:" + s.port + "/" + path }
func (s *site) nested(path string) string { return "http://nested.localhost:" + s.port + "/" + path }

// take returns the counts so far and starts anew.
func (s *site) take() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	s.counts = map[string]int{}
	return counts
}

// wantCounts fails unless exactly these records received a click since the last call.
func (s *site) wantCounts(t *testing.T, want map[string]int) {
	t.Helper()
	got := s.take()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counts = %v, want %v", got, want)
	}
}

// handrail runs the binary for one user: a state directory and a client name.
type handrail struct {
	home   string
	client string
	env    []string
}

// newHandrail makes a user with a dedicated browser of its own, which is closed
// at the end; what it leaves running fails the test.
func newHandrail(t *testing.T, env ...string) *handrail {
	t.Helper()
	home, err := os.MkdirTemp("", "hr")
	if err != nil {
		t.Fatal(err)
	}
	h := &handrail{home: home, client: "test", env: env}
	t.Cleanup(func() {
		if out := h.run("close"); out.code != 0 {
			t.Errorf("close: %s", out.stderr)
		}
		wantNoProcess(t, home)
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	return h
}

// shared is the user, and the browser, of all that newClient makes.
var shared struct {
	sync.Mutex
	home    string
	clients int
}

// newClient makes a client of the browser that tests share, which takes a fraction
// of the time to start one. Its tabs are closed at the end. A test that failed may
// leave the browser in any state: the next gets another.
func newClient(t *testing.T) *handrail {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.home == "" {
		home, err := os.MkdirTemp("", "hr")
		if err != nil {
			t.Fatal(err)
		}
		shared.home = home
	}
	shared.clients++
	h := &handrail{home: shared.home, client: fmt.Sprintf("test-%d", shared.clients)}
	t.Cleanup(func() {
		if t.Failed() || !h.closeTabs() {
			endShared()
		}
	})
	return h
}

// closeTabs closes the tabs that show something, and says whether that could be had.
func (h *handrail) closeTabs() bool {
	out := h.run("tabs", "--json")
	var list wire.TabsResult
	if out.code != 0 || json.Unmarshal(out.stdout, &list) != nil {
		return false
	}
	for _, one := range list.Tabs {
		if one.URL != "about:blank" && h.run("tabs", "close", strconv.Itoa(one.Tab)).code != 0 {
			return false
		}
	}
	return true
}

// endShared closes the browser that tests share, and says what it leaves running.
func endShared() (left []string) {
	shared.Lock()
	defer shared.Unlock()
	if shared.home == "" {
		return nil
	}
	(&handrail{home: shared.home, client: "test"}).run("close")
	_, left = processes(shared.home)
	os.RemoveAll(shared.home)
	shared.home = ""
	return left
}

func TestMain(m *testing.M) {
	code := m.Run()
	if left := endShared(); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "still running: %d processes, the first %.200s\n", len(left), left[0])
		code = 1
	}
	os.Exit(code)
}

// as is the same user under another client name.
func (h *handrail) as(client string) *handrail {
	other := *h
	other.client = client
	return &other
}

type output struct {
	stdout []byte
	stderr string
	code   int
}

func (h *handrail) run(args ...string) output {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "HANDRAIL_HOME="+h.home, "HANDRAIL_CLIENT="+h.client)
	cmd.Env = append(cmd.Env, h.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	out := output{stdout.Bytes(), stderr.String(), 0}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		out.code = exit.ExitCode()
	case err != nil:
		out.code, out.stderr = -1, err.Error()
	}
	return out
}

// must runs a command that has to succeed.
func (h *handrail) must(t *testing.T, args ...string) output {
	t.Helper()
	out := h.run(args...)
	if out.code != 0 {
		t.Fatalf("handrail %s: exit %d\n%s", strings.Join(args, " "), out.code, out.stderr)
	}
	return out
}

// refused runs a command that has to fail with the code.
func (h *handrail) refused(t *testing.T, code wire.Code, args ...string) output {
	t.Helper()
	out := h.run(args...)
	if out.code != 1 || !strings.Contains("\n"+out.stderr, "\nhandrail: "+string(code)+": ") {
		t.Errorf("handrail %s: exit %d, want 1 with %s\nstdout %.300s\nstderr %s", strings.Join(args, " "), out.code, code, out.stdout, out.stderr)
	}
	return out
}

func (h *handrail) snapshot(t *testing.T, args ...string) wire.Snapshot {
	t.Helper()
	var s wire.Snapshot
	if err := json.Unmarshal(h.must(t, append([]string{"snapshot"}, args...)...).stdout, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *handrail) act(t *testing.T, args ...string) wire.ActResult {
	t.Helper()
	var r wire.ActResult
	if err := json.Unmarshal(h.must(t, append([]string{"act", "--json"}, args...)...).stdout, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// eval runs an expression in the client's current tab and gives its JSON value.
func (h *handrail) eval(t *testing.T, expression string) string {
	t.Helper()
	var r wire.ActResult
	if err := json.Unmarshal(h.must(t, "eval", "--json", expression).stdout, &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Value)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// uidOf finds the uid of the one line that holds the text.
func uidOf(t *testing.T, view, text string) string {
	t.Helper()
	found := uidsOf(view, text)
	if len(found) != 1 {
		t.Fatalf("%d lines with a uid hold %q in\n%s", len(found), text, view)
	}
	return found[0]
}

// uidsOf gives the uids of the items that hold a text. Several items may stand on a line.
func uidsOf(view, text string) (uids []string) {
	for line := range strings.Lines(view) {
		for _, item := range itemsOf(line) {
			if m := uidPattern.FindStringSubmatch(item); m != nil && strings.Contains(item, text) {
				uids = append(uids, m[1])
			}
		}
	}
	return uids
}

// itemsOf splits a line where its items do: at " · " and " | " outside quotes.
func itemsOf(line string) (items []string) {
	quoted, from := false, 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case !quoted && (strings.HasPrefix(line[i:], " · ") || strings.HasPrefix(line[i:], " | ")):
			items, from = append(items, line[from:i]), i+len(" | ")
			if line[i+1] != '|' {
				from = i + len(" · ")
			}
		}
	}
	return append(items, line[from:])
}

var uidPattern = regexp.MustCompile(`^ *\[(\w+)\] `)

// processes lists the processes whose command line or environment holds the text.
func processes(text string) (pids []int, lines []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		var pid int
		fmt.Sscanf(filepath.Base(dir), "%d", &pid)
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if pid != os.Getpid() && len(line) > 0 && (bytes.Contains(line, []byte(text)) || bytes.Contains(environ, []byte(text))) {
			pids = append(pids, pid)
			lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return pids, lines
}

func wantNoProcess(t *testing.T, text string) {
	t.Helper()
	if _, lines := processes(text); len(lines) > 0 {
		t.Errorf("still running: %d processes, the first %.200s", len(lines), lines[0])
	}
}

// kill ends, without warning, the processes whose command line holds all words,
// of those that belong to this user's state directory.
func (h *handrail) kill(t *testing.T, words ...string) {
	t.Helper()
	pids, lines := processes(h.home)
	killed := 0
	for i, pid := range pids {
		all := true
		for _, word := range words {
			all = all && strings.Contains(lines[i], word)
		}
		if all {
			if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
				killed++
			}
		}
	}
	if killed == 0 {
		t.Fatalf("no process with %q to kill in\n%s", words, strings.Join(lines, "\n"))
	}
}

// direct is a connection to the dedicated browser, as the user's own client, for
// acts that need more than the command line gives.
type direct struct{ link *client.Client }

func (h *handrail) direct(t *testing.T) direct {
	t.Helper()
	link, err := client.Connect(t.Context(), client.Choice{
		Dir: h.home, Headless: true, Client: wire.Client{Kind: "cli", Name: h.client}, Warn: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	return direct{link}
}

func (d direct) try(t *testing.T, p wire.ActParams) (wire.ActResult, *wire.Fault) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
	defer cancel()
	id := make([]byte, 16)
	rand.Read(id)
	p.ActID = hex.EncodeToString(id)
	var r wire.ActResult
	err := d.link.Act(ctx, "act", p, &r)
	fault, ok := errors.AsType[*wire.Fault](err)
	if err != nil && !ok {
		t.Fatalf("act %+v: %v", p, err)
	}
	return r, fault
}

// act does an act that has to succeed.
func (d direct) act(t *testing.T, p wire.ActParams) wire.ActResult {
	t.Helper()
	r, fault := d.try(t, p)
	if fault != nil {
		t.Fatalf("act %+v: %v", p, fault)
	}
	return r
}

// refused does an act that has to fail with the code.
func (d direct) refused(t *testing.T, code wire.Code, dispatched string, p wire.ActParams) *wire.Fault {
	t.Helper()
	r, fault := d.try(t, p)
	if fault == nil || fault.Code != code || fault.Dispatched != dispatched {
		t.Errorf("act %+v: %+v, fault %+v; want %s, dispatched %s", p, r, fault, code, dispatched)
	}
	return fault
}
