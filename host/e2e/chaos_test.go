//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"handrail/host/client"
	"handrail/host/wire"
)

// chaos is how often a random test is played: few times, or as HANDRAIL_CHAOS says (make chaos).
func chaos(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("HANDRAIL_CHAOS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("HANDRAIL_CHAOS=%q is no number of rounds", text)
	}
	return n
}

// again asks for an act under its id in a new connection, as the command line does.
func (h *handrail) again(t *testing.T, p wire.ActParams) (wire.ActResult, *wire.Fault) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var r wire.ActResult
	link, err := client.Connect(ctx, client.Choice{Dir: h.home, Client: wire.Client{Kind: "cli", Name: h.client}})
	if err == nil {
		defer link.Close()
		err = link.Act(ctx, "act", p, &r)
	}
	if err == nil {
		return r, nil
	}
	fault, ok := err.(*wire.Fault)
	if !ok {
		t.Fatalf("act %+v: %v", p, err)
	}
	return r, fault
}

// Whatever is killed while an act is asked for, it happens once or not at all,
// and who hears that it was done, or was not, hears the truth.
func TestKilledWhileActing(t *testing.T) {
	const seed, retries = 14, 3
	n := chaos(t, 16)
	h, web := newOwn(t), newSite(t)
	h.open(t, web.main(fmt.Sprintf("once.html?n=%d", n)))
	h.allowAll(t)
	view := h.snapshot(t, "--tab", strconv.Itoa(h.tabOf(t, "Once")), "--profile", "full", "--max-tokens", "0", "--window", "0").UIDs
	r := rand.New(rand.NewPCG(seed, 0))
	victims := []string{"worker", "host", "client"}
	var did, said, unsure, refused int
	codes := map[wire.Code]int{}
	for i := range n {
		victim := victims[i/3%3]
		on, text := true, strconv.Itoa(i)
		p := []wire.ActParams{{Action: "click"}, {Action: "check", On: &on}, {Action: "set_field", Text: &text, Submit: true}}[i%3]
		args := [][]string{{"click"}, {"check", "on"}, {"set_field", text, "--submit"}}[i%3]
		p.UID = uidOf(t, view, []string{`"Press `, `"Check `, `"Field `}[i%3]+text+`"`)
		p.ActID = fmt.Sprintf("%032x", i+1)

		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		cmd := exec.CommandContext(ctx, binary, append([]string{"act", p.UID, "--act-id", p.ActID}, args...)...)
		cmd.Env = append(os.Environ(), "HANDRAIL_HOME="+h.home, "HANDRAIL_CLIENT="+h.client)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(r.IntN(300)) * time.Millisecond
		time.Sleep(after) // where the kill falls, not what is waited for
		switch victim {
		case "client":
			cmd.Process.Kill()
		case "host":
			eventually(t, "there is a host to kill", func() bool {
				pids, lines := processes(h.home)
				k := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "chrome-extension://") })
				return k >= 0 && syscall.Kill(pids[k], syscall.SIGKILL) == nil
			})
		default:
			h.killWorker(t)
		}
		done := cmd.Wait() == nil
		cancel()

		var result wire.ActResult
		var fault *wire.Fault
		for range retries {
			result, fault = h.again(t, p)
			done = done || fault == nil && result.Dispatched == wire.DispatchedYes
		}
		got := web.take()
		told := fmt.Sprintf("act %d (%s), the %s killed after %v: the page counted %v, the last reply %+v, fault %v", i, p.Action, victim, after, got, result, fault)
		count := got["act "+text]
		delete(got, "act "+text)
		switch {
		case len(got) > 0 || count > 1:
			t.Errorf("it happened more than once, or late: %s", told)
		case done && count != 1:
			t.Errorf("it was said to be done and was not: %s", told)
		case fault != nil && fault.Dispatched == wire.DispatchedNo && count != 0:
			t.Errorf("it was said to be undone and was done: %s", told)
		}
		did += count
		switch {
		case fault == nil:
			said++
		case fault.Dispatched == wire.DispatchedNo:
			refused++
			codes[fault.Code]++
		default:
			unsure++
			codes[fault.Code]++
		}
	}
	t.Logf("%d acts: the page counted %d; %d were said to be done, %d refused, %d uncertain: %v", n, did, said, refused, unsure, codes)
}
