package snapshot

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// MaxPayload bounds a payload, in bytes: what is packed cannot unpack to more.
const MaxPayload = 1 << 30

// maxWindow is the largest zstd window, in bytes: what zstd itself unpacks unasked.
const maxWindow = 128 << 20

// ErrTooLarge means that a payload is over the limit.
var ErrTooLarge = errors.New("the payload is too large")

// Unpack reads a payload that is plain, gzip or zstd, as its first bytes say.
// size is how many bytes r holds, as far as that is known. Errors: ErrTooLarge of
// a payload of more than limit bytes.
func Unpack(r io.Reader, size, limit int64) ([]byte, error) {
	from := bufio.NewReader(r)
	head, _ := from.Peek(4) // what ends before is plain
	plain := io.Reader(from)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, fmt.Errorf("unpack gzip: %w", err)
		}
		plain, size = z, 0
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("unpack zstd: %w", err)
		}
		defer z.Close()
		plain, size = z, 0
	}
	var body []byte
	var err error
	if plain = io.LimitReader(plain, limit+1); size > 0 {
		var room bytes.Buffer
		room.Grow(int(min(size, limit)) + bytes.MinRead) // read once, never moved
		_, err = room.ReadFrom(plain)
		body = room.Bytes()
	} else {
		body, err = io.ReadAll(plain)
	}
	if err == nil && int64(len(body)) > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return body, nil
}
