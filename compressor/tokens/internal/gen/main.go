// Command gen writes the embedded vocabulary, o200k.bin, from the ranks that
// tiktoken-go-loader carries. go generate runs it in compressor/tokens.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"handrail/compressor/tokens/internal/slot"
)

func main() {
	table, err := generate()
	if err == nil {
		err = os.WriteFile("o200k.bin", table, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate() ([]byte, error) {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err != nil {
		return nil, fmt.Errorf("load ranks: %w", err)
	}
	return layOut(ranks)
}

// layOut gives the table that table.go in compressor/tokens describes.
func layOut(ranks map[string]int) ([]byte, error) {
	byRank := make([]string, len(ranks))
	for token, rank := range ranks {
		if rank < 0 || rank >= len(ranks) || token == "" || byRank[rank] != "" {
			return nil, fmt.Errorf("rank %d of %q: want each of %d tokens at its own rank, without gaps", rank, token, len(ranks))
		}
		byRank[rank] = token
	}
	offsets := []uint32{0}
	slots := make([]uint32, slot.Count)
	var text []byte
	for rank, token := range byRank {
		text = append(text, token...)
		offsets = append(offsets, uint32(len(text)))
		at, tag := slot.Of([]byte(token))
		for slots[at] != 0 {
			at = (at + 1) % slot.Count
		}
		slots[at] = tag<<slot.RankBits | uint32(rank+1)
	}
	var table []byte
	for _, words := range [][]uint32{slots, offsets} {
		for _, word := range words {
			table = binary.LittleEndian.AppendUint32(table, word)
		}
	}
	return append(table, text...), nil
}
