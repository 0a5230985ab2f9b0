package tokens

// The o200k_base pattern, whose first alternative that matches is the piece:
//
//	1  [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	2  [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	3  \p{N}{1,3}
//	4   ?[^\s\p{L}\p{N}]+[\r\n/]*
//	5  \s*[\r\n]+
//	6  \s+(?!\S)
//	7  \s+

// skip returns the end of the run of characters that have any of the classes.
func skip(text []byte, i int, any class) int {
	for i < len(text) {
		c, size := classAt(text, i)
		if c&any == 0 {
			break
		}
		i += size
	}
	return i
}

// pieceEnd returns where the first piece of text ends.
func pieceEnd(text []byte) int {
	c, size := classAt(text, 0)
	if end := wordEnd(text, c, size); end > 0 {
		return end
	}
	if c&number != 0 {
		end := size
		for n := 1; n < 3 && end < len(text); n++ {
			next, size := classAt(text, end)
			if next&number == 0 {
				break
			}
			end += size
		}
		return end
	}
	if end := symbolsEnd(text, c); end > 0 {
		return end
	}
	return spaceEnd(text)
}

// wordEnd matches alternatives 1 and 2, with and without the leading character;
// 0 is no match.
func wordEnd(text []byte, first class, size int) int {
	// A letter is a word's own; a mark may be the leading character or the word's.
	leads := first&(line|number) == 0 && (first&letter == 0 || first&mark != 0)
	if leads && size < len(text) {
		if end := lowerWord(text, size); end > 0 {
			return contraction(text, end)
		}
	}
	if first&letter != 0 {
		if end := lowerWord(text, 0); end > 0 {
			return contraction(text, end)
		}
	}
	if leads && size < len(text) {
		if end := skip(text, size, head); end > size {
			return contraction(text, end)
		}
	}
	if first&head != 0 {
		return contraction(text, skip(text, 0, head))
	}
	return 0
}

// lowerWord matches [head]*[tail]+ from i: the head is greedy and gives back
// what the tail needs; 0 is no match.
func lowerWord(text []byte, i int) int {
	lastEither := 0
	for i < len(text) {
		c, size := classAt(text, i)
		if c&head == 0 {
			if c&lower != 0 {
				return skip(text, i, tail)
			}
			break
		}
		i += size
		if c&either != 0 {
			lastEither = i
		}
	}
	return lastEither
}

// contraction extends a word by 's, 't, 're, 've, 'm, 'll or 'd in any case.
func contraction(text []byte, end int) int {
	rest := text[end:]
	if len(rest) < 2 || rest[0] != '\'' {
		return end
	}
	switch rest[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return end + 2
	case 'r', 'v':
		if len(rest) > 2 && rest[2]|0x20 == 'e' {
			return end + 3
		}
	case 'l':
		if len(rest) > 2 && rest[2]|0x20 == 'l' {
			return end + 3
		}
	}
	return end
}

// symbolsEnd matches alternative 4; 0 is no match.
func symbolsEnd(text []byte, first class) int {
	start := 0
	if text[0] == ' ' {
		start = 1
	} else if first&(other|mark) == 0 {
		return 0
	}
	end := skip(text, start, other|mark)
	if end == start {
		return 0
	}
	for end < len(text) && (text[end] == '\r' || text[end] == '\n' || text[end] == '/') {
		end++
	}
	return end
}

// spaceEnd matches alternatives 5 to 7 on white space.
func spaceEnd(text []byte) int {
	afterLine, last, end := 0, 0, 0
	for end < len(text) {
		c, size := classAt(text, end)
		if c&space == 0 {
			break
		}
		last = end
		end += size
		if c&line != 0 {
			afterLine = end
		}
	}
	switch {
	case afterLine > 0:
		return afterLine
	case end == len(text) || last == 0:
		return end
	}
	return last // the last space belongs to the word behind it
}
