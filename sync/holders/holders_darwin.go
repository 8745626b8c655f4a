package holders

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// GitAtWork reports whether any git command runs: macOS does not show in which directory.
func GitAtWork(string) bool {
	out, err := exec.Command("ps", "-A", "-o", "command=").Output()
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(out)) {
		args := strings.Fields(line)
		if len(args) > 0 && strings.HasPrefix(filepath.Base(args[0]), "git") && concerns("/", "/", args, nil) {
			return true
		}
	}
	return false
}

// Writers returns the git commands that may change the index or HEAD at dir: every git on the machine except those
// that this process started.
func Writers(string) []string {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) > 2 && f[1] != strconv.Itoa(os.Getpid()) && filepath.Base(f[2]) == "git" && !readers[gitVerb(f[2:])] {
			all = append(all, f[0])
		}
	}
	return all
}

// Open returns nil: macOS does not show which files are open.
func Open([]string, bool) map[string]bool { return nil }
