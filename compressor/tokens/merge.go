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
const shortPiece = 32

// window is how much of a long piece is merged at once; longer ones fill slower
// caches and deeper heaps (7 MB/s at 2048, 13 at 1024).
const window = 1024

func (m *merger) count(piece []byte) int {
	if len(piece) <= shortPiece {
		return m.countShort(piece)
	}
	return m.countLong(piece, window)
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

// countLong merges one window after the other, so that a long piece takes no
// more memory than a short one, and no more time per byte.
//
// Two stretches merged apart give the tokens they give together, unless a merge
// would cross the cut between them. Merging the tokens on its two sides once more
// tells: nothing beyond them was ever merged with their bytes, so they go through
// the same steps again, and meet here if they would have met there.
func (m *merger) countLong(piece []byte, window int) int {
	total, at := 0, 0
	count := m.merge(piece[:min(window, len(piece))])
	for at+window < len(piece) {
		// The tokens at the end of a window may depend on what is behind it.
		within, last, cut := m.tokensWithin(window - window/4)
		last, cut = at+last, at+cut
		count = m.merge(piece[cut:min(cut+window, len(piece))])
		if end := cut + m.links[0].next; !m.staysApart(piece[last:end], cut-last) {
			count = m.merge(piece)
			*m = merger{} // no reason to keep so much memory
			return count
		}
		total += within
		at = cut
	}
	return total + count
}

// tokensWithin counts the tokens of the last merge that end at limit or before,
// and returns where the last of them starts and ends.
func (m *merger) tokensWithin(limit int) (count, start, end int) {
	for next := m.links[0].next; next <= limit; next = m.links[next].next {
		count, start, end = count+1, end, next
	}
	return count, start, end
}

// staysApart reports whether two tokens, cut where given, merge to themselves.
func (m *merger) staysApart(tokens []byte, cut int) bool {
	return m.countShort(tokens) == 2 && m.parts[1].start == cut
}

// link is a part of a long piece, by its start: its neighbours' starts, and the
// rank that it has in the queue.
type link struct {
	previous, next int
	rank           uint32
}

// candidate is a pair in the queue: its rank, then its start.
type candidate uint64

// merge is countShort with a heap: O(n log n) for n bytes. It leaves the tokens
// linked from links[0] on.
func (m *merger) merge(piece []byte) int {
	n := len(piece)
	links := m.links[:0]
	for i := range n + 1 {
		links = append(links, link{i - 1, i + 1, noRank})
	}
	pair := func(i int) uint32 {
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
	offer := func(i int) {
		links[i].rank = pair(i)
		if links[i].rank != noRank {
			queue = push(queue, candidate(links[i].rank)<<32|candidate(i))
		}
	}
	for i := range n {
		offer(i)
	}
	count := n
	for len(queue) > 0 {
		var best candidate
		best, queue = pop(queue)
		i := int(best & 0xffffffff)
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
	m.links, m.queue = links, queue
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

// pop takes the least from a binary min-heap that is not empty.
func pop(heap []candidate) (candidate, []candidate) {
	least, last := heap[0], heap[len(heap)-1]
	heap = heap[:len(heap)-1]
	hole := 0
	for down := 1; down < len(heap); down = 2*hole + 1 {
		if down+1 < len(heap) && heap[down+1] < heap[down] {
			down++
		}
		if last <= heap[down] {
			break
		}
		heap[hole] = heap[down]
		hole = down
	}
	if len(heap) > 0 {
		heap[hole] = last
	}
	return least, heap
}
