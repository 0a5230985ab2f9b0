package compressor

// ids numbers nodeIds in the order in which they come. Chromium's are counts, and
// neighbours name each other: kept by value, in blocks, they are found without a
// jump through memory for each. Other ids, which only others make, are kept in a map.
type ids struct {
	texts  []string // by number
	words  map[string]int32
	blocks [][blockIDs]int32 // numbers + 1, 0 where an id has not come
	where  map[int64]int32   // value >> blockBits → block
	recent [2]recentBlock    // of positive and of negative ids, which come in turn
}

const (
	blockBits = 4
	blockIDs  = 1 << blockBits
)

type recentBlock struct {
	key   int64
	block int32
	known bool
}

func newIDs(capacity int) *ids {
	return &ids{
		texts:  make([]string, 0, capacity),
		words:  map[string]int32{},
		blocks: make([][blockIDs]int32, 0, capacity/8),
		where:  make(map[int64]int32, capacity/8),
	}
}

// add returns the number of an id, a new one when it has not come before.
func (x *ids) add(id string) int32 {
	value, isCount := parseCount(id)
	if !isCount {
		n, known := x.words[id]
		if !known {
			n = x.keep(id)
			x.words[id] = n
		}
		return n
	}
	slot := x.slot(value)
	if *slot == 0 {
		*slot = x.keep(id) + 1
	}
	return *slot - 1
}

func (x *ids) keep(id string) int32 {
	x.texts = append(x.texts, id)
	return int32(len(x.texts) - 1)
}

func (x *ids) slot(value int64) *int32 {
	key := value >> blockBits
	recent := &x.recent[uint64(value)>>63]
	if !recent.known || recent.key != key {
		block, known := x.where[key]
		if !known {
			block = int32(len(x.blocks))
			x.blocks = append(x.blocks, [blockIDs]int32{})
			x.where[key] = block
		}
		*recent = recentBlock{key, block, true}
	}
	return &x.blocks[recent.block][value&(blockIDs-1)]
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
