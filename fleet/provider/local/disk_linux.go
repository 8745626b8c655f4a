package local

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"ocaptain/fleet/process"
)

// readAll makes a command able to read what its owner has made unreadable.
func readAll(cmd *exec.Cmd) {
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: uid, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
	}
}

// maxOpen bounds how many open files are inspected.
const maxOpen = 100_000

// unlinked adds up the sizes of files on the file system of dir that have no name any more and are open in a descendant
// of the process root.
func unlinked(dir string, root int) (bytes int64) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	here, _ := info.Sys().(*syscall.Stat_t)
	counted, looked := map[uint64]bool{}, 0
	for _, is := range process.Below(root) {
		fds := fmt.Sprintf("/proc/%d/fd", is.PID)
		open, _ := os.ReadDir(fds)
		for _, fd := range open {
			if looked++; looked > maxOpen {
				return bytes
			}
			info, err := os.Stat(fds + "/" + fd.Name())
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if f, _ := info.Sys().(*syscall.Stat_t); f.Nlink == 0 && f.Dev == here.Dev && !counted[f.Ino] {
				counted[f.Ino] = true
				bytes += f.Blocks * 512
			}
		}
	}
	return bytes
}
