// Package proctest finds processes that a test has left behind.
package proctest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// With lists the processes that have word in their command line, environment or working directory, except this one:
// the id and the command line of each.
func With(word string) []string {
	all, _ := filepath.Glob("/proc/[0-9]*")
	var found []string
	for _, p := range all {
		if filepath.Base(p) == strconv.Itoa(os.Getpid()) {
			continue
		}
		cmdline, _ := os.ReadFile(p + "/cmdline")
		environ, _ := os.ReadFile(p + "/environ")
		cwd, _ := os.Readlink(p + "/cwd")
		if len(cmdline) > 0 && (bytes.Contains(cmdline, []byte(word)) || bytes.Contains(environ, []byte(word)) || strings.Contains(cwd, word)) {
			found = append(found, filepath.Base(p)+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}
