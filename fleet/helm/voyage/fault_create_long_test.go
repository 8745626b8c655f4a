//go:build long

package voyage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestOneCreateFails has room for two ships of three: the voyage sails with those, says what is
// wrong with the third and what to do, and nothing is left of that. When there is room it is had.
func TestOneCreateFails(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	f := farAway(t, hub, spritestest.Options{Running: 3})
	f.Add("of-somebody-else")
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"), task("2", "echo 2 >two"), task("3", "echo 3 >three"))
	moor(t, d, "sprites")
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
	v.tells(t, append(why, "ocaptain ship replace "+failed+" --voyage "+v.dir.ID())...)
	accepted(t, v)
	f.Remove("of-somebody-else")
	if err := v.Fit.Replace(context.Background(), failed, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	aftermath(t, h, d, f.Names)
}

// TestTwoLaptopsOneHome has two hubs with one account at each service. Neither sees, uses or destroys
// what the other has, also when it sinks a voyage whose directory it has lost the content of.
func TestTwoLaptopsOneHome(t *testing.T) {
	t.Parallel()
	exe, _ := atExe(t, newHub(t), exedevtest.Config{})
	var helms []*Set
	var far *spritestest.Fake
	voyages := map[*Set][]fleet.Dir{}
	for range 2 {
		hub := newHub(t)
		newExeToken(t, hub, exe)
		if far == nil {
			far = farAway(t, hub, spritestest.Options{})
		}
		atSprites(t, far, hub)
		h := startHelm(t, hub)
		helms = append(helms, h)
		for _, place := range []string{"sprites", "exedev"} {
			d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"))
			moor(t, d, place)
			openIt(t, h, d).sets(t, 1)
			voyages[h] = append(voyages[h], d)
		}
	}
	mine, theirs := helms[0], helms[1]
	all := func() []string { return append(far.Names(), exe.Machines()...) }
	if len(all()) != 4 {
		t.Fatalf("there are %s", all())
	}
	for _, d := range voyages[mine] {
		v := openIt(t, mine, d)
		accepted(t, v)
		for _, other := range voyages[theirs] {
			// A directory from there, as of one home on two laptops.
			copied := fleet.Dir(filepath.Join(mine.Hub.Voyages, other.ID()))
			f, err := fleet.LoadFleet(other)
			if err == nil {
				err = os.MkdirAll(string(copied), 0o755)
			}
			if err == nil {
				err = f.Save(copied)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := mine.sinkDamaged(copied, func(api.Progress) {}); err != nil {
				t.Errorf("sink of another's: %v", err)
			}
			_ = os.RemoveAll(string(copied))
		}
		aftermath(t, mine, d, func() (left []string) {
			for _, name := range all() {
				if strings.HasPrefix(name, d.ID()) {
					left = append(left, name)
				}
			}
			return left
		})
	}
	if len(all()) != 2 {
		t.Errorf("the other laptop has %s", all())
	}
	for _, d := range voyages[theirs] {
		aftermath(t, theirs, d, func() []string { return nil })
	}
	if len(all()) > 0 {
		t.Errorf("left: %s", all())
	}
}

// TestCreateTimesOut has three orders for a machine come to nothing visible: one is carried out
// late, one fails after it was carried out, and the answer to one is lost. Each makes one machine.
func TestCreateTimesOut(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	f, _ := atExe(t, hub, exedevtest.Config{})
	f.Misbehave("new", exedevtest.Late, exedevtest.Unseen, exedevtest.Lost)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"))
	moor(t, d, "exedev")
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
