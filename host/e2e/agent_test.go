//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"handrail/host/socket"
)

// shop is three pages, of which the last one shows a number that stands nowhere
// else, and a model that buys in it: an OpenAI-compatible server that looks at what
// it was told last and plays one step of its script.
type shop struct {
	*httptest.Server
	receipt string
	confirm func() // called while the click on Confirm waits for its page
	speak   func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	orders   []string // names that were confirmed
	requests []string // to the model, whole
	keys     map[string]bool
	cont     string // uid of Continue
}

const agentKey = "sk-canary-of-the-agent"

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{receipt: fmt.Sprintf("Receipt %d", 100_000+rand.IntN(900_000)), keys: map[string]bool{}}
	page := func(title, body string) string {
		return "<!doctype html><html lang=en><title>" + title + "</title><main><h1>" + title + "</h1>" + body + "</main>"
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /order", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, page("Order", `<form action="/check"><label>Name <input name="name"></label> <button>Continue</button></form>`))
	})
	mux.HandleFunc("GET /check", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, page("Check", fmt.Sprintf(`<form action="/done" method="post"><input type="hidden" name="name" value=%q><button>Confirm</button></form><a href="/order">Back</a>`, r.FormValue("name"))))
	})
	mux.HandleFunc("POST /done", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.orders = append(s.orders, r.FormValue("name"))
		s.mu.Unlock()
		if s.confirm != nil {
			s.confirm()
		}
		io.WriteString(w, page("Thank you", "<p>"+s.receipt+"</p>"))
	})
	mux.HandleFunc("/v1/chat/completions", s.complete)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// complete answers the panel, which comes from another origin.
func (s *shop) complete(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
	w.Header().Set("Access-Control-Allow-Private-Network", "true")
	if r.Method == http.MethodOptions {
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.requests = append(s.requests, string(body))
	s.keys[r.Header.Get("Authorization")] = true
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if s.speak != nil && s.speak(w, r) {
		return
	}
	var asked struct {
		Messages []struct{ Content string }
		Tools    []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Tools) != 7 {
		http.Error(w, "not understood", http.StatusBadRequest)
		return
	}
	s.play(w, asked.Messages[len(asked.Messages)-1].Content)
}

var receipt = regexp.MustCompile(`Receipt \d+`)

// play does the step that fits what was told.
func (s *shop) play(w http.ResponseWriter, told string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := func(text string) string {
		if found := uidsOf(told, text); len(found) == 1 {
			return found[0]
		}
		return ""
	}
	if uid := one(`button "Continue"`); uid != "" {
		s.cont = uid
	}
	name, confirm := one(`textbox "Name"`), one(`button "Confirm"`)
	switch found := receipt.FindString(told); {
	case found != "":
		say(w, map[string]any{"content": "Ordered for Ada: " + found + "."})
	case confirm != "":
		call(w, "browser_act", map[string]any{"action": "click", "uid": confirm})
	case strings.Contains(told, `= "Ada"`) || strings.Contains(told, `value now: "Ada"`):
		call(w, "browser_act", map[string]any{"action": "click", "uid": s.cont})
	case name != "":
		call(w, "browser_act", map[string]any{"action": "set_field", "uid": name, "text": "Ada"})
	default:
		call(w, "browser_snapshot", map[string]any{})
	}
}

func say(w http.ResponseWriter, delta map[string]any) {
	chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": delta, "finish_reason": "stop"}}})
	fmt.Fprintf(w, "data: %s\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":10}}\n\ndata: [DONE]\n\n", chunk)
}

func call(w http.ResponseWriter, name string, arguments map[string]any) {
	text, _ := json.Marshal(arguments)
	say(w, map[string]any{"content": "Next. ", "tool_calls": []any{map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%d", rand.Int64()), "type": "function", "function": map[string]any{"name": name, "arguments": string(text)},
	}}})
}

// confirmed are the names of the orders so far.
func (s *shop) confirmed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.orders, " ")
}

