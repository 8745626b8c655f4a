// Package holders tells, as far as the system lets one know, which processes of this machine are at work on files:
// what nobody holds any more, others may take.
package holders

import (
	"path/filepath"
	"strings"
)

// inside tells whether a path is a directory or below it.
func inside(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// concerns tells whether a git command with these arguments and settings may hold locks of the repository at dir, given
// where it runs. One that answers questions about objects holds none.
func concerns(dir, cwd string, args, env []string) bool {
	if len(args) > 1 && args[1] == "cat-file" {
		return false
	}
	if inside(cwd, dir) {
		return true
	}
	for _, kv := range env {
		key, value, _ := strings.Cut(kv, "=")
		if (key == "GIT_DIR" || key == "GIT_WORK_TREE") && inside(absolute(value, cwd), dir) {
			return true
		}
	}
	for i, arg := range args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "--") {
			arg = value
		}
		if i > 0 && inside(absolute(arg, cwd), dir) {
			return true
		}
	}
	return false
}

func absolute(path, cwd string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}
