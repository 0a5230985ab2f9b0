//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/compressor/tokens"
)

// agent is a coding agent: the tools over the binary's own stdio.
type agent struct {
	t *testing.T
	*sdk.ClientSession
	spent int // tokens of all replies
}

func (h *handrail) agent(t *testing.T, args ...string) *agent {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"mcp", "--headless"}, args...)...)
	cmd.Env = append(append(os.Environ(), "HANDRAIL_HOME="+h.home), h.env...)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "e2e", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server ended: %v", err)
		}
	})
	return &agent{t: t, ClientSession: session}
}

type args map[string]any

func (a *agent) call(tool string, arguments args) (string, bool) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	r, err := a.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	n := tokens.CountString(text)
	a.spent += n
	a.t.Logf("%s %v: %d tokens\n%s", tool, arguments, n, text)
	return text, !r.IsError
}

func (a *agent) must(tool string, arguments args) string {
	a.t.Helper()
	text, ok := a.call(tool, arguments)
	if !ok {
		a.t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	return text
}

// A task through the tools alone: log in, narrow 2,000 rows, act in the 777th,
// answer its dialog, attach a file, read the result.
func TestMCPTask(t *testing.T) {
	files := t.TempDir()
	h, web := newHandrail(t, "HANDRAIL_UPLOAD="+files), newSite(t)
	a := h.agent(t)
	view := a.must("browser_snapshot", args{"url": web.main("desk.html")})
	a.must("browser_act", args{"action": "type", "uid": uidOf(t, view, `"User"`), "text": "ada", "then": "none"})
	a.must("browser_act", args{"action": "type", "uid": uidOf(t, view, `"Password"`), "text": "engine", "then": "none"})
	a.must("browser_act", args{"action": "click", "uid": uidOf(t, view, `button "Sign in"`), "then": "none"})

	view = a.must("browser_snapshot", args{"query": "filter invoice"})
	invoice := regexp.MustCompile(`\[(\w+)\] button "Invoice"`).FindStringSubmatch(view)
	if invoice == nil {
		t.Fatalf("no file field in\n%s", view)
	}
	a.must("browser_act", args{"action": "type", "uid": uidOf(t, view, `"Filter"`), "text": "Order 100777", "then": "none"})
	view = a.must("browser_snapshot", nil)
	approve := regexp.MustCompile(`\[(\w+)\] button "Approve"`).FindAllStringSubmatch(view, -1)
	if len(approve) != 1 || !strings.Contains(view, "Order 100777") {
		t.Fatalf("%d rows are left in\n%s", len(approve), view)
	}
	did, _ := a.call("browser_act", args{"action": "click", "uid": approve[0][1]})
	if !strings.Contains(did, "Approve Order 100777?") {
		t.Fatalf("no dialog: %s", did)
	}
	a.must("browser_act", args{"action": "dialog", "accept": true})

	file := filepath.Join(files, "invoice.pdf")
	if err := os.WriteFile(file, []byte("%PDF"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.must("browser_act", args{"action": "upload", "uid": invoice[1], "files": []string{file}})
	const want = "Invoice invoice.pdf of 4 bytes attached"
	if found := a.must("browser_snapshot", args{"query": want}); !strings.Contains(found, want) {
		t.Errorf("the result is not on the page:\n%s", found)
	}
	eventually(t, "the approval arrived", func() bool {
		web.mu.Lock()
		defer web.mu.Unlock()
		return web.counts["Order 100777 approved"] == 1
	})
	t.Logf("the task took %d tokens of replies", a.spent)
	if a.spent > 3000 {
		t.Errorf("the task took %d tokens of replies, want 3000 at most", a.spent)
	}
}

// A client that is not ours speaks to the server: the TypeScript SDK's.
func TestMCPConforms(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "host/e2e/mcp.mjs", filepath.Join(root, "bin/handrail"), web.main("form.html"), web.main("orders.html?rows=800"))
	cmd.Dir = root
	cmd.Env = append(append(os.Environ(), "HANDRAIL_HOME="+h.home), h.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	var listed map[string]int
	line := strings.SplitN(string(out), "\n", 2)[0]
	if err := json.Unmarshal([]byte(line), &listed); err != nil || listed["tools"] != 7 || listed["slim"] != 4 {
		t.Errorf("listed %s, %v", line, err)
	}
}

// The host is killed, then the browser closed: reads come back, acts say so.
func TestMCPLosesItsHost(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	a := h.agent(t)
	view := a.must("browser_snapshot", args{"url": web.main("form.html")})
	button := uidOf(t, view, `button "Create account"`)
	h.kill(t, "chrome-extension://")
	if text := a.must("browser_snapshot", nil); !strings.Contains(text, "Create account") {
		t.Errorf("after the host was killed: %s", text)
	}
	h.kill(t, "chrome-extension://")
	if text, ok := a.call("browser_act", args{"action": "hover", "uid": button}); ok || !strings.HasPrefix(text, "detached: ") {
		t.Errorf("an act after the host was killed: %s", text)
	}
	a.must("browser_snapshot", nil)
	h.must(t, "close")
	if text, ok := a.call("browser_snapshot", nil); ok || !strings.HasPrefix(text, "detached: ") {
		t.Errorf("after the browser was closed: %s", text)
	}
	a.must("browser_snapshot", args{"url": web.main("form.html")})
}

// Whatever is lost between two calls, what was asked for happens once at most: a read
// is answered by the next host, an act is refused at once (or its end is said to be unknown), and works when it is asked
// for anew.
func TestMCPLosses(t *testing.T) {
	for _, test := range []struct {
		name   string
		victim []string
		gone   bool // the page with it
	}{
		{"host", []string{"chrome-extension://"}, false},
		{"worker", []string{"--extension-process"}, false},
		{"browser", []string{"--remote-debugging-pipe"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, web := newHandrail(t), newSite(t)
			a := h.agent(t)
			page := web.main("first.html")
			view := a.must("browser_snapshot", args{"url": page})
			h.kill(t, test.victim...)
			if test.gone {
				if text, ok := a.call("browser_act", args{"action": "click", "uid": uidOf(t, view, `"Save"`)}); ok {
					t.Errorf("an act in a browser that has gone: %s", text)
				}
				a.must("browser_snapshot", args{"url": page})
				web.wantCounts(t, map[string]int{})
				return
			}
			view = a.must("browser_snapshot", nil)
			h.kill(t, test.victim...)
			if text, ok := a.call("browser_act", args{"action": "click", "uid": uidOf(t, view, `"Save"`)}); ok || !strings.Contains(text, "detached: ") && !strings.Contains(text, "uncertain: ") {
				t.Errorf("an act after the loss: %s", text)
			}
			web.wantCounts(t, map[string]int{})
			view = a.must("browser_snapshot", nil)
			a.must("browser_act", args{"action": "click", "uid": uidOf(t, view, `"Save"`)})
			web.wantCounts(t, map[string]int{"first save": 1})
		})
	}
}

// A store in memory gives what it holds in parts, and writes no file.
func TestMCPEphemeral(t *testing.T) {
	h, web := newHandrail(t, "HANDRAIL_EPHEMERAL=1"), newSite(t)
	a := h.agent(t)
	view := a.must("browser_snapshot", args{"url": web.main("first.html")})
	handle := regexp.MustCompile(`recovery_handle: (hr_[0-9a-f]+)`).FindStringSubmatch(view)[1]
	if text := a.must("browser_recover", args{"recovery_handle": handle}); !strings.Contains(text, "nothing is written") {
		t.Errorf("recover: %s", text)
	}
	if text := a.must("browser_recover", args{"recovery_handle": handle, "offset": 0}); !strings.Contains(text, `"capture"`) {
		t.Errorf("recover a part: %s", text)
	}
	if kept := everyFile(t, h.home); strings.Contains(kept, "Save") {
		t.Error("the page's words are in a file")
	}
	if text, ok := h.as("another").agent(t).call("browser_recover", args{"recovery_handle": handle, "query": "save"}); !ok || !strings.Contains(text, "Save") {
		t.Errorf("another agent of the same browser: %s", text)
	}
}
