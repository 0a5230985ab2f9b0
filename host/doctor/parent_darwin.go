package doctor

import "golang.org/x/sys/unix"

// parentOf gives a process's parent: a host's is its browser.
func parentOf(pid int) (int, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return int(info.Eproc.Ppid), nil
}