func (s *shop) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// newAgent opens the panel's Agent tab on the shop, with its model chosen by hand
// and acts allowed.
func newAgent(t *testing.T, s *shop) *panel {
	t.Helper()
	o := newOwn(t)
	o.allowAll(t)
	return newAgentIn(t, o, s)
}

func newAgentIn(t *testing.T, o *own, s *shop) *panel {
	t.Helper()
	p := newPanel(t, o, s.URL+"/order", "Continue")
	p.click(t, `[aria-controls=agent]`)
	p.until(t, "#agent-settings", "Endpoint")
	p.set(t, "#agent-endpoint", s.URL+"/v1")
	p.set(t, "#agent-model", "script")
	p.set(t, "#agent-key", agentKey)
	p.submit(t, "#agent-choices")
	p.until(t, "#agent-settings-state", "Saved")
	p.set(t, "#task", "Order for Ada, and say which receipt came")
	return p
}

// wantNames fails where a control of the panel has no name for a screen reader.
func (p *panel) wantNames(t *testing.T) {
	t.Helper()
	controls := map[string]bool{"button": true, "textbox": true, "combobox": true, "checkbox": true, "spinbutton": true, "tab": true, "DisclosureTriangle": true}
	seen := 0
	for _, node := range p.call(t, p.view, "Accessibility.getFullAXTree", map[string]any{})["nodes"].([]any) {
		said := func(field string) string {
			value, _ := node.(map[string]any)[field].(map[string]any)
			return fmt.Sprint(value["value"])
		}
		if !controls[said("role")] || node.(map[string]any)["ignored"] == true {
			continue
		}
		if seen++; said("name") == "" {
			t.Errorf("a control without a name: %v", node)
		}
	}
	if seen < 15 {
		t.Errorf("only %d controls were seen", seen)
	}
}

// exported is the run as the panel's button gives it.
func (p *panel) exported(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(p.value(t, p.view, `new Promise(resolve => {
		URL.createObjectURL = blob => (blob.text().then(resolve), 'blob:none');
		document.querySelector('#agent-export').click();
	})`))
}

// What a model types into a password field is not in the exported run, though it
// does not say that it is a secret.
func TestAgentExportsNoPassword(t *testing.T) {
	const canary = "hunter2-canary"
	s := newShop(t)
	s.speak = func(w http.ResponseWriter, r *http.Request) bool {
		if s.asked() > 1 {
			say(w, map[string]any{"content": "The password is " + canary + "."})
			return true
		}
		s.mu.Lock()
		uids := uidsOf(strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(s.requests[0]), `textbox "Name"`)
		s.mu.Unlock()
		call(w, "browser_act", map[string]any{"action": "set_field", "uid": strings.Join(uids, " "), "text": canary})
		return true
	}
	p := newAgent(t, s)
	p.value(t, p.session, `document.querySelector('input').type = 'password'`)
	p.set(t, "#task", "Set the password "+canary)
	p.submit(t, "#agent-task")
	p.until(t, "#agent-answer", "The password is")
	if value := p.value(t, p.session, `document.querySelector('input').value`); value != canary {
		t.Errorf("value %q", value)
	}
	if exported := p.exported(t); strings.Contains(exported, canary) || !strings.Contains(exported, "set_field") {
		t.Errorf("export %.2000s", exported)
	}
	if list := p.text(t, "#agent-steps"); strings.Contains(list, canary) {
		t.Errorf("steps %s", list)
	}
}

