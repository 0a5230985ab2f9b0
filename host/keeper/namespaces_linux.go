package keeper

import (
	"os"
	"os/exec"
	"syscall"
)

// namespaces tells whether an ordinary user may make user namespaces.
func namespaces() bool {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
	}
	return cmd.Run() == nil
}
