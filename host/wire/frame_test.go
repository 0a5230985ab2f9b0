package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// frame gives text with its length before it.
func frame(text string) string {
	return string(binary.NativeEndian.AppendUint32(nil, uint32(len(text)))) + text
}

func TestReadFrame(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 3*unproven+1)
	tests := []struct {
		name   string
		in     string
		limit  int
		frames []string
		end    Code // "" is io.EOF
	}{
		{name: "nothing", limit: 9},
		{name: "one", in: frame("{}"), limit: 9, frames: []string{"{}"}},
		{name: "two", in: frame("{}") + frame("[]"), limit: 9, frames: []string{"{}", "[]"}},
		{name: "exactly the limit", in: frame("123456789"), limit: 9, frames: []string{"123456789"}},
		{name: "larger than what is made room for", in: frame(big), limit: MaxFrame, frames: []string{big}},
		{name: "one byte over the limit", in: frame("1234567890"), limit: 9, end: TooLarge},
		{name: "no bytes", in: frame(""), limit: 9, end: BadFrame},
		{name: "a cut length", in: "\x02\x00", limit: 9, end: BadFrame},
		{name: "no body", in: frame("{}")[:4], limit: 9, end: BadFrame},
		{name: "a cut body", in: frame("{}") + frame("[1]")[:6], limit: 9, frames: []string{"{}"}, end: BadFrame},
		{name: "text that is no frame", in: "panic: oops\n", limit: MaxFrame, end: TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in)), iotest.DataErrReader(strings.NewReader(tt.in))} {
				for _, want := range tt.frames {
					got, err := ReadFrame(r, tt.limit)
					if err != nil || string(got) != want {
						t.Fatalf("got %.40q, %v; want %.40q", got, err, want)
					}
				}
				_, err := ReadFrame(r, tt.limit)
				if tt.end == "" && err != io.EOF || tt.end != "" && codeOf(err) != tt.end {
					t.Fatalf("ended with %v, want %q", err, tt.end)
				}
			}
		})
	}
}

// codeOf gives the code of a Fault, "" for any other error.
func codeOf(err error) Code {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault.Code
	}
	return ""
}

func TestReadFrameAtTheLargestSize(t *testing.T) {
	head := binary.NativeEndian.AppendUint32(nil, MaxFrame)
	got, err := ReadFrame(io.MultiReader(bytes.NewReader(head), endless{}), MaxFrame)
	if err != nil || len(got) != MaxFrame {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
	head = binary.NativeEndian.AppendUint32(nil, MaxFrame+1)
	if _, err := ReadFrame(io.MultiReader(bytes.NewReader(head), endless{}), MaxFrame); codeOf(err) != TooLarge {
		t.Fatalf("got %v for one byte more", err)
	}
}

// endless never ends and never writes: what it gives is what was there.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReadFrameBelievesNoLength(t *testing.T) {
	in := append(binary.NativeEndian.AppendUint32(nil, MaxFrame), 'x')
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadFrame(bytes.NewReader(in), MaxFrame); codeOf(err) != BadFrame {
		t.Fatalf("got %v", err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("5 bytes made it allocate %d", used)
	}
}

func TestReadFrameGivesTheLinksError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := ReadFrame(iotest.ErrReader(broken), 9); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestWriteFrameWritesOnce(t *testing.T) {
	t.Parallel()
	var w countingWriter
	if err := WriteFrame(&w, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if w.calls != 1 || w.String() != frame("{}") {
		t.Errorf("%d writes of %q", w.calls, w.String())
	}
}

type countingWriter struct {
	bytes.Buffer
	calls int
}

func (w *countingWriter) Write(p []byte) (int, error) { w.calls++; return w.Buffer.Write(p) }

func FuzzFrame(f *testing.F) {
	f.Add([]byte(frame("{}")))
	f.Add([]byte(frame("{}") + frame("[1,2]")))
	f.Add([]byte{255, 255, 255, 3, 'x'})
	f.Fuzz(func(t *testing.T, in []byte) {
		// What is read and written again is what was there.
		r := bytes.NewReader(in)
		var again bytes.Buffer
		for {
			rest := r.Len()
			body, err := ReadFrame(r, 1<<20)
			if err != nil {
				if err == io.EOF && rest != 0 {
					t.Fatalf("an end between frames with %d bytes left", rest)
				}
				break
			}
			if err := WriteFrame(&again, body); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(in, again.Bytes()) {
			t.Fatalf("%q came out as %q", in, again.Bytes())
		}
		// What is written is read.
		if len(in) == 0 {
			return
		}
		var link bytes.Buffer
		if err := WriteFrame(&link, in); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFrame(&link, len(in)); err != nil || !bytes.Equal(got, in) {
			t.Fatalf("%q came out as %q, %v", in, got, err)
		}
	})
}
