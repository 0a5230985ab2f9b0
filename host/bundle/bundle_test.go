package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"

	"handrail/compressor"
	"handrail/host/snapshot"
	"handrail/recovery"
)

// A bundle has each payload once, byte for byte, and each view as it was shown.
func TestWrite(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store, err := recovery.Open(t.TempDir(), recovery.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	payload, err := os.ReadFile("../../testdata/payloads/form.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := compressor.Read(payload)
	if err != nil {
		t.Fatal(err)
	}
	var handles []string
	views := map[string]string{}
	for _, profile := range []string{compressor.Balanced, compressor.Light} {
		opt := compressor.Options{Profile: profile}
		view, err := page.View(opt)
		if err != nil {
			t.Fatal(err)
		}
		row := &recovery.View{Options: opt.Canonical(), UIDs: view.UIDs}
		if err := store.Record(ctx, payload, &recovery.Snapshot{Title: "Form"}, page.Targets(), row); err != nil {
			t.Fatal(err)
		}
		handles = append(handles, row.Handle)
		views["views/"+row.Handle+".txt"] = view.Text + "\n"
	}
	var b bytes.Buffer
	if err := Write(ctx, &b, store, append(handles, handles[0])); err != nil {
		t.Fatal(err)
	}
	packed, err := zstd.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	files := map[string]string{}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name] = string(body); h.Mode != 0o600 {
			t.Errorf("%s has mode %o", h.Name, h.Mode)
		}
	}
	var m Manifest
	if err := json.Unmarshal([]byte(files["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 || len(m.Snapshots) != 2 || m.Version != Version {
		t.Fatalf("%d files, manifest %+v", len(files), m)
	}
	for _, s := range m.Snapshots {
		if files[s.Payload] != string(payload) || files[s.View] != views[s.View] || s.Title != "Form" {
			t.Errorf("%+v does not say what is in the files", s)
		}
	}
	if _, err := snapshot.Stored(ctx, store, handles[0]); err != nil {
		t.Error(err)
	}
	if err := Write(ctx, io.Discard, store, []string{"hr_00"}); !errors.Is(err, recovery.ErrUnknownHandle) {
		t.Errorf("an unknown handle: %v", err)
	}
}
