//go:build long

package voyage

import (
	"context"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestOneCreateFails has room for two ships of three: the voyage sails with those, says what is
// wrong with the third and what to do, and nothing is left of that. When there is room it is had.
func TestOneCreateFails(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f := farAway(t, hub, spritestest.Options{Running: 3})
	f.Add("of-somebody-else")
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"), helmtest.Task("2", "echo 2 >two"), helmtest.Task("3", "echo 3 >three"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 3)
	why := []string{"runs as many sprites as it may", "sink some, or ask for fewer ships"}
	failed := ""
	for _, s := range v.Board().Ships {
		if s.Phase == fleet.Failed {
			failed = s.Name
		}
	}
	if failed == "" || len(f.Names()) != 3 {
		t.Fatalf("failed is %q, and there are %s", failed, f.Names())
	}
	v.says(t, failed, fleet.Errored, why...)
	v.tells(t, append(why, "ocaptain ship replace "+failed+" --voyage "+v.Dir.ID())...)
	accepted(t, v)
	f.Remove("of-somebody-else")
	if err := v.Fit.Replace(context.Background(), failed, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	aftermath(t, h, d, f.Names)
}

// TestCreateTimesOut has three orders for a machine come to nothing visible: one is carried out
// late, one fails after it was carried out, and the answer to one is lost. Each makes one machine.
func TestCreateTimesOut(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f, _ := atExe(t, hub, exedevtest.Config{})
	f.Misbehave("new", exedevtest.Late, exedevtest.Unseen, exedevtest.Lost)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "exedev"}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 3)
	if all := f.Machines(); len(all) != 3 {
		t.Errorf("machines: %s", all)
	}
	for _, s := range v.Board().Ships {
		if s.Phase != fleet.Afloat {
			t.Errorf("%s is %s: %s", s.Name, s.Phase, s.Error)
		}
	}
	aftermath(t, h, d, f.Machines)
}
