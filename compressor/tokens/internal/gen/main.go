// Command gen writes the embedded vocabulary, o200k.bin, from the ranks that
// tiktoken-go-loader carries. It is run by go generate in compressor/tokens.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"handrail/compressor/tokens/internal/hash"
)

const slotBits = 19

func main() {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err == nil {
		err = os.WriteFile("o200k.bin", layOut(ranks), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// layOut gives the table described in ../../table.go.
func layOut(ranks map[string]int) []byte {
	count := 0
	for _, rank := range ranks {
		count = max(count, rank+1)
	}
	byRank := make([]string, count)
	for token, rank := range ranks {
		byRank[rank] = token
	}
	slots := make([]uint32, 1<<slotBits)
	offsets := []uint32{0}
	var text []byte
	for rank, token := range byRank {
		text = append(text, token...)
		offsets = append(offsets, uint32(len(text)))
		if token == "" {
			continue
		}
		h := hash.Sum([]byte(token))
		at := h >> (64 - slotBits)
		for slots[at] != 0 {
			at = (at + 1) & (1<<slotBits - 1)
		}
		slots[at] = uint32(h>>10)&0x3fff<<18 | uint32(rank+1)
	}
	table := binary.LittleEndian.AppendUint32(nil, uint32(count))
	table = binary.LittleEndian.AppendUint32(table, slotBits)
	for _, words := range [][]uint32{offsets, slots} {
		for _, word := range words {
			table = binary.LittleEndian.AppendUint32(table, word)
		}
	}
	return append(table, text...)
}
