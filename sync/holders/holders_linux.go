package holders

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Git tells whether a git command is at work on the repository or working tree at dir.
func Git(dir string) bool {
	for _, p := range processes() {
		name, err := os.ReadFile(filepath.Join(p, "comm"))
		if err != nil || !strings.HasPrefix(string(name), "git") {
			continue
		}
		cwd, err := os.Readlink(filepath.Join(p, "cwd"))
		if err == nil && concerns(dir, cwd, list(p, "cmdline"), list(p, "environ")) {
			return true
		}
	}
	return false
}

// Open tells which of the files some process has open, for writing only if written says so.
func Open(files []string, written bool) map[string]bool {
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f] = true
	}
	open := map[string]bool{}
	for _, p := range processes() {
		fds, _ := os.ReadDir(filepath.Join(p, "fd"))
		for _, fd := range fds {
			to, err := os.Readlink(filepath.Join(p, "fd", fd.Name()))
			if err == nil && wanted[to] && !open[to] && (!written || writes(filepath.Join(p, "fdinfo", fd.Name()))) {
				open[to] = true
			}
		}
	}
	return open
}

// writes tells whether a file was opened for writing, by what the system says of it.
func writes(info string) bool {
	b, err := os.ReadFile(info)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if octal, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(octal), 8, 64)
			return err == nil && flags&(uint64(os.O_WRONLY)|uint64(os.O_RDWR)) != 0
		}
	}
	return false
}

// processes are the directories of all processes.
func processes() []string {
	entries, _ := os.ReadDir("/proc")
	var all []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, filepath.Join("/proc", e.Name()))
		}
	}
	return all
}

// list reads strings that end in zero bytes.
func list(process, name string) []string {
	b, _ := os.ReadFile(filepath.Join(process, name))
	return strings.Split(string(bytes.TrimSuffix(b, []byte{0})), "\x00")
}
