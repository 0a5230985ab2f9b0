package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
)

// kept is how long a payload's file stands at least.
const kept = 7 * 24 * time.Hour

// Recovered is what is said of a stored payload.
type Recovered struct {
	SHA256     string `json:"sha256"`
	Bytes      int64  `json:"bytes"`
	Path       string `json:"path,omitempty"`        // a file with it
	Offset     int    `json:"offset,omitempty"`      // or where the part given begins
	NextOffset int    `json:"next_offset,omitempty"` // and where the next one does
}

// recovered gives a stored payload without flooding: as a file, a part, or a view of it.
func recovered(ctx context.Context, c *call, args arguments) (*Reply, error) {
	var asked struct {
		Handle string `json:"recovery_handle" wire:"max=64"`
		Query  string `json:"query,omitempty" wire:"max=4096"`
		Offset *int   `json:"offset,omitempty"`
	}
	if err := args.into(&asked); err != nil {
		return nil, err
	}
	if asked.Query != "" {
		p := wire.ReadParams{Handle: asked.Handle, ViewOptions: wire.ViewOptions{Query: asked.Query}}
		if asked.Offset != nil {
			p.Offset = *asked.Offset
		}
		fence(&p.ViewOptions)
		raw, got, err := view(ctx, c.Host.Read, "read", p)
		if err != nil {
			return nil, err
		}
		return shown(raw, got), nil
	}
	var r wire.RecoverResult
	if err := c.Host.Read(ctx, "recover", wire.RecoverParams{Handle: asked.Handle}, &r); err != nil {
		return nil, err
	}
	told := Recovered{SHA256: r.SHA256, Bytes: r.Bytes}
	if asked.Offset != nil {
		return part(told, r.Payload, *asked.Offset), nil
	}
	if c.Dir == "" {
		return &Reply{Text: fmt.Sprintf("sha256 %s, %d bytes; nothing is written: read it with offset", r.SHA256, r.Bytes), Object: told}, nil
	}
	var err error
	if told.Path, err = write(c.Dir, asked.Handle, r.Payload); err != nil {
		return nil, wire.Fail(wire.StoreIO, "the payload could not be written: %v", err)
	}
	return &Reply{Text: fmt.Sprintf("sha256 %s, %d bytes, in %s", r.SHA256, r.Bytes, told.Path), Object: told}, nil
}

// part gives what stands in a payload from a byte on, as much as a reply holds.
func part(told Recovered, payload []byte, offset int) *Reply {
	text := string(payload)
	offset = runeStart(text, max(0, min(offset, len(text))))
	rest := text[offset:]
	n := prefix(rest, maxTokens-around)
	told.Offset = offset
	line := fmt.Sprintf("sha256 %s, %d bytes", told.SHA256, told.Bytes)
	if n < len(rest) {
		told.NextOffset = offset + n
		line += fmt.Sprintf(", next_offset: %d", told.NextOffset)
	}
	return &Reply{Text: snapshot.Fence(rest[:n], hexID(4), "") + "\n" + line, Object: told}
}

// Forget removes the files of recovered payloads in a state directory that were
// written before a time.
func Forget(dir string, before time.Time) error {
	dir, err := state.Sub(dir, "recovered")
	if err != nil {
		return err
	}
	return forget(dir, before)
}

func forget(dir string, before time.Time) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list recovered payloads: %w", err)
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil && info.ModTime().Before(before) {
			if err := os.Remove(filepath.Join(dir, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove a recovered payload: %w", err)
			}
		}
	}
	return nil
}

// write puts a payload into a file of this user's alone, and removes those of long ago.
func write(dir, handle string, payload []byte) (string, error) {
	dir, err := state.Sub(dir, "recovered")
	if err != nil {
		return "", err
	}
	if err := forget(dir, time.Now().Add(-kept)); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(dir, "new-*") // of mode 0600
	if err != nil {
		return "", fmt.Errorf("make a file: %w", err)
	}
	defer os.Remove(temp.Name()) // fails when all went well
	_, err = temp.Write(payload)
	if err2 := temp.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return "", fmt.Errorf("write a file: %w", err)
	}
	path := filepath.Join(dir, filepath.Base(handle)+".json")
	if err := os.Rename(temp.Name(), path); err != nil {
		return "", fmt.Errorf("name a file: %w", err)
	}
	return path, nil
}
