//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handrail/host/doctor"
	"handrail/host/keeper"
	"handrail/host/socket"
)

// What install writes into a home directory works in Chromium, by doctor's word,
// and doctor sees when it does not.
func TestInstalled(t *testing.T) {
	home, err := os.MkdirTemp("", "hr")
	if err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(home, ".config", "chromium")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	program, err := keeper.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "state")
	chromium, err := keeper.Start(keeper.Launch{Program: program, Profile: profile, Host: "/nowhere/handrail", Env: []string{"HANDRAIL_HOME=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		chromium.End()
		eventually(t, "all processes have ended", func() bool { pids, _ := processes(home); return len(pids) == 0 })
		os.RemoveAll(home)
	})
	h := &handrail{home: dir, client: "test", env: []string{"HOME=" + home, "XDG_CONFIG_HOME="}}
	examine := func() (report doctor.Report, out output) {
		t.Helper()
		out = h.run("doctor", "--browser", "chromium", "--json")
		if err := json.Unmarshal(out.stdout, &report); err != nil {
			t.Fatalf("%v\n%s", err, out.stderr)
		}
		return report, out
	}
	if report, out := examine(); out.code != 1 || report.OK {
		t.Errorf("before install: exit %d\n%s", out.code, out.stdout)
	}
	h.must(t, "install", "--browser", "chromium")
	if report, _ := examine(); failure(report).Name != "connection" || !strings.Contains(failure(report).Fix, "load the unpacked folder") {
		t.Errorf("before the extension is loaded: %+v", failure(report))
	}

	if err := chromium.Load(t.Context(), filepath.Join(home, ".local/share/handrail/extension")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the host has connected", func() bool { entries, err := socket.List(dir); return err == nil && len(entries) == 1 })
	if report, out := examine(); out.code != 0 || !report.OK || len(report.Browsers) != 1 || len(report.Browsers[0].Checks) != 6 {
		t.Errorf("installed and loaded: exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	h.must(t, "tabs")

	file := filepath.Join(profile, "NativeMessagingHosts", "com.handrail.host.json")
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.TrimSuffix(body, []byte("}\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if report, out := examine(); out.code != 1 || failure(report).Name != "manifest" || !strings.Contains(out.stderr, "handrail install --browser chromium") {
		t.Errorf("broken manifest: exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	h.must(t, "install", "--browser", "chromium")
	if report, out := examine(); !report.OK {
		t.Errorf("installed again: %s", out.stdout)
	}
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, body) {
		t.Errorf("installed again: %v, %s", err, again)
	}
}

func failure(r doctor.Report) doctor.Check {
	check, _ := r.Failure()
	return check
}
