package hoststest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Processes lists the processes of the host's ships, or of one of them: those that have its
// directory in their command line, environment or working directory.
func (h *Host) Processes(ship string) map[int]string {
	return processes(filepath.Join(h.Ships(), ship))
}

func processes(dir string) map[int]string {
	all, _ := filepath.Glob("/proc/[0-9]*")
	found := map[int]string{}
	for _, p := range all {
		var pid int
		if _, err := fmt.Sscan(filepath.Base(p), &pid); err != nil || pid == os.Getpid() {
			continue
		}
		stat, _ := os.ReadFile(p + "/stat")
		if i := bytes.LastIndexByte(stat, ')'); i < 0 || bytes.HasPrefix(stat[i+1:], []byte(" Z")) {
			continue
		}
		cmdline, _ := os.ReadFile(p + "/cmdline")
		environ, _ := os.ReadFile(p + "/environ")
		cwd, _ := os.Readlink(p + "/cwd")
		if bytes.Contains(cmdline, []byte(dir)) || bytes.Contains(environ, []byte(dir)) || strings.HasPrefix(cwd, dir) {
			found[pid] = strings.ReplaceAll(string(cmdline), "\x00", " ")
		}
	}
	return found
}

// Aboard are the ids of the processes of all ships on the host.
func (h *Host) Aboard() []int { return slices.Collect(maps.Keys(h.Processes(""))) }

// Crash kills all processes of one ship, or of all with "".
func (h *Host) Crash(ship string) {
	h.t.Helper()
	h.kill(filepath.Join(h.Ships(), ship))
}

// kill ends all processes that have a directory in their command line, environment or working directory.
func (h *Host) kill(dir string) {
	h.t.Helper()
	Eventually(h.t, "all are dead", func() bool {
		left := processes(dir)
		for pid := range left {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
		return len(left) == 0
	})
}
