package keeper

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
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

// adopt makes this process the parent of its descendants' orphans: in many a
// container nobody else would bury them, and their group would never be gone.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	return nil
}
