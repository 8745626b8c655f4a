package hoststest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// Processes lists the processes of one ship, or of all ships on the host if ship is "", with their command lines. A
// process belongs to a ship if the ship's directory is in its command line, environment or working directory.
func (h *Host) Processes(ship string) map[int]string {
	return processes(filepath.Join(h.Ships(), ship))
}

func processes(dir string) map[int]string {
	found := map[int]string{}
	for _, p := range proctest.With(dir) {
		id, command, _ := strings.Cut(p, " ")
		if pid, err := strconv.Atoi(id); err == nil {
			found[pid] = command
		}
	}
	return found
}

// Aboard returns the ids of the processes of all ships on the host.
func (h *Host) Aboard() []int { return slices.Collect(maps.Keys(h.Processes(""))) }

// Crash kills all processes of one ship, or of all ships if ship is "".
func (h *Host) Crash(ship string) {
	h.t.Helper()
	h.kill(filepath.Join(h.Ships(), ship))
}

// kill kills all processes that have dir in their command line, environment or working directory.
func (h *Host) kill(dir string) {
	h.t.Helper()
	eventually.Holds(h.t, "all are dead", func() bool {
		left := processes(dir)
		for pid := range left {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
		return len(left) == 0
	})
}