// A task goes over three pages to its end, and is done again from its export.
func TestAgent(t *testing.T) {
	s := newShop(t)
	p := newAgent(t, s)
	p.submit(t, "#agent-task")
	p.until(t, "#agent-answer", "Ordered for Ada: "+s.receipt)
	if state := p.text(t, "#agent-state"); state != "Done" {
		t.Errorf("state %q", state)
	}
	if got := s.confirmed(); got != "Ada" {
		t.Errorf("orders %q", got)
	}
	list := p.text(t, "#agent-steps")
	for _, want := range []string{"read the page", `set_field textbox "Name"`, `click button "Continue"`, `click button "Confirm"`, "dispatched: yes", "tokens"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in the steps\n%s", want, list)
		}
	}
	if usage := p.text(t, "#agent-usage"); !strings.Contains(usage, "4 steps") || !strings.Contains(usage, "4,040 tokens") {
		t.Errorf("usage %q", usage)
	}
	if len(s.keys) != 1 || !s.keys["Bearer "+agentKey] {
		t.Errorf("keys %v", s.keys)
	}
	p.value(t, p.view, `document.querySelectorAll('#agent details').forEach(one => { one.open = true; })`)
	p.until(t, "#agent-debug", "browser_snapshot")

	exported := p.exported(t)
	if !strings.Contains(exported, `"name": "Confirm"`) || regexp.MustCompile(`"uid": "`).MatchString(exported) {
		t.Errorf("export %.2000s", exported)
	}
	for name, text := range map[string]string{"the debug view": p.text(t, "#agent"), "the export": exported, "a request's body": strings.Join(s.requests, "")} {
		if strings.Contains(text, agentKey) {
			t.Errorf("the key is in %s", name)
		}
	}
	p.call(t, p.session, "Page.navigate", map[string]any{"url": s.URL + "/order"})
	eventually(t, "the first page is there", func() bool { return p.value(t, p.session, `document.querySelector('input[name=name]')?.value`) == "" })
	replay := fmt.Sprintf(`{
		const files = new DataTransfer(), input = document.querySelector('#agent-replay');
		files.items.add(new File([%q], 'run.json'));
		input.files = files.files;
		input.dispatchEvent(new Event('change'));
	}`, exported)
	p.value(t, p.view, replay)
	p.until(t, "#agent-answer", "All 3 acts were done again")
	if got := s.confirmed(); got != "Ada Ada" {
		t.Errorf("orders %q", got)
	}
	// Where it stands now there is nothing to fill in.
	p.value(t, p.view, replay)
	p.until(t, "#agent-state", `Step 1 of 3 was not done: there is no textbox "Name"`)
	if got := s.confirmed(); got != "Ada Ada" {
		t.Errorf("orders %q", got)
	}
	p.wantNames(t)
	p.keep(t, "agent")
	p.call(t, p.view, "Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": "dark"}}})
	p.keep(t, "agent-dark")
}

// Stop ends what the model says, and nothing is done after it.
func TestAgentStop(t *testing.T) {
	s := newShop(t)
	ended := make(chan bool)
	s.speak = func(w http.ResponseWriter, r *http.Request) bool {
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"I think about it"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
		return true
	}
	p := newAgent(t, s)
	p.submit(t, "#agent-task")
	p.until(t, "#agent-saying", "I think about it")
	p.click(t, "#agent-stop")
	p.until(t, "#agent-state", "Stopped; nothing was under way on the page")
	<-ended
	if s.asked() != 1 || s.confirmed() != "" {
		t.Errorf("%d requests, orders %q", s.asked(), s.confirmed())
	}
}

