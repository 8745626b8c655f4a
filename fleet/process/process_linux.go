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

// listsChildren reports whether the kernel lists the children of a thread, which is a choice of who builds it.
var listsChildren = sync.OnceValue(func() bool {
	_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	return err == nil
})

// Below returns the living descendants of a process. Processes that start or end meanwhile may be missing, see
// proc_tid_children(5). Unlike List it does not read the whole process table.
func Below(root int) (below []Process) {
	if !listsChildren() {
		all, _ := List()
		return Descendants(all, root)
	}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, pid := range children(queue[0]) {
			queue = append(queue, pid)
			if p, err := Inspect(pid); err == nil && !p.Zombie {
				below = append(below, p)
			}
		}
	}
	return below
}

// children returns the pids of a process's children; none if it has ended.
func children(pid int) (pids []int) {
	tasks := fmt.Sprintf("/proc/%d/task/", pid)
	threads, _ := os.ReadDir(tasks)
	for _, thread := range threads {
		b, _ := os.ReadFile(tasks + thread.Name() + "/children")
		for _, field := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
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
