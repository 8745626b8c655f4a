//go:build linux

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// dear is how many of the most expensive tests the report lists.
const dear = 20

// report prints what failed, and then what the run cost.
func report(w io.Writer, events, dir string) error {
	h, err := read(events)
	if err != nil {
		return err
	}
	costs, err := readCosts(os.Getenv(slottest.CostsVar))
	if err != nil {
		return err
	}
	if err := printFailures(w, h, dir); err != nil {
		return err
	}
	printCosts(w, h, costs)
	return nil
}

func readCosts(file string) ([]slottest.Cost, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var all []slottest.Cost
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c slottest.Cost
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		dir, err := filepath.Rel(root, c.Dir)
		if err != nil {
			return nil, err
		}
		c.Dir = "ocaptain/" + filepath.ToSlash(dir)
		all = append(all, c)
	}
	return all, nil
}

// line is a test in the list of the most expensive.
type line struct {
	id
	seconds, cpu float64
	processes    int
	how          string // how the figures came about
}

const (
	measured = " "
	shared   = "≈"
)

// why returns why a test starts many processes, "" when it does not.
func (l line) why() string {
	if l.processes <= many || l.how == shared {
		return ""
	}
	return ": " + cmp.Or(reason(l.id), "its comment does not say why it starts so many")
}

// lines returns all tests with their cost. A cost that is unknown for a test is its share of the package's
// cost, by seconds.
func lines(h history, costs []slottest.Cost) []line {
	whole, tests, seconds := map[string]slottest.Cost{}, map[id]slottest.Cost{}, map[string]float64{}
	for _, c := range costs {
		if c.Test == "" {
			sum := whole[c.Dir]
			sum.CPU, sum.Processes = sum.CPU+c.CPU, sum.Processes+c.Processes
			whole[c.Dir] = sum
			continue
		}
		top, _, _ := strings.Cut(c.Test, "/")
		sum := tests[id{c.Dir, top}]
		sum.CPU, sum.Processes, sum.Waited, sum.Beside = sum.CPU+c.CPU, sum.Processes+c.Processes, sum.Waited+c.Waited, sum.Beside || c.Beside
		tests[id{c.Dir, top}] = sum
	}
	top := slices.DeleteFunc(slices.Clone(h.order), func(i id) bool { return i.test == "" || strings.Contains(i.test, "/") })
	long := func(i id) (sum float64) {
		for _, a := range h.tests[i] {
			sum += a.seconds
		}
		return max(0, sum-tests[i].Waited)
	}
	for _, i := range top {
		seconds[i.pkg] += long(i)
	}
	var all []line
	for _, i := range top {
		l, part := line{id: i, seconds: long(i), how: shared}, 0.0
		if seconds[i.pkg] > 0 {
			part = l.seconds / seconds[i.pkg]
		}
		l.cpu, l.processes = whole[i.pkg].CPU*part, int(float64(whole[i.pkg].Processes)*part)
		if c, ok := tests[i]; ok && !c.Beside {
			l.cpu, l.processes, l.how = c.CPU, c.Processes, measured
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(b.seconds, a.seconds)) })
	return all
}

func printCosts(w io.Writer, h history, costs []slottest.Cost) {
	var cpu, most float64
	var processes int
	var left []string
	for _, c := range costs {
		if c.Test != "" {
			continue
		}
		cpu, processes, most = cpu+c.CPU, processes+c.Processes, max(most, c.Load)
		if c.Left > 0 {
			left = append(left, fmt.Sprintf("%s %d", short(c.Dir), c.Left))
		}
	}
	fmt.Fprintf(w, "== cost: %.0f s of CPU, %d processes and threads started, largest load %.1f, this machine's factor %.1f\n", cpu, processes, most, eventually.Factor())
	fmt.Fprintf(w, "   %7s %7s %9s  (%s: a share of its package's cost, by its seconds)\n", "seconds", "CPU s", "processes", shared)
	for n, l := range lines(h, costs) {
		if n == dear {
			break
		}
		fmt.Fprintf(w, "   %7.1f %7.1f %9d %s %s%s\n", l.seconds, l.cpu, l.processes, l.how, l.id, l.why())
	}
	if len(left) > 0 {
		fmt.Fprintf(w, "   processes that ran when their test binary had ended: %s\n", strings.Join(left, ", "))
	}
}