// Of a model that never answers it is said that it does not, and what ends the waiting.
func TestAgentWithoutAnswer(t *testing.T) {
	s := newShop(t)
	s.speak = func(w http.ResponseWriter, r *http.Request) bool {
		io.WriteString(w, ": a comment\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	p := newAgent(t, s)
	p.value(t, p.view, `{
		const later = window.setTimeout;
		window.setTimeout = (run, ms, ...more) => later(run, ms === 20_000 ? 50 : ms, ...more);
	}`)
	p.submit(t, "#agent-task")
	p.until(t, "#agent-state", "has said nothing for 20 s")
	p.click(t, "#agent-stop")
	p.until(t, "#agent-state", "Stopped; nothing was under way on the page")
}

// An act that was sent before Stop is told; no other follows.
func TestAgentStopInAct(t *testing.T) {
	s := newShop(t)
	confirming, goOn := make(chan bool), make(chan bool)
	s.confirm = func() {
		close(confirming)
		<-goOn
	}
	p := newAgent(t, s)
	p.submit(t, "#agent-task")
	<-confirming
	asked := s.asked()
	p.click(t, "#agent-stop")
	close(goOn)
	p.until(t, "#agent-state", "Stopped; the last act was sent before: ")
	if s.asked() != asked || s.confirmed() != "Ada" {
		t.Errorf("%d requests, %d before Stop; orders %q", s.asked(), asked, s.confirmed())
	}
}

// A worker that is killed while an act is done ends nothing: the act is done once,
// and the task goes on.
func TestAgentKilledWorker(t *testing.T) {
	s := newShop(t)
	confirming, goOn := make(chan bool), make(chan bool)
	s.confirm = func() {
		close(confirming)
		<-goOn
	}
	p := newAgent(t, s)
	p.submit(t, "#agent-task")
	<-confirming
	p.killWorker(t)
	close(goOn)
	p.until(t, "#agent-answer", s.receipt)
	if got := s.confirmed(); got != "Ada" {
		t.Errorf("orders %q", got)
	}
}

// Stop gives up what waits for the person: the question goes, nothing is done, and
// that is what is said.
func TestAgentStopWhileItWaits(t *testing.T) {
	s, o := newShop(t), newOwn(t)
	p := newAgentIn(t, o, s)
	stop := func() {
		t.Helper()
		p.click(t, "#agent-stop")
		p.until(t, "#agent-state", "Stopped; nothing was under way on the page")
		eventually(t, "the question is withdrawn", func() bool { return p.text(t, "#approvals") == "" })
	}
	p.submit(t, "#agent-task")
	p.until(t, "#approvals", "agent (panel) wants to read")
	stop()
	p.submit(t, "#agent-task")
	p.answer(t, "agent (panel) wants to read", "Always")
	p.until(t, "#approvals", "agent (panel) wants to act on")
	stop()
	if name := p.value(t, p.session, `document.querySelector('input').value`); name != "" || s.confirmed() != "" {
		t.Errorf("name %q, orders %q", name, s.confirmed())
	}
}

// A worker that is killed while an act waits for the person takes the question along;
// it is asked again, and the act done once.
func TestAgentKilledWorkerWhileItWaits(t *testing.T) {
	s, o := newShop(t), newOwn(t)
	p := newAgentIn(t, o, s)
	p.submit(t, "#agent-task")
	p.answer(t, "agent (panel) wants to read", "Always")
	p.until(t, "#approvals", "set field textbox")
	question := func() any {
		return p.value(t, p.view, `document.querySelector('#approvals article')?.dataset.question ?? ''`)
	}
	id := question()
	p.killWorker(t)
	eventually(t, "it is asked again", func() bool { now := question(); return now != "" && now != id })
	p.answer(t, "agent (panel) wants to act on", "Always")
	p.until(t, "#agent-answer", s.receipt)
	if got := s.confirmed(); got != "Ada" {
		t.Errorf("orders %q", got)
	}
}

// Stop needs no answer of a host that gives none.
func TestAgentStopWithoutAnswer(t *testing.T) {
	s, o := newShop(t), newOwn(t)
	p := newAgentIn(t, o, s)
	entries, err := socket.List(o.home)
	if err != nil || len(entries) != 1 {
		t.Fatalf("hosts %v, %v", entries, err)
	}
	host, err := os.FindProcess(entries[0].PID)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Signal(syscall.SIGCONT)
	if err := host.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.submit(t, "#agent-task")
	p.until(t, "#agent-state", "Reading the page")
	p.click(t, "#agent-stop")
	p.until(t, "#agent-state", "Stopped; nothing was under way on the page")
	if s.asked() != 0 {
		t.Errorf("%d requests to the model", s.asked())
	}
}

// A limit that is none is said, and is not kept as another one; the key is forgotten
// by the keyboard alone.
func TestAgentSettings(t *testing.T) {
	p := newAgent(t, newShop(t))
	for _, limit := range []string{"0", "-1", "2.5", "", "1001"} {
		p.set(t, "#agent-max-steps", limit)
		p.submit(t, "#agent-choices")
		p.until(t, "#agent-settings-state.wrong", "Steps at most: ")
		if focused := p.value(t, p.view, `document.activeElement.id`); focused != "agent-max-steps" {
			t.Errorf("a limit of %q: %v has the focus", limit, focused)
		}
	}
	p.set(t, "#agent-max-steps", "7")
	p.submit(t, "#agent-choices")
	p.until(t, "#agent-settings-state:not(.wrong)", "Saved")
	p.value(t, p.view, `document.querySelector('#agent-forget').focus(), document.querySelector('#agent-forget').click()`)
	p.until(t, "#agent-settings-state", "The key was forgotten")
	if focused := p.value(t, p.view, `document.activeElement.id`); focused != "agent-key" {
		t.Errorf("without a key, %v has the focus", focused)
	}
}

// A panel that is loaded anew in the middle of a run tells what was done, and does no
// more; the panel after it tells it too.
func TestAgentReloadedPanel(t *testing.T) {
	s := newShop(t)
	confirming, goOn := make(chan bool), make(chan bool)
	s.confirm = func() {
		close(confirming)
		<-goOn
	}
	p := newAgent(t, s)
	p.submit(t, "#agent-task")
	<-confirming
	asked := s.asked()
	reload := func() {
		t.Helper()
		p.value(t, p.view, `void (window.before = true)`)
		p.call(t, p.view, "Page.reload", map[string]any{})
		eventually(t, "the panel is loaded anew", func() bool { return p.value(t, p.view, `window.before ?? document.readyState`) == "complete" })
	}
	reload()
	close(goOn)
	const ended = "Ended when the panel was closed or loaded anew; the last act may have reached the page: look at it before going on"
	p.until(t, "#agent-state", ended)
	list := p.text(t, "#agent-steps")
	for _, want := range []string{"read the page", `set_field textbox "Name"`, `✓ click button "Continue"`, `✗ click button "Confirm" it is not known whether it reached the page`} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in the steps\n%s", want, list)
		}
	}
	if exported := p.exported(t); !strings.Contains(exported, `"name": "Confirm"`) {
		t.Errorf("export %.2000s", exported)
	}
	reload()
	p.click(t, "[aria-controls=agent]")
	p.until(t, "#agent-state", ended)
	if s.asked() != asked || s.confirmed() != "Ada" {
		t.Errorf("%d requests, %d before; orders %q", s.asked(), asked, s.confirmed())
	}
}

