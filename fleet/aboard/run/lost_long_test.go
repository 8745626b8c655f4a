//go:build long

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// The real Claude Code works on a task that its ship loses: it is interrupted, told why, and goes on with another
// task.
func TestRealClaudeLosesItsTask(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	helm := aboardtest.NewHelm(t, job("1", "echo begun > begun; sleep 300"), job("2", "echo two > two"))
	helm.Verdict = helm.UntilDone
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "work", func() bool {
		_, err := os.Stat(filepath.Join(dir, "voyage", "workspace", "begun"))
		return err == nil
	})
	helm.TakeBack("1", proto.Fate{Why: "requeued by the captain: wrong", Kept: "refs/ocaptain/parked/ship-0/x"})
	eventually.Holds(t, "task 2", func() bool {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		return helm.Tasks["2"].Status == tasks.Completed
	})
	eventually.Holds(t, "the message", func() bool {
		for _, m := range api.Sessions()[0].Last.Messages {
			for _, p := range m.Parts {
				if p.Type == "text" && strings.Contains(p.Text, aboardtest.TakenBack) && strings.Contains(p.Text, "refs/ocaptain/parked/ship-0/x") {
					return true
				}
			}
		}
		return false
	})
	if aboardtest.Exists(shipdir.Dir(dir).Lost()) || aboardtest.Exists(shipdir.Dir(dir).Claim()) {
		t.Error("what is over is still on file")
	}
}
