package compressor

// table holds an int32 for each of many whole numbers, 0 at first. Ids of
// Chromium's are counts, and neighbours come together: kept in blocks of
// consecutive ones they are found without a jump through memory for each.
type table struct {
	blocks [][1 << blockBits]int32
	where  map[int64]int32 // key >> blockBits → block
	recent [2]recentBlock  // of positive and of negative keys, which come in turn
}

const blockBits = 4

type recentBlock struct {
	key   int64
	block int32
	known bool
}

func newTable(capacity int) table {
	n := capacity >> (blockBits - 1)
	return table{blocks: make([][1 << blockBits]int32, 0, n), where: make(map[int64]int32, n)}
}

// at returns the place of a number's int32, which holds until the next call.
func (t *table) at(number int64) *int32 {
	key := number >> blockBits
	recent := &t.recent[uint64(number)>>63]
	if !recent.known || recent.key != key {
		block, known := t.where[key]
		if !known {
			block = int32(len(t.blocks))
			t.blocks = append(t.blocks, [1 << blockBits]int32{})
			t.where[key] = block
		}
		*recent = recentBlock{key, block, true}
	}
	return &t.blocks[recent.block][number&(1<<blockBits-1)]
}
