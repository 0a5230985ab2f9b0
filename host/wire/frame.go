package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// unproven is how many bytes are made room for on a length word alone.
const unproven = 64 << 10

// ReadFrame reads one frame: a length of four bytes in native order, then that
// many bytes of JSON. A length over limit is too_large, an empty or cut frame
// bad_frame; io.EOF means that the link ended between frames. Memory grows with
// the bytes that arrive, not with what the length word claims.
func ReadFrame(r io.Reader, limit int) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, Fail(BadFrame, "the link ended inside a frame's length")
		}
		return nil, err
	}
	size := int(binary.NativeEndian.Uint32(head[:]))
	switch {
	case size == 0:
		return nil, Fail(BadFrame, "a frame of no bytes")
	case size > limit:
		return nil, Fail(TooLarge, "a frame of %d bytes; at most %d are allowed", size, limit)
	}
	var body []byte
	for len(body) < size {
		got := len(body)
		body = append(body, make([]byte, min(size-got, max(got, unproven)))...)
		if n, err := io.ReadFull(r, body[got:]); err != nil {
			return nil, Fail(BadFrame, "the link ended after %d of a frame's %d bytes", got+n, size)
		}
	}
	return body, nil
}

// WriteFrame writes one frame in one Write.
func WriteFrame(w io.Writer, body []byte) error {
	frame := make([]byte, 4, 4+len(body))
	binary.NativeEndian.PutUint32(frame, uint32(len(body)))
	if _, err := w.Write(append(frame, body...)); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// newReader buffers a link for ReadFrame.
func newReader(r io.Reader) io.Reader { return bufio.NewReaderSize(r, 64<<10) }
