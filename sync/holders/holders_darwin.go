package holders

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// Git tells whether a git command may be at work on the repository or working tree at dir: any that runs counts, since
// where it does is not told.
func Git(string) bool {
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

// Open tells which of the files some process has open. That is not told here.
func Open([]string, bool) map[string]bool { return nil }
