package compressor

// ids numbers nodeIds in the order in which they come. Chromium's are whole
// numbers; others, which only others make, are kept in a map.
type ids struct {
	texts  []string // by number
	counts table    // numbers + 1, 0 where an id has not come
	words  map[string]int32
}

func newIDs(capacity int) *ids {
	return &ids{texts: make([]string, 0, capacity), counts: newTable(capacity), words: map[string]int32{}}
}

// add returns the number of an id, a new one when it has not come before.
func (x *ids) add(id string) int32 {
	count, isCount := parseCount(id)
	if !isCount {
		n, known := x.words[id]
		if !known {
			n = x.keep(id)
			x.words[id] = n
		}
		return n
	}
	n := x.counts.at(count)
	if *n == 0 {
		*n = x.keep(id) + 1
	}
	return *n - 1
}

func (x *ids) keep(id string) int32 {
	x.texts = append(x.texts, id)
	return int32(len(x.texts) - 1)
}

// parseCount reads an id that is a whole number in the one spelling that gives it
// back: no plus, no leading zero, no "-0".
func parseCount(id string) (value int64, ok bool) {
	digits := id
	if id != "" && id[0] == '-' {
		digits = id[1:]
	}
	if digits == "" || len(digits) > 18 || digits[0] == '0' && id != "0" {
		return 0, false
	}
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || '9' < c {
			return 0, false
		}
		value = 10*value + int64(c-'0')
	}
	if len(digits) < len(id) {
		value = -value
	}
	return value, true
}
