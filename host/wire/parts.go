package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// Part is a piece of a message that does not fit a frame: {"part":{…}}. The
// parts of a message travel in order and on one link, nothing between them.
type Part struct {
	ID     string `json:"id" wire:"max=64"` // the same for all parts of a message
	Seq    int    `json:"seq"`              // from 0
	Of     int    `json:"of"`               // number of parts
	Data   string `json:"data"`             // a piece of the message's JSON text, cut between characters
	SHA256 string `json:"sha256,omitempty"` // of the joined UTF-8 bytes, hex; in the last part
}

type partFrame struct {
	Part Part `json:"part"`
}

// partOverhead bounds a part's bytes beside its data.
const partOverhead = 256

// Parts gives the frames in which msg travels: msg itself when it has at most
// limit bytes, else parts whose frames have at most limit bytes (of 512 or
// more) of UTF-8 after JSON escaping. msg must be UTF-8. A message over
// MaxMessage or MaxParts is too_large.
func Parts(msg []byte, limit int) ([][]byte, error) {
	if len(msg) > MaxMessage {
		return nil, Fail(TooLarge, "a message of %d bytes; at most %d are allowed", len(msg), MaxMessage)
	}
	if len(msg) <= limit {
		return [][]byte{msg}, nil
	}
	pieces := cut(msg, max(limit, 2*partOverhead)-partOverhead)
	if len(pieces) > MaxParts {
		return nil, Fail(TooLarge, "a message of %d parts; at most %d are allowed", len(pieces), MaxParts)
	}
	hash := sha256.Sum256(msg)
	sum := hex.EncodeToString(hash[:])
	frames := make([][]byte, len(pieces))
	for i, piece := range pieces {
		p := Part{ID: sum[:16], Seq: i, Of: len(pieces), Data: string(piece)}
		if i == len(pieces)-1 {
			p.SHA256 = sum
		}
		frame, err := encode(partFrame{p})
		if err != nil {
			return nil, err
		}
		frames[i] = frame
	}
	return frames, nil
}

// cut splits text between characters into pieces of at most limit escaped bytes.
func cut(text []byte, limit int) [][]byte {
	var pieces [][]byte
	for len(text) > 0 {
		at, bytes := 0, 0
		for at < len(text) {
			size, escaped := escape(text[at:])
			if bytes+escaped > limit && at > 0 {
				break
			}
			at, bytes = at+size, bytes+escaped
		}
		pieces, text = append(pieces, text[:at:at]), text[at:]
	}
	return pieces
}

// escape gives the bytes of the first character of text, and those that encode
// makes of it in a string, at most.
func escape(text []byte) (size, escaped int) {
	switch c := text[0]; {
	case c == '"' || c == '\\':
		return 1, 2
	case c < 0x20:
		return 1, 6
	case c < utf8.RuneSelf:
		return 1, 1
	}
	r, size := utf8.DecodeRune(text)
	if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
		return size, 6
	}
	return size, size
}

// Joiner joins the parts of a link's messages; one message is under way at a time.
type Joiner struct {
	id   string
	of   int
	next int
	text []byte
}

// Add takes a frame. done is true when msg is a whole message: the frame itself,
// or the parts that it completes. Parts that cannot be read, do not follow each
// other or have another hash are bad_frame, too many bytes too_large; after that
// the link is of no use.
func (j *Joiner) Add(frame []byte) (msg []byte, done bool, err error) {
	if !isPart(frame) {
		if j.next > 0 {
			return nil, false, Fail(BadFrame, "a message between the parts of another")
		}
		return frame, true, nil
	}
	var wrapped partFrame
	if err := Decode(frame, &wrapped); err != nil {
		return nil, false, Fail(BadFrame, "a part that cannot be read: %s", err.(*Fault).Message)
	}
	p := wrapped.Part
	if j.next == 0 {
		j.id, j.of = p.ID, p.Of
	}
	switch {
	case p.ID != j.id || p.Of != j.of || p.Seq != j.next || p.Of < 1 || p.Of > MaxParts:
		return nil, false, Fail(BadFrame, "part %d of %d where part %d of %d was due", p.Seq, p.Of, j.next, j.of)
	case len(j.text)+len(p.Data) > MaxMessage:
		return nil, false, Fail(TooLarge, "parts of over %d bytes", MaxMessage)
	}
	j.text, j.next = append(j.text, p.Data...), j.next+1
	if j.next < j.of {
		return nil, false, nil
	}
	sum := sha256.Sum256(j.text)
	if p.SHA256 != hex.EncodeToString(sum[:]) {
		return nil, false, Fail(BadFrame, "parts whose sha256 is not the one given")
	}
	msg, *j = j.text, Joiner{}
	return msg, true, nil
}

// isPart tells a part by its first key.
func isPart(frame []byte) bool {
	s := scanner{text: frame}
	if s.space(); s.peek() != '{' {
		return false
	}
	s.at++
	s.space()
	return s.word(`"part"`)
}
