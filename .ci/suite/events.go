//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is one of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// id names a test of the run. A package as a whole has no test.
type id struct{ pkg, test string }

func (i id) String() string {
	if i.test == "" {
		return short(i.pkg)
	}
	return short(i.pkg) + " " + i.test
}

func short(pkg string) string { return strings.TrimPrefix(pkg, "ocaptain/") }

// attempt is one run of a test.
type attempt struct {
	seconds float64
	failed  bool
	output  []string
}

// history is what came of each test, each time that it was run, in the order in which tests ended.
type history struct {
	tests map[id][]attempt
	order []id
}

// read reads what go test -json printed. Output that no test owns belongs to the package.
func read(file string) (history, error) {
	h := history{tests: map[id][]attempt{}}
	f, err := os.Open(file)
	if err != nil {
		return h, err
	}
	defer f.Close()
	running := map[id][]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return h, fmt.Errorf("%s: %w", file, err)
		}
		switch i := (id{e.Package, e.Test}); e.Action {
		case "output":
			running[i] = append(running[i], e.Output)
		case "pass", "fail":
			if h.tests[i] == nil {
				h.order = append(h.order, i)
			}
			h.tests[i] = append(h.tests[i], attempt{e.Elapsed, e.Action == "fail", running[i]})
			delete(running, i)
		}
	}
	// A binary that was ended reports no end of its tests: gotestsum adds the end of the tests that ran.
	return h, lines.Err()
}

// failed lists the tests with a failed attempt, without a test whose subtest failed, as the subtest says why. It lists a package when
// none of the package's tests failed.
func (h history) failed() []id {
	var all []id
	for _, i := range h.order {
		if h.bad(i) && !h.deeper(i) {
			all = append(all, i)
		}
	}
	return all
}

func (h history) bad(i id) bool {
	for _, a := range h.tests[i] {
		if a.failed {
			return true
		}
	}
	return false
}

func (h history) deeper(i id) bool {
	for j := range h.tests {
		if j != i && j.pkg == i.pkg && h.bad(j) && (i.test == "" || strings.HasPrefix(j.test, i.test+"/")) {
			return true
		}
	}
	return false
}

// flaky tells whether a test passed in the end.
func (h history) flaky(i id) bool {
	all := h.tests[i]
	return len(all) > 1 && !all[len(all)-1].failed
}
