package tokens

import (
	"math/rand/v2"
	"testing"
)

// windowsAgree checks that all ways to merge a piece give the same count. Windows
// as small as these often join at a cut, so that the piece is merged at once.
func windowsAgree(t *testing.T, piece []byte) (joined int) {
	t.Helper()
	if len(piece) == 0 {
		return 0
	}
	var m merger
	want := m.countShort(piece)
	if got := m.merge(piece); got != want {
		t.Errorf("%q: %d tokens with a heap, %d without", piece, got, want)
	}
	for _, window := range []int{1, 2, 4, 7, 16, 64, 300} {
		got := m.countLong(piece, window)
		if got != want {
			t.Errorf("%q: %d tokens by windows of %d, %d at once", piece, got, window, want)
		}
		if m.links == nil {
			joined++
		}
	}
	return joined
}

func TestMergeByWindows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 3))
	joined, tried := 0, 0
	for range *rounds / 10 {
		alphabet := []string{"ab", "aeinst", "etaoinshrdlu ETAOIN", "-=_./", "abcdefghijklmnopqrstuvwxyz", "\xe4\xba\xac\xb8\xad"}[r.IntN(6)]
		piece := make([]byte, 1+r.IntN(400))
		for i := range piece {
			piece[i] = alphabet[r.IntN(len(alphabet))]
		}
		joined += windowsAgree(t, piece)
		tried += 7
		if t.Failed() {
			return
		}
	}
	if joined == 0 || joined == tried {
		t.Errorf("%d of %d texts joined at a cut: one way was not tried", joined, tried)
	}
}

// In windows of the real size a cut has enough behind it: the piece is never
// merged at once, which would cost memory and time.
func TestWindowsSuffice(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 4))
	for range 100 {
		unit := make([]byte, 1+r.IntN(40))
		for i := range unit {
			unit[i] = byte(r.IntN(256))
			if r.IntN(8) != 0 {
				unit[i] = "etaoinsr"[r.IntN(8)]
			}
		}
		piece := make([]byte, 0, 8*window)
		for len(piece) < 8*window {
			piece = append(piece, unit[:1+r.IntN(len(unit))]...)
		}
		var m merger
		m.countLong(piece, window)
		if m.links == nil {
			t.Errorf("a piece of %q joins at a cut", unit)
		}
	}
}
