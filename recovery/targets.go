package recovery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"handrail/compressor"
)

// A snapshot's targets are kept as one zstd blob of JSON lines, a line for each
// target: rows would cost 7 times as much at 20,000 uids, and to find one uid,
// the others need not be parsed. zstd's own checksum tells damage.

func targetLines(targets []compressor.Target) ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines) // ends each with a line feed
	for i := range targets {
		if err := encoder.Encode(&targets[i]); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// lines returns the lines of a view's whole page. When their blob is damaged
// they are made again of the payload.
func (s *Store) lines(ctx context.Context, handle string) ([]byte, error) {
	packed, _, err := s.blob(ctx, handle, "s.targets")
	if err != nil {
		return nil, err
	}
	if lines, err := s.unpack.DecodeAll(packed, nil); err == nil {
		return lines, nil
	}
	payload, err := s.Payload(ctx, handle)
	if err != nil {
		return nil, err
	}
	page, err := compressor.Read(payload)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
	return targetLines(page.Targets())
}

// findTarget parses the line of one uid, nil when there is none.
func findTarget(lines []byte, uid string) (*compressor.Target, error) {
	name, err := json.Marshal(uid)
	if err != nil {
		return nil, err
	}
	start := append([]byte(`{"uid":`), append(name, ',')...)
	for line := range bytes.Lines(lines) {
		if bytes.HasPrefix(line, start) {
			var target compressor.Target
			return &target, json.Unmarshal(line, &target)
		}
	}
	return nil, nil
}

// Target returns what a uid of a view's page names, be it one of Targets or another
// node of the page: a heading, a cell, a text. Errors: ErrUnknownHandle,
// ErrUnknownUID, ErrCorrupt.
func (s *Store) Target(ctx context.Context, handle, uid string) (target *compressor.Target, err error) {
	defer s.end("look up uid", s.file.Load(), &err)
	lines, err := s.lines(ctx, handle)
	if err != nil {
		return nil, err
	}
	if target, err = findTarget(lines, uid); target != nil || err != nil {
		return target, err
	}
	payload, err := s.Payload(ctx, handle)
	if err != nil {
		return nil, err
	}
	page, err := compressor.Read(payload)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
	one, ok := page.Target(uid)
	if !ok {
		return nil, ErrUnknownUID
	}
	return &one, nil
}

// Targets returns the targets of a view's whole page, in walk order. Errors:
// ErrUnknownHandle, ErrCorrupt.
func (s *Store) Targets(ctx context.Context, handle string) (targets []compressor.Target, err error) {
	defer s.end("read targets", s.file.Load(), &err)
	lines, err := s.lines(ctx, handle)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(lines) {
		var target compressor.Target
		if err := json.Unmarshal(line, &target); err != nil {
			return nil, errors.Join(ErrCorrupt, err)
		}
		targets = append(targets, target)
	}
	return targets, nil
}
