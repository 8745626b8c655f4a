package shipdir

import (
	"os"
	"strconv"
	"strings"
)

// Progress returns the progress of an agent without hooks: how many tasks it has claimed and not given back, plus its
// completions.
func Progress(h Dir) int {
	raw, _ := os.ReadFile(h.Progress())
	n, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return n
}

// AddProgress counts a claim or a completion or, with -1, that a claim was given back.
func AddProgress(h Dir, by int) {
	_ = WriteFile(h.Progress(), strconv.Itoa(Progress(h)+by)+"\n")
}
