package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// A message that does not fit a frame travels in parts, in order and on one
// link: {"part":{"id","seq","of","data"}}, the last one with the sha256 of the
// joined bytes. data is a piece of the message's JSON text, cut between
// characters.
type part struct {
	ID     string `json:"id"`
	Seq    int    `json:"seq"`
	Of     int    `json:"of"`
	Data   string `json:"data"`
	SHA256 string `json:"sha256,omitempty"`
}

// partOverhead bounds a part's bytes beside its data.
const partOverhead = 256

// Parts gives the frames in which msg travels: msg itself when it has at most
// limit bytes, else parts whose frames have at most limit bytes of UTF-8 after
// JSON escaping. msg must be UTF-8.
func Parts(msg []byte, limit int) ([][]byte, error) {
	if len(msg) <= limit {
		return [][]byte{msg}, nil
	}
	if len(msg) > MaxMessage {
		return nil, Fail(TooLarge, "a message of %d bytes; at most %d are allowed", len(msg), MaxMessage)
	}
	pieces := cut(msg, limit-partOverhead)
	if len(pieces) > MaxParts {
		return nil, Fail(TooLarge, "a message of %d parts; at most %d are allowed", len(pieces), MaxParts)
	}
	id, sum := rand.Text(), sha256.Sum256(msg)
	frames := make([][]byte, len(pieces))
	for i, piece := range pieces {
		p := part{ID: id, Seq: i, Of: len(pieces), Data: string(piece)}
		if i == len(pieces)-1 {
			p.SHA256 = hex.EncodeToString(sum[:])
		}
		frame, err := encode(struct {
			Part part `json:"part"`
		}{p})
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
		at, escaped := 0, 0
		for at < len(text) {
			size, cost := 1, 1
			switch c := text[at]; {
			case c == '"' || c == '\\':
				cost = 2
			case c < 0x20:
				cost = 6
			case c >= utf8.RuneSelf:
				_, size = utf8.DecodeRune(text[at:])
				cost = 6 // encoding/json escapes U+2028, U+2029 and what is no UTF-8
			}
			if escaped+cost > limit && at > 0 {
				break
			}
			at, escaped = at+size, escaped+cost
		}
		pieces, text = append(pieces, text[:at:at]), text[at:]
	}
	return pieces
}

// Joiner joins the parts of a link's messages; one message is under way at a time.
type Joiner struct {
	id   string
	of   int
	next int
	text []byte
}

// Add takes a frame. done is true when msg is a whole message: the frame itself,
// or the parts that it completes. Parts that do not follow each other, or whose
// hash is another, are bad_frame.
func (j *Joiner) Add(frame []byte) (msg []byte, done bool, err error) {
	if !isPart(frame) {
		if j.next > 0 {
			return nil, false, Fail(BadFrame, "a message between the parts of another")
		}
		return frame, true, nil
	}
	var wrapped struct {
		Part part `json:"part"`
	}
	if err := json.Unmarshal(frame, &wrapped); err != nil {
		return nil, false, Fail(BadFrame, "a part that cannot be read: %v", err)
	}
	p := wrapped.Part
	if p.Seq == 0 && j.next == 0 {
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
	msg = j.text
	*j = Joiner{}
	return msg, true, nil
}

// isPart tells a part by its first key.
func isPart(frame []byte) bool {
	const key = `{"part":`
	return len(frame) > len(key) && string(frame[:len(key)]) == key
}
