package shipdir

import (
	"os"
	"strconv"
	"strings"
)

// Progress counts what an agent without hooks has moved forward: claims that it kept,
// and completions.
func Progress(h Dir) int {
	raw, _ := os.ReadFile(h.Progress())
	n, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return n
}

// AddProgress notes a claim or a completion, or with -1 that a claim was given back.
func AddProgress(h Dir, by int) {
	_ = WriteFile(h.Progress(), strconv.Itoa(Progress(h)+by)+"\n")
}
