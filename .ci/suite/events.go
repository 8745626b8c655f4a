//go:build linux

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// event is an event of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
	Time                          time.Time
}

// id names a test of the run. For a whole package, test is "".
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

// history holds all attempts of each test, and the order in which tests ended.
type history struct {
	tests map[id][]attempt
	order []id
}

// read reads the output of go test -json. Output outside a test belongs to the package.
func read(file string) (history, error) {
	h := history{tests: map[id][]attempt{}}
	f, err := os.Open(file)
	if err != nil {
		return h, err
	}
	defer f.Close()
	open := map[id]*running{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return h, fmt.Errorf("%s: %w", file, err)
		}
		i := id{e.Package, e.Test}
		r := open[i]
		if r == nil {
			r = &running{since: e.Time}
			open[i] = r
		}
		switch e.Action {
		case "pause", "cont":
			r.paused = e.Action == "pause"
		case "output":
			r.output = append(r.output, e.Output)
		case "pass", "fail", "skip":
			h.ends(i, attempt{e.Elapsed, e.Action == "fail", r.output})
			delete(open, i)
			if e.Test == "" {
				h.cut(open, e)
			}
		}
	}
	return h, lines.Err()
}

// running is a test that has begun and not ended.
type running struct {
	since  time.Time
	paused bool // it waits for tests that are not parallel
	output []string
}

func (h *history) ends(i id, a attempt) {
	if h.tests[i] == nil {
		h.order = append(h.order, i)
	}
	h.tests[i] = append(h.tests[i], a)
}

// cut fails the tests that still ran when their package's binary ended, as no event reports their end.
func (h *history) cut(open map[id]*running, end event) {
	var cut []id
	for i, r := range open {
		if i.pkg == end.Package && !r.paused {
			cut = append(cut, i)
		}
	}
	slices.SortFunc(cut, func(a, b id) int { return cmp.Compare(a.test, b.test) })
	for _, i := range cut {
		h.ends(i, attempt{end.Time.Sub(open[i].since).Seconds(), true, append(open[i].output, "it ran when the test binary ended\n")})
	}
	maps.DeleteFunc(open, func(i id, _ *running) bool { return i.pkg == end.Package })
}

// failed lists the tests with a failed attempt. It leaves out a test with a failed subtest, as the subtest shows why. It lists a
// package when none of its tests failed.
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

// flaky reports whether a failed test passed in the end.
func (h history) flaky(i id) bool {
	all := h.tests[i]
	return len(all) > 1 && !all[len(all)-1].failed
}
