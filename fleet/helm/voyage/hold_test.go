package voyage

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/tasks/eventually"
)

// TestOnHold has a task fail once too often: it is on hold, the captain reads why, and when he has mended the cause and
// requeued it, it is done.
func TestOnHold(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "test -e ~/gate || { echo no key >&2; exit 3; }; echo 1 >one"))
	h := startHelm(t, hub)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	for range v.Kind.Tries() - 1 {
		v.Records.Failed(facts.Work, "1")
	}
	v.sets(t, 1)
	eventually.Holds(t, "task 1 is on hold", func() bool { return v.Store.Snapshot().Task("1").OnHold })
	v.tells(t, "is on hold; fix the cause, then: ocaptain requeue 1 --voyage "+d.ID(), "no key")
	b := v.Board()
	if all := need.All(time.Now(), &b, need.Away{}); len(all) != 1 || all[0].Kind != fleet.NeedHold || all[0].Task != "1" || !strings.Contains(all[0].Why, "no key") || !b.IsStuck() {
		t.Errorf("what is needed: %+v, and stuck is %v", all, b.IsStuck())
	}
	openGates(t, hub.Home)
	if was, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil || was != (api.Requeued{OnHold: true}) {
		t.Errorf("requeued: %+v, %v", was, err)
	}
	eventually.Holds(t, "the voyage is complete", v.is(fleet.Complete))
	b = v.Board()
	if all := need.All(time.Now(), &b, need.Away{}); len(all) != 0 || b.IsStuck() {
		t.Errorf("at the end it needs %+v, and stuck is %v", all, b.IsStuck())
	}
}
