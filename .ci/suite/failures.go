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

// longest is how many lines a failed test has on the terminal, widest how many bytes each of them.
const longest, widest = 60, 400

// printFailures prints of each test that failed why, and writes all that it printed to a file in dir.
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

// whole is all that the test's failed attempts printed, and what the first of them did.
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
	// said is how a line begins that a test has printed by itself.
	said = regexp.MustCompile(`^\s+\S+\.go:\d+: `)
	// fatal is how a line begins after which a process is over.
	fatal = regexp.MustCompile(`^(panic: |fatal error: |WARNING: DATA RACE)`)
	// noise is what go test prints of each test.
	noise = regexp.MustCompile(`^\s*(=== |--- |FAIL|ok |exit status |coverage: )`)
)

// digest is the cause of a failure with the lines that show it, and then what was printed before and after, as far as there is room.
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
	room := longest - 2 - (shows - at) // one line is the title, and one the file
	if len(rest) > room {
		rest = append(rest[:room-1:room-1], fmt.Sprintf("… %d lines more", len(rest)-room+1))
	}
	return slices.Concat(all[at:shows], rest)
}
