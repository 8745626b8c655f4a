package script

import (
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// When the ship loses its task, the command of the script agent is ended. That does not count as a failure of the
// task.
func TestScriptLosesItsTask(t *testing.T) {
	dir := scriptShip(t)
	helm := aboardtest.NewHelm(t, scripted1("1", "echo begun; sleep 300"), scripted1("2", "true"))
	helm.Verdict = helm.UntilDone
	helm.Connect(dir)
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), dir, &strings.Builder{}) }()
	eventually.Holds(t, "the command", func() bool { return helm.Logged("begun") == 1 })
	helm.TakeBack("1", proto.Fate{Why: "requeued by the captain: wrong"})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	helm.Mu.Lock()
	defer helm.Mu.Unlock()
	if helm.Tasks["2"].Status != tasks.Completed || len(helm.Releases) != 0 {
		t.Errorf("task 2 is %s; releases are %+v", helm.Tasks["2"].Status, helm.Releases)
	}
}
