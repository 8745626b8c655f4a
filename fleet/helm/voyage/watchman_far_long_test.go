//go:build long

package voyage

import (
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestVerifiedSpritesAreSunk has a voyage on sprites.dev end by itself when it is verified, with the
// service down at first: no sprite is left.
func TestVerifiedSpritesAreSunk(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f := farAway(t, hub, spritestest.Options{})
	f.Plan(spritestest.Fault{Method: "DELETE", Times: 1, Misdeed: spritestest.Refuse})
	info := fleet.Voyage{Provider: "sprites", Guards: fleet.Guards{SinkVerified: true, Prices: map[string]float64{"sprites": 0.5}}}
	d := helmtest.Voyage(t, hub, info, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 2)
	accepted(t, v)
	v.looking(t, "all is sunk", v.is(fleet.Sunk))
	v.tells(t, "was sunk, with its work merged: the voyage is verified")
	if b := v.Board().Bill; b.Hour != 0 || b.SoFar <= 0 {
		t.Errorf("bill: %+v", b)
	}
	h.forget(v)
	sunk(t, h, d, f.Names)
}

// TestOldMachinesAreSunk has ships on exe.dev get older than a few seconds: they are sunk by themselves,
// with the work that they had begun merged.
func TestOldMachinesAreSunk(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f, _ := atExe(t, hub, exedevtest.Config{})
	const age = 6 * time.Second
	info := fleet.Voyage{Provider: "exedev", CreatedAt: time.Now(), Guards: fleet.Guards{MaxAge: age, SinkOld: true}}
	d := helmtest.Voyage(t, hub, info, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	h := startHelm(t, hub)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	v.sets(t, 2)
	v.looking(t, "all are sunk", func() bool { return v.out() == "" })
	if left := f.Machines(); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
	v.tells(t, "was sunk, with its work merged: older than 6s")
	if gone, err := fleet.LoadFleet(d); err != nil || gone.Gone["exedev"] < 2*age {
		t.Errorf("two machines lasted %s, %v", gone.Gone["exedev"], err)
	}
	if s := v.Store.Snapshot().Task("1"); s.Owner != "" && !slices.Contains([]string{"completed", "pending"}, string(s.Status)) {
		t.Errorf("its task is %s", s.Status)
	}
	helmtest.NoRecords(t, hub)
}
