//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// longest bounds the lines of a failed test on the terminal, widest the bytes of each line.
const longest, widest = 60, 400

// printFailures prints why each test failed, and writes the whole output of the test to a file in dir.
func printFailures(w io.Writer, h history, dir string) error {
	for _, i := range h.failed() {
		verdict := "failed"
		if h.flaky(i) {
			verdict = "flaky: it passed when it was run again"
		}
		all, first := h.whole(i)
		file := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(i.String())+".txt")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(strings.Join(all, "")), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(w, "== %s: %s\n", i, verdict)
		for _, l := range digest(first) {
			fmt.Fprintln(w, "   "+l)
		}
		fmt.Fprintf(w, "   all %d lines: %s\n", len(all), file)
	}
	return nil
}

// whole returns the output of all failed attempts of a test, and that of the first.
func (h history) whole(i id) (all, first []string) {
	for _, a := range h.tests[i] {
		if !a.failed {
			continue
		}
		all = append(all, a.output...)
		if first == nil {
			first = a.output
		}
	}
	return all, first
}

var (
	// said matches the beginning of a line that a test has logged.
	said = regexp.MustCompile(`^\s+\S+\.go:\d+: `)
	// fatal matches the beginning of a line after which a process is over.
	fatal = regexp.MustCompile(`^(panic: |fatal error: |WARNING: DATA RACE)`)
	// noise matches what go test prints for every test.
	noise = regexp.MustCompile(`^\s*(=== |--- |FAIL|ok |exit status |coverage: )`)
)

// digest returns the cause of a failure with the lines that show it, then lines before and after, as far as
// there is room.
func digest(output []string) []string {
	var all []string
	for _, l := range output {
		if l = strings.TrimRight(l, "\n"); strings.TrimSpace(l) != "" && !noise.MatchString(l) {
			all = append(all, l[:min(len(l), widest)])
		}
	}
	at := slices.IndexFunc(all, fatal.MatchString)
	if at < 0 {
		at = max(0, slices.IndexFunc(all, said.MatchString))
	}
	shows := min(at+4, len(all))
	rest := slices.Concat(all[:at], all[shows:])
	room := longest - 2 - (shows - at) // one line is for the title, and one for the file
	if len(rest) > room {
		rest = append(rest[:room-1:room-1], fmt.Sprintf("… %d lines more", len(rest)-room+1))
	}
	return slices.Concat(all[at:shows], rest)
}