// A tab that is closed in the middle is told to the model, and nothing is done in
// another one.
func TestAgentClosedTab(t *testing.T) {
	s := newShop(t)
	closing, closed := make(chan bool), make(chan bool)
	s.speak = func(w http.ResponseWriter, r *http.Request) bool {
		switch s.asked() {
		case 1:
			return false // fills in the name
		case 2:
			close(closing)
			<-closed
			return false // goes on
		}
		say(w, map[string]any{"content": "It is gone."})
		return true
	}
	p := newAgent(t, s)
	p.submit(t, "#agent-task")
	<-closing
	for _, info := range p.call(t, "", "Target.getTargets", map[string]any{})["targetInfos"].([]any) {
		if info := info.(map[string]any); info["url"] == s.URL+"/order" {
			p.call(t, "", "Target.closeTarget", map[string]any{"targetId": info["targetId"]})
		}
	}
	eventually(t, "the tab is closed", func() bool { return !strings.Contains(string(p.must(t, "tabs").stdout), "Order") })
	close(closed)
	p.until(t, "#agent-answer", "It is gone.")
	if last := p.text(t, "#agent-steps li:last-child"); !strings.Contains(last, "unknown_tab") || s.confirmed() != "" {
		t.Errorf("orders %q, last step %s", s.confirmed(), last)
	}
}
