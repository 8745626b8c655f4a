//go:build long

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// BenchmarkTokens is what the real Claude Code asks of its service in a plan of 40 small tasks and in a session of 12, where
// nobody thinks: what a task costs at least, by what stands around it. A token is 4 bytes of a request.
//
//	in/task       tokens asked for each completed task
//	ROLE-in       tokens that ships of a role asked in all
//	requests/task
//	refused       calls of tools that ocaptain or Claude Code refused, or that failed
//	prompts/task  how often an agent was told to go on
func BenchmarkTokens(b *testing.B) {
	b.Run("plan", func(b *testing.B) {
		benchmarkTokens(b, 40, func(c *captain) fleet.Dir {
			var jobs []job
			for i := range 40 {
				jobs = append(jobs, job{id: fmt.Sprint(i + 1), subject: fmt.Sprintf("Write part %d", i+1), run: fmt.Sprintf("echo %d >part-%d", i, i)})
			}
			return c.sail(c.plan("small", "", passes, jobs), "-n", "4", "--agent", "claude")
		})
	})
	b.Run("session", func(b *testing.B) {
		benchmarkTokens(b, 13, func(c *captain) fleet.Dir {
			var list []string
			for i := range 12 {
				list = append(list, fmt.Sprintf(`{"id": "%d", "title": "Write part %d", "description": "RUN: echo %d >part-%d"}`, i, i, i, i))
			}
			c.ocaptain("start", "--repo", c.freshRepository("kite"), "--agent", "claude", "--workers", "3", "--branch", "feat/parts", "--verify", "test -s part-11",
				"--detach", "--task", "Write parts\n\nRUN: echo '{\"tasks\": ["+strings.Join(list, ", ")+"]}' | ocaptain task plan -")
			return c.voyages()[0]
		})
	})
}

func benchmarkTokens(b *testing.B, n int, begin func(*captain) fleet.Dir) {
	for b.Loop() {
		api := claudetest.Start(b, loopback.Worker)
		c := newCaptain(b, claudeEnv(b, api)...)
		d := begin(c)
		board := c.allDone(d, n)
		requests, refused, prompts, asked := 0, 0, 0, 0
		for _, e := range api.Log() {
			requests++
			told := false
			for _, p := range e.Fresh {
				told = told || p.Type == "text"
				if p.Type == "tool_result" && p.Failed {
					refused++
				}
			}
			if told {
				prompts++
			}
		}
		by := map[string]int{}
		for _, s := range api.Sessions() {
			in := s.Said.Input + s.Said.CacheRead + s.Said.CacheWrite
			asked += in
			by[roleIn(s.Last)] += in
		}
		b.ReportMetric(float64(asked)/float64(n), "in/task")
		b.ReportMetric(float64(requests)/float64(n), "requests/task")
		b.ReportMetric(float64(prompts)/float64(n), "prompts/task")
		b.ReportMetric(float64(refused), "refused")
		for role, in := range by {
			b.ReportMetric(float64(in), role+"-in")
		}
		c.ocaptain("sink", board.Voyage.ID, "--force")
	}
	b.ReportMetric(0, "ns/op")
}

var crewName = regexp.MustCompile(`\b(ship|planner|worker|validator)-\d+\b`)

// roleIn is the role of the ship whose agent made a request, by what it is told of itself.
func roleIn(r loopback.Request) string {
	for _, p := range r.Prompts() {
		if m := crewName.FindStringSubmatch(p); m != nil {
			return m[1]
		}
	}
	return "other"
}
