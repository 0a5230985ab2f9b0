package exchange_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"handrail/host/exchange/faketest"
	"handrail/host/wire"
)

// Exchanges with bytes changed, dropped, doubled or cut off: the host ends, and
// stdout holds frames only (faketest checks that).
func TestMutatedExchanges(t *testing.T) {
	t.Parallel()
	n := 60
	if testing.Short() {
		n = 6
	}
	request := func(id int, method, params string) []byte {
		return frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	}
	exchange := bytes.Join([][]byte{
		helloFrame(1, 1),
		request(2, "policy", `{"action":"set","kind":"act","verdict":"always"}`),
		request(3, "recover", `{"handle":"hr_0"}`),
		request(4, "snapshot", `{"tab":1,"query":"é\u2028"}`),
		frame(`{"part":{"id":"p","seq":0,"of":1,"data":"{}","sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}}`),
		frame(`{"jsonrpc":"2.0","method":"event","params":{"tab":1,"kind":"input"}}`),
		frame(`{"jsonrpc":"2.0","id":1,"result":{"bundle":{"v":1}}}`),
	}, nil)
	dir := home(t)
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			input := bytes.Clone(exchange)
			for range 1 + r.IntN(4) {
				at := r.IntN(len(input))
				switch r.IntN(4) {
				case 0:
					input[at] = byte(r.Uint32())
				case 1:
					input = append(input[:at], input[at+1:]...)
				case 2:
					input = append(input[:at+1], input[at:]...)
				case 3:
					input = input[:at+1]
				}
			}
			p := faketest.Spawn(t, testBinary, nil, "HANDRAIL_HOME="+dir)
			p.Stdin.Write(input)
			p.Stdin.Close()
			if code := p.Exit(t); code != 0 && code != 1 {
				t.Errorf("exit status %d", code)
			}
		})
	}
}

// A host killed at any moment loses no snapshot that it gave out, and the next
// one works at once.
func TestKilledHostLosesNothing(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	r := rand.New(rand.NewPCG(1, 2))
	given := map[string][]byte{}
	for round := range 8 {
		c := w.client("c")
		c.snapshot(wire.SnapshotParams{URL: first})
		var killing sync.WaitGroup
		after := time.Duration(r.IntN(20)) * time.Millisecond
		killing.Go(func() {
			time.Sleep(after) // the moment is the point
			w.link.Signal(t, syscall.SIGKILL)
		})
		for i := 0; ; i++ {
			var s wire.Snapshot
			if err := c.call("snapshot", wire.SnapshotParams{ViewOptions: wire.ViewOptions{Query: fmt.Sprintf("save %d %d", round, i)}}, &s); err != nil {
				break
			}
			given[s.RecoveryHandle] = w.browser.Bundle()
		}
		killing.Wait()
		w.link.Exit(t)
		w.restart()
	}
	c := w.client("c")
	for handle, bundle := range given {
		var r wire.RecoverResult
		c.must("recover", wire.RecoverParams{Handle: handle}, &r)
		if !bytes.Equal(r.Payload, bundle) {
			t.Errorf("%s gives %d bytes, %d were captured", handle, len(r.Payload), len(bundle))
		}
	}
	t.Logf("%d snapshots were given out", len(given))
}
