package shipdir

import (
	"path/filepath"
	"strings"
)

// ListDir returns the task directory of a list, in the place where Claude Code looks for it.
func ListDir(dir, list string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, list)
	return filepath.Join(dir, ".claude", "tasks", safe)
}
