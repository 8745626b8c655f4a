//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proctest"
)

// TestUsageIsWhatWasServed sails with the real Claude Code, kills helm and an agent on the way, and replaces a ship:
// the counted tokens equal the tokens that the API served to agents, each once.
func TestUsageIsWhatWasServed(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("project/README", "begin\n")
	repo := filepath.Join(c.home, "project")
	c.git(repo, "init", "-q")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")
	var jobs []job
	for i := 1; i <= 4; i++ {
		run := fmt.Sprintf("echo %d >part%d", i, i)
		if i <= 2 {
			run = "touch ~/begun; while [ ! -e ~/go ]; do sleep 0.3; done; " + run
		}
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: run})
	}
	plan := c.plan("usage", repo, "#!/bin/bash\ntest -e ~/voyage/workspace/part4\n", jobs)
	c.toldByModel("usage", jobs)
	d := c.sail(plan, "-n", "2", "--agent", "claude")
	served := func() (sum fleet.Usage) {
		for _, s := range api.Sessions() {
			sum = sum.Add(fleet.Usage{Messages: int64(s.Said.Answers), Tokens: agentlog.Tokens{
				Input: int64(s.Said.Input), Output: int64(s.Said.Output), CacheRead: int64(s.Said.CacheRead), CacheWrite: int64(s.Said.CacheWrite),
			}})
		}
		return sum
	}
	equal := func(b fleet.Board) bool {
		want := served()
		var ships fleet.Usage
		for _, s := range b.Ships {
			ships = ships.Add(s.Usage)
		}
		return want.Messages > 0 && b.Usage.Messages == want.Messages && b.Usage.Tokens == want.Tokens && ships.Tokens == want.Tokens && b.Usage.CostUSD > 0
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("served: %+v", served())
		}
	})
	home := func(s fleet.ShipView, file string) string {
		return filepath.Join(c.hub.State, "ships", s.Machine.Name, "home", file)
	}
	// An agent that runs a command sends no request. An agent that is killed between an answer and its transcript loses the
	// answer.
	atWork := func(b fleet.Board) bool {
		return len(b.Ships) == 2 && !slices.ContainsFunc(b.Ships, func(s fleet.ShipView) bool {
			_, err := os.Stat(home(s, "begun"))
			return err != nil
		})
	}
	before := c.until(d, "both ships at work and counted", func(b fleet.Board) bool { return atWork(b) && equal(b) })

	// Helm, agents and ships die, and all of them come back.
	kill(c.helm())
	for _, p := range proctest.With(c.home) {
		if pid, cmd, _ := strings.Cut(p, " "); strings.HasPrefix(cmd, "claude ") && strings.Contains(cmd, "--name ship-0") {
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			kill(n)
		}
	}
	for _, s := range before.Ships {
		if err := os.WriteFile(home(s, "go"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.ocaptain("status") // starts helm
	c.complete(d)
	done := c.until(d, "everything counted", equal)
	if done.Usage.Messages <= before.Usage.Messages || done.Usage.CostUSD <= before.Usage.CostUSD {
		t.Errorf("before %+v, after %+v", before.Usage, done.Usage)
	}
	logs := c.ocaptain("logs", "--ship", "0")
	if !strings.Contains(logs, "[ship-0] [Turn ") || strings.Count(logs, "[Turn 1] ") != 1 {
		t.Errorf("logs are\n%s", logs)
	}
	if out := c.ocaptain("status"); !strings.Contains(out, "tokens in") || !strings.Contains(out, "$") {
		t.Errorf("status is\n%s", out)
	}

	// The use of the old machine stays counted.
	c.ocaptain("ship", "replace", "ship-0", "-f")
	c.until(d, "the new machine counted", func(b fleet.Board) bool {
		return equal(b) && b.Usage.Messages > done.Usage.Messages
	})
}
