package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"handrail/compressor"
)

// axPayload is about as many bytes of AX JSON as asked for, n makes it its own.
func axPayload(size, n int) ([]byte, []compressor.Target) {
	var out bytes.Buffer
	var targets []compressor.Target
	fmt.Fprintf(&out, `{"nodes":[{"nodeId":"0","role":{"type":"internalRole","value":"RootWebArea"},"name":{"type":"computedString","value":"Page %d"}}`, n)
	for i := 1; out.Len() < size; i++ {
		fmt.Fprintf(&out, `,{"nodeId":"%d","ignored":false,"role":{"type":"role","value":"button"},"chromeRole":{"type":"internalRole","value":9},"name":{"type":"computedString","value":"Review order %d of %d","sources":[{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"contents","value":{"type":"computedString","value":"Review order %d of %d"}}]},"properties":[{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}}],"childIds":[],"backendDOMNodeId":%d,"parentId":"0"}`, i, i, n, i, n, i)
		targets = append(targets, compressor.Target{UID: fmt.Sprint("u", i), BackendDOMNodeID: int64(i), NodeID: fmt.Sprint(i), Role: "button", Name: fmt.Sprintf("Review order %d of %d", i, n)})
	}
	out.WriteString("]}")
	return out.Bytes(), targets
}

func uidsOf(targets []compressor.Target) (uids []string) {
	for _, target := range targets {
		uids = append(uids, target.UID)
	}
	return uids
}

func BenchmarkRecord(b *testing.B) {
	for _, size := range []int{50 << 10, 5 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			payload, targets := axPayload(size, 0)
			uids := uidsOf(targets)
			b.SetBytes(int64(len(payload)))
			var n int
			for b.Loop() {
				n++
				live := append(payload, fmt.Sprint(n)...) // a capture is its own payload
				if err := s.Record(ctx, live, &Snapshot{Capture: fmt.Sprint(n), Browser: "b", Tab: 1}, targets, &View{UIDs: uids, Client: "c"}); err != nil {
					b.Fatal(err)
				}
			}
			st, err := s.Stats(ctx)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(st.Bytes)/float64(st.StoredBytes), "times-smaller")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

// BenchmarkLarge asks a store of 10,000 snapshots.
func BenchmarkLarge(b *testing.B) {
	s, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	payload, targets := axPayload(50<<10, 0)
	uids := uidsOf(targets)
	// Synced once at the end is enough here.
	if _, err := s.write.Exec("PRAGMA synchronous = OFF"); err != nil {
		b.Fatal(err)
	}
	var handle string
	for n := range 10_000 {
		view := &View{UIDs: uids, Client: "c"}
		if err := s.Record(ctx, append(payload, fmt.Sprint(n)...), &Snapshot{Capture: fmt.Sprint(n), Browser: "b", Tab: 1}, targets, view); err != nil {
			b.Fatal(err)
		}
		handle = view.Handle
	}
	for _, ask := range []struct {
		name string
		f    func() error
	}{
		{"Payload", func() error { _, err := s.Payload(ctx, handle); return err }},
		{"Targets", func() error { _, err := s.Targets(ctx, handle); return err }},
		{"Shown", func() error { _, _, _, err := s.Shown(ctx, "c", "b", 1, "u1"); return err }},
		{"Latest", func() error { _, _, err := s.Latest(ctx, "c", "b", 0); return err }},
		{"Stats", func() error { _, err := s.Stats(ctx); return err }},
		{"UnknownUID", func() error {
			if _, _, _, err := s.Shown(ctx, "c", "b", 1, "u99999"); !errors.Is(err, ErrUnknownUID) {
				return fmt.Errorf("a uid that nobody was shown: %v", err)
			}
			return nil
		}},
	} {
		b.Run(ask.name, func(b *testing.B) {
			for b.Loop() {
				if err := ask.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
