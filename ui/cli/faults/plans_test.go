package faults

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// shared is the file to which several tasks add a line, so that they conflict.
const shared = "shared.txt"

// shape says which tasks block the i-th of n tasks.
type shape struct {
	name  string
	after func(i, n int) []int
}

// shapes lists the forms that plans have.
var shapes = []shape{
	{"wide", func(int, int) []int { return nil }},
	{"deep", func(i, _ int) []int { return span(i-2, i-1) }},
	{"diamond", func(i, n int) []int {
		switch i {
		case 0:
			return nil
		case n - 1:
			return span(1, n-1)
		}
		return []int{0}
	}},
	{"rows", func(i, _ int) []int { return span(i-i%3-3, i-i%3) }},
}

// span lists the numbers from a up to b-1, without negative numbers.
func span(a, b int) (all []int) {
	for i := max(a, 0); i < b; i++ {
		all = append(all, i)
	}
	return all
}

// plan draws a plan whose result can be predicted: each file holds what its task found of the tasks that block it. An agent that is
// killed goes on where it was, so that a command may run twice in the same tree.
func plan(rng *rand.Rand, s shape, n int) ([]clitest.Task, reader.Plan) {
	asked := reader.Plan{Shared: shared}
	var tasks []clitest.Task
	conflicts, groups, checked := rng.IntN(2) == 0, rng.IntN(4) == 0 && s.name == "wide", rng.IntN(3) == 0
	for i := range n {
		t := reader.Task{ID: fmt.Sprint(i + 1), File: fmt.Sprintf("part-%d.txt", i+1)}
		run := []string{fmt.Sprintf("sleep 0.%d", 1+rng.IntN(4)), fmt.Sprintf("echo %d >%s", i+1, t.File)}
		t.Content = fmt.Sprintln(i + 1)
		for _, b := range s.after(i, n) {
			before := asked.Tasks[b]
			t.After = append(t.After, before.ID)
			run = append(run, fmt.Sprintf("cksum <%s >>%s", before.File, t.File))
			t.Content += cksum(before.Content)
		}
		if adds := rng.IntN(2) == 0; adds && conflicts {
			t.Line = "line-" + t.ID
			run = append(run, fmt.Sprintf("grep -qxs %s %s || echo %s >>%s", t.Line, shared, t.Line, shared))
		}
		task := clitest.Task{ID: t.ID, Subject: "Make " + t.File, Run: strings.Join(run, "; "), After: t.After}
		// The stand-in for Claude Code's model reads this.
		task.Description = "RUN: " + task.Run + "\nRESOLVE: sed -i '/^[<=>|]\\{7\\}/d' " + shared
		if checked {
			task.Verify = "test -s " + t.File
		}
		if groups && i < n/2 {
			task.Group = fmt.Sprint("group-", i%2)
		}
		asked.Tasks, tasks = append(asked.Tasks, t), append(tasks, task)
	}
	return tasks, asked
}

// verify returns a verify.sh that passes when all tasks are merged.
func verify(p reader.Plan) string {
	text := "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\n"
	for _, t := range p.Tasks {
		text += "test -s " + t.File + "\n"
	}
	return text
}

// cksum returns what the POSIX command cksum prints.
func cksum(content string) string {
	var crc uint32
	add := func(b byte) {
		crc ^= uint32(b) << 24
		for range 8 {
			if top := crc&(1<<31) != 0; top {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
	}
	for _, b := range []byte(content) {
		add(b)
	}
	for n := len(content); n > 0; n >>= 8 {
		add(byte(n))
	}
	return fmt.Sprintf("%d %d\n", ^crc, len(content))
}
