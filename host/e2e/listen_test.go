//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tcpListeners are the listening TCP sockets of this machine's network, as the inodes
// that the descriptors of processes name.
func tcpListeners(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			const listening = "0A"
			if fields := strings.Fields(line); len(fields) > 9 && fields[3] == listening {
				found["socket:["+fields[9]+"]"] = fields[1]
			}
		}
	}
	return found
}

// listening tells which of the processes that belong to a state directory, host, keeper,
// MCP server and browser, listen on TCP, and how many were looked at.
func listening(t *testing.T, home string) (who []string, looked int) {
	t.Helper()
	listeners := tcpListeners(t)
	pids, lines := processes(home)
	for i, pid := range pids {
		descriptors, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
		for _, descriptor := range descriptors {
			target, _ := os.Readlink(descriptor) // it may have been closed
			if address, ok := listeners[target]; ok {
				who = append(who, address+" of "+lines[i])
			}
		}
	}
	return who, len(pids)
}

// Nobody listens on TCP, in a whole run of the browser, its host, the command line and
// an agent: each process is looked at again and again meanwhile.
func TestNoTCPListener(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	stop, ended := make(chan struct{}), make(chan int)
	go func() {
		most := 0
		for {
			who, looked := listening(t, h.home)
			most = max(most, looked)
			for _, one := range who {
				t.Errorf("listens on TCP: %.300s", one)
			}
			select {
			case <-stop:
				ended <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	a := h.agent(t)
	view := a.must("browser_snapshot", args{"url": web.main("first.html")})
	a.must("browser_act", args{"action": "click", "uid": uidOf(t, view, `"Save"`)})
	h.must(t, "tabs")
	h.snapshot(t, web.main("second.html"))
	close(stop)
	if most := <-ended; most < 5 {
		t.Errorf("%d processes were looked at", most)
	}
	if len(tcpListeners(t)) == 0 {
		t.Error("not even this test's own server was seen to listen")
	}
}
