//go:build long

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/otherapi"
	"ocaptain/fleet/proto"
)

const npmKey = "only-for-tests-0123456789"

// npmAgents lists the other agents that can work for a model on loopback: the variables that give a captain's environment a model at an
// address, and words of the agent's command line.
var npmAgents = []struct {
	name, model, process string
	env                  func(url string) []string
}{
	{"codex", "gpt-5", "codex exec ", func(url string) []string {
		return []string{"OPENAI_API_KEY=" + npmKey, "OPENAI_BASE_URL=" + url + "/v1"}
	}},
	{"gemini", "gemini-2.5-flash", "gemini --yolo ", func(url string) []string {
		return []string{"GEMINI_API_KEY=" + npmKey, "GOOGLE_GEMINI_BASE_URL=" + url}
	}},
	{"opencode", "openai/gpt-4.1", "", func(url string) []string {
		return []string{"OPENAI_API_KEY=" + npmKey, "OPENAI_BASE_URL=" + url + "/v1"}
	}},
	{"copilot", "gpt-5.4", "", func(url string) []string {
		return []string{"COPILOT_PROVIDER_API_KEY=" + npmKey, "COPILOT_PROVIDER_BASE_URL=" + url + "/v1"}
	}},
}

// startOther starts the service of another agent, and stops it at the test's end.
func startOther(t testing.TB, m otherapi.Model) *otherapi.Server {
	t.Helper()
	s, err := otherapi.Start(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestNPMAgents sails with each of the other agents, which take 1.2 GB.
func TestNPMAgents(t *testing.T) {
	t.Parallel()
	for _, a := range npmAgents {
		t.Run(a.name, func(t *testing.T) {
			model := startOther(t, otherapi.Worker)
			c := newCaptain(t, append(a.env(model.URL), userCache(t))...)
			if out, _ := c.try("doctor", "--agent", a.name+"@tested"); !strings.Contains(out, "trial of "+a.name) || strings.Contains(out, "cannot sail") {
				t.Errorf("its trial says\n%s", out)
			}
			d, board, jobs := c.sailReal(a.name, a.model)
			c.checkReal(t, d, board, jobs)
		})
	}
}

// sailReal sails a small plan with two ships of a real agent from npm, whose model is on loopback. The agent does one
// task at a time, each in a turn of its own.
func (c *captain) sailReal(name, model string) (fleet.Dir, fleet.Board, []job) {
	c.Helper()
	jobs := []job{{id: "1", subject: "Lay the keel", run: "echo keel >keel"}}
	for i := 2; i <= 4; i++ {
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: fmt.Sprintf("echo %d >part%d", i, i), after: []string{"1"}})
	}
	d := c.sail(c.plan(name, "", "#!/bin/bash\nset -eux\ncd ~/voyage/workspace\ntest \"$(cat part* | tr -d '\\n')\" = 234\n", jobs), "-n", "2", "--agent", name, "--model", model)
	return d, c.until(d, "over", func(b fleet.Board) bool { return b.Phase.IsOver() }), jobs
}

// checkReal checks that a voyage of a real agent went well and that its log can be read.
func (c *captain) checkReal(t *testing.T, d fleet.Dir, board fleet.Board, jobs []job) {
	t.Helper()
	checkVoyage(t, c, d, board, jobs)
	var said, ran, resumed int
	for _, s := range board.Ships {
		for _, l := range c.logLines(d, s.Name) {
			switch {
			case l.Kind == "say" && l.Text == "I look for a task." && l.Turn > 0:
				said++
			case l.Kind == "tool" && strings.Contains(l.Text, "ocaptain task claim"):
				ran++
			case l.Kind == proto.KindAgentStarted && strings.Contains(string(l.Data), `"resumed":true`):
				resumed++
			case strings.Contains(l.Text, "only-for-tests"):
				t.Errorf("the key is in the log: %s", l.Text)
			}
		}
	}
	if said < len(jobs) || ran < len(jobs) || resumed == 0 {
		t.Errorf("%d times it looked for a task, %d claims, %d resumed turns", said, ran, resumed)
	}
}

// userCache keeps packages from npm for the next test.
func userCache(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return "XDG_CACHE_HOME=" + cache
}
