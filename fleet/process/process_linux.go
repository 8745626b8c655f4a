package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is a part of start times, which count from boot, so that they differ after a reboot.
var bootID = sync.OnceValue(func() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
})

// Inspect returns one process.
func Inspect(pid int) (Process, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, err
	}
	// The name in parentheses may contain anything, so count the fields from the last parenthesis.
	end := bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[end+1:]))
	if end < 0 || len(fields) < 20 {
		return Process{}, fmt.Errorf("process %d: cannot read its state", pid)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return Process{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Process{
		ID:     ID{pid, fields[19] + "@" + bootID()},
		Parent: parent,
		Zombie: fields[0] == "Z" || fields[0] == "X",
	}, nil
}

// List returns all processes.
func List() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []Process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, err := Inspect(pid); err == nil {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// HasEnviron reports whether a process was started with this entry in its environment.
func HasEnviron(pid int, entry string) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(append([]byte{0}, b...), []byte("\x00"+entry+"\x00"))
}

// AdoptOrphans makes this process the parent of every descendant whose own parent ends, so that none is lost from
// sight.
func AdoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}
