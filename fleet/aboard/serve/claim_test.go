package serve

import (
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// A claim is lost while nobody is connected; the next connection tells.
func TestTaskIsLostWhileAway(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	end := helm.Connect(dir)
	aboardtest.Fire(t, dir, agent.HookClaim, aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"}))
	if err := end(); err != nil {
		t.Fatal(err)
	}
	again := helm.Connect(dir)
	if aboardtest.Exists(shipdir.Dir(dir).Lost()) || !aboardtest.Exists(shipdir.Dir(dir).Claim()) {
		t.Error("a claim that stands is lost")
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	helm.Change(func() {
		lost := helm.Tasks["1"]
		lost.Status, lost.Owner = tasks.Pending, ""
		helm.Tasks["1"], helm.Fates = lost, map[string]proto.Fate{"1": {Why: "nothing was heard of it"}}
	})
	helm.Connect(dir)
	eventually.Holds(t, "the loss", func() bool { return aboardtest.Exists(shipdir.Dir(dir).Lost()) })
	var l shipdir.LostClaim
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Lost(), &l); err != nil || l.Epoch != 1 || !strings.Contains(l.Text, "nothing was heard of it") {
		t.Errorf("lost: %+v, %v", l, err)
	}
}
