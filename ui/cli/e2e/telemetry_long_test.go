//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks/eventually"
)

// TestTelemetryIsWhatWasServed sails with the real Claude Code, and kills helm while its agents work: each export counts once, the sums
// equal what the API served, and the data holds no text of prompts.
func TestTelemetryIsWhatWasServed(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("measured")
	var jobs []job
	for i := 1; i <= 4; i++ {
		run := fmt.Sprintf("touch ~/begun; while [ ! -e ~/go ]; do sleep 0.3; done; echo %d >part%d", i, i)
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: run})
	}
	plan := c.plan("measured", repo, "#!/bin/bash\ntest -e ~/voyage/workspace/part4\n", jobs)
	c.toldByModel("measured", jobs)
	d := c.sail(plan, "-n", "2", "--agent", "claude")
	m := &measured{captain: c, api: api, dir: d}
	m.logsSums(t)
	board := c.until(d, "both ships at work and measured", func(b fleet.Board) bool {
		return len(b.Ships) == 2 && m.equal() && m.has(b.Ships, "begun")
	})
	kill(c.helm())
	before := m.served()
	m.put(board.Ships, "go")
	eventually.Holds(t, "requests while helm is away", func() bool { return m.served() != before })
	c.ocaptain("status") // starts helm
	c.complete(d)
	eventually.Holds(t, "all that was served", m.equal)
	total := m.sums().Total()
	if total.Cost == 0 || total.Cost != total.RequestCost || total.Active == 0 || total.Tools == 0 {
		t.Errorf("received are %+v", total)
	}
	byTask := map[string]int64{}
	for _, r := range m.sums().By(func(k usage.Key) usage.Key { return usage.Key{Ship: k.Ship, Task: k.Task} }) {
		byTask[r.Task] += r.Totals.Tokens.All()
		if r.Ship != "ship-0" && r.Ship != "ship-1" {
			t.Errorf("a row of %q", r.Ship)
		}
	}
	t.Logf("tokens by task: %v", byTask)
	for _, j := range jobs {
		if byTask[j.id] == 0 {
			t.Errorf("task %s used nothing: %v", j.id, byTask)
		}
	}
	files, err := filepath.Glob(filepath.Join(d.Telemetry(), "otlp-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if raw, err := os.ReadFile(f); err != nil || strings.Contains(string(raw), "Build part") || strings.Contains(string(raw), "while [ ! -e") {
			t.Errorf("%s tells of contents, or %v", f, err)
		}
	}
}
