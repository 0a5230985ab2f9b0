package keeper

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// namespaces tells whether an ordinary user's browser may make user namespaces.
func namespaces() bool {
	// Ubuntu allows them and takes away all they could do.
	if text, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"); err == nil && text[0] == '1' {
		return false
	}
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
	}
	return cmd.Run() == nil
}

// processes lists those that live of a process group (0 for none) and those of a
// browser and its crash handlers that have the profile. Zombies do not live: in
// many a container nobody buries them.
func processes(pgid int, profile string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // state, parent, group
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || len(fields) < 3 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
			continue
		}
		if pgid > 0 && string(fields[2]) == strconv.Itoa(pgid) || has(dir, profile) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// has tells whether the process of a folder of /proc was started with the profile.
func has(dir, profile string) bool {
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	text := strings.ReplaceAll(string(line), "\x00", " ") + " " // Chromium's children have blanks already
	return err == nil && (strings.Contains(text, "--user-data-dir="+profile+" ") || strings.Contains(text, "--database="+profile+"/"))
}
