// Package holders finds the processes of this machine that work on a repository or have a file open, as far as the
// system shows them. A lock without such a process may be removed.
package holders

import (
	"path/filepath"
	"strings"
)

// Ours marks the git commands of this program, in their environment.
const Ours = "OCAPTAIN_GIT=1"

// readers are the git commands that change neither an index nor HEAD, and that may run for hours with a pager.
var readers = map[string]bool{
	"blame": true, "cat-file": true, "diff": true, "fetch": true, "for-each-ref": true, "fsmonitor--daemon": true, "gc": true, "grep": true,
	"log": true, "ls-files": true, "maintenance": true, "push": true, "reflog": true, "rev-list": true, "rev-parse": true, "show": true, "status": true,
}

// gitVerb returns the command, such as "log", in the arguments of a git process.
func gitVerb(args []string) string {
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-C" || arg == "-c" || arg == "--git-dir" || arg == "--work-tree" || arg == "--namespace":
			i++ // its value
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

// inside reports whether path is dir or below it.
func inside(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// concerns reports whether a git command with these arguments and environment, running in cwd, may hold locks of the
// repository at dir. cat-file, which only answers questions, never holds one.
func concerns(dir, cwd string, args, env []string) bool {
	if gitVerb(args) == "cat-file" {
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
