// Package bundle writes stored snapshots into one file for use elsewhere: a tar,
// packed with zstd, in which each payload is a file that the command line reads as
// any other, each view one of text, and manifest.json says what belongs together.
//
// It promises that payloads are byte for byte what was stored. It refuses handles
// that the store does not have.
package bundle

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"handrail/host/snapshot"
	"handrail/recovery"
)

// Version is that of the manifest.
const Version = 1

// Manifest is manifest.json.
type Manifest struct {
	Version   int        `json:"v"`
	Snapshots []Snapshot `json:"snapshots"`
}

// Snapshot is one view and its payload.
type Snapshot struct {
	Handle       string    `json:"recovery_handle"`
	Payload      string    `json:"payload"` // the file's name, by its sha256
	View         string    `json:"view"`    // likewise, by its handle
	Taken        time.Time `json:"taken"`
	Origin       string    `json:"origin"`
	Path         string    `json:"path"`
	Title        string    `json:"title"`
	Options      string    `json:"options"`
	TokensBefore int       `json:"tokens_before"`
	ViewTokens   int       `json:"view_tokens"`
}

// Write writes a bundle of the views. The errors are those of the store and w.
func Write(ctx context.Context, w io.Writer, store *recovery.Store, handles []string) error {
	packed, err := zstd.NewWriter(w)
	if err != nil {
		return fmt.Errorf("pack the bundle: %w", err)
	}
	out := tar.NewWriter(packed)
	put := func(name string, taken time.Time, body []byte) error {
		if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(body)), ModTime: taken}); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if _, err := out.Write(body); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	m := Manifest{Version: Version}
	written := map[string]bool{}
	for _, handle := range handles {
		if written[handle] {
			continue
		}
		view, taken, err := store.Lookup(ctx, handle)
		if err != nil {
			return fmt.Errorf("%.60q: %w", handle, err)
		}
		payload, err := store.Payload(ctx, handle)
		if err != nil {
			return fmt.Errorf("%.60q: %w", handle, err)
		}
		text, err := snapshot.Text(ctx, store, handle)
		if err != nil {
			return fmt.Errorf("%.60q: %w", handle, err)
		}
		sum := sha256.Sum256(payload)
		s := Snapshot{
			Handle: handle, Payload: "payloads/" + hex.EncodeToString(sum[:]) + ".json", View: "views/" + handle + ".txt", Taken: taken.Taken, Origin: taken.Origin,
			Path: taken.Path, Title: taken.Title, Options: view.Options, TokensBefore: view.TokensBefore, ViewTokens: view.ViewTokens,
		}
		if !written[s.Payload] {
			if err := put(s.Payload, taken.Taken, payload); err != nil {
				return err
			}
		}
		if err := put(s.View, taken.Taken, []byte(text+"\n")); err != nil {
			return err
		}
		written[handle], written[s.Payload] = true, true
		m.Snapshots = append(m.Snapshots, s)
	}
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	if err := put("manifest.json", time.Time{}, append(body, '\n')); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("end the bundle: %w", err)
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("end the bundle: %w", err)
	}
	return nil
}
