package tokens

// merger counts the tokens of a piece that is no token itself, by byte-pair
// merging: of all neighbours that together are a token, the pair of the lowest
// rank (the leftmost of equals) becomes one, until none is left.
type merger struct {
	parts []part
	links []link
	queue []candidate
}

// shortPiece is the length up to which looking through all pairs beats a heap.
const shortPiece = 64

func (m *merger) count(piece []byte) int {
	if len(piece) <= shortPiece {
		return m.countShort(piece)
	}
	return m.countLong(piece)
}

// part is a token that starts at a byte; rank is that of the token it would make
// with its right neighbour.
type part struct {
	start int
	rank  uint32
}

func (m *merger) countShort(piece []byte) int {
	parts := m.parts[:0]
	for i := range piece {
		parts = append(parts, part{i, noRank})
	}
	parts = append(parts, part{len(piece), noRank})
	pair := func(i int) uint32 {
		if i+2 >= len(parts) {
			return noRank
		}
		return rank(piece[parts[i].start:parts[i+2].start])
	}
	for i := range piece {
		parts[i].rank = pair(i)
	}
	for {
		lowest := 0
		for i := range parts {
			if parts[i].rank < parts[lowest].rank {
				lowest = i
			}
		}
		if parts[lowest].rank == noRank {
			break
		}
		parts = append(parts[:lowest+1], parts[lowest+2:]...)
		parts[lowest].rank = pair(lowest)
		if lowest > 0 {
			parts[lowest-1].rank = pair(lowest - 1)
		}
	}
	m.parts = parts
	return len(parts) - 1
}

// link is a part of a long piece, by its start: its neighbours' starts, and the
// rank that it has in the queue.
type link struct {
	previous, next int32
	rank           uint32
}

// candidate is a pair in the queue: its rank, then its start.
type candidate uint64

// countLong is countShort with a heap: O(n log n) for a piece of n bytes.
func (m *merger) countLong(piece []byte) int {
	n := int32(len(piece))
	links := m.links[:0]
	for i := range n + 1 {
		links = append(links, link{i - 1, i + 1, noRank})
	}
	m.links = links
	pair := func(i int32) uint32 {
		middle := links[i].next
		if middle >= n {
			return noRank
		}
		end := links[middle].next
		if end-i > longestToken {
			return noRank
		}
		return rank(piece[i:end])
	}
	queue := m.queue[:0]
	offer := func(i int32) {
		links[i].rank = pair(i)
		if links[i].rank != noRank {
			queue = push(queue, candidate(links[i].rank)<<32|candidate(i))
		}
	}
	for i := range n {
		offer(i)
	}
	count := int(n)
	for len(queue) > 0 {
		var best candidate
		best, queue = pop(queue)
		i := int32(best & 0xffffffff)
		if links[i].rank != uint32(best>>32) {
			continue // merged away, or with another neighbour, meanwhile
		}
		gone := links[i].next
		links[gone].rank = noRank
		links[i].next = links[gone].next
		links[links[i].next].previous = i
		count--
		offer(i)
		if links[i].previous >= 0 {
			offer(links[i].previous)
		}
	}
	m.queue = queue
	if cap(m.links) > 1<<20 { // keep no memory of a monster
		m.links, m.queue = nil, nil
	}
	return count
}

// push adds to a binary min-heap.
func push(heap []candidate, c candidate) []candidate {
	heap = append(heap, c)
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if heap[up] <= heap[i] {
			break
		}
		heap[up], heap[i] = heap[i], heap[up]
		i = up
	}
	return heap
}

// pop takes the least from a binary min-heap.
func pop(heap []candidate) (candidate, []candidate) {
	least := heap[0]
	last := len(heap) - 1
	heap[0] = heap[last]
	heap = heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && heap[down+1] < heap[down] {
			down++
		}
		if heap[i] <= heap[down] {
			break
		}
		heap[i], heap[down] = heap[down], heap[i]
		i = down
	}
	return least, heap
}
