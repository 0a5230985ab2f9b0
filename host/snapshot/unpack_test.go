package snapshot

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestUnpack(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte(`{"nodes":[]}`), 10_000)
	packed := func(z io.WriteCloser, out *bytes.Buffer) []byte {
		z.Write(body)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	var g, z bytes.Buffer
	zw, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	gzipped, zstded := packed(gzip.NewWriter(&g), &g), packed(zw, &z)
	n := int64(len(body))
	for _, tt := range []struct {
		name  string
		in    []byte
		limit int64
		want  []byte
		err   error // nil with want nil: any
	}{
		{"plain", body, n, body, nil},
		{"gzip", gzipped, n, body, nil},
		{"zstd", zstded, n, body, nil},
		{"two gzip members", append(bytes.Clone(gzipped), gzipped...), 2 * n, append(bytes.Clone(body), body...), nil},
		{"empty", []byte{}, n, []byte{}, nil},
		{"shorter than a mark", []byte{0x1f}, n, []byte{0x1f}, nil},
		{"plain, too large", body, n - 1, nil, ErrTooLarge},
		{"gzip that unpacks to too much", gzipped, n - 1, nil, ErrTooLarge},
		{"zstd that unpacks to too much", zstded, n - 1, nil, ErrTooLarge},
		{"gzip cut off", gzipped[:len(gzipped)-9], n, nil, nil},
		{"gzip of a mark alone", gzipped[:2], n, nil, nil},
		{"zstd cut off", zstded[:len(zstded)-9], n, nil, nil},
		{"zstd of a mark alone", zstded[:4], n, nil, nil},
	} {
		for _, size := range []int64{0, int64(len(tt.in))} { // not known, known
			got, err := Unpack(bytes.NewReader(tt.in), size, tt.limit)
			if tt.want != nil && (err != nil || !bytes.Equal(got, tt.want)) {
				t.Errorf("%s, size %d: %d bytes, %v", tt.name, size, len(got), err)
			}
			if tt.want == nil && (err == nil || tt.err != nil && !errors.Is(err, tt.err)) {
				t.Errorf("%s, size %d: %v", tt.name, size, err)
			}
		}
	}
}
