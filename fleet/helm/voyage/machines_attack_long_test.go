//go:build long

package voyage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// forgettingSeeds are those of the captain who leaves in the middle.
var forgettingSeeds = []uint64{0, 1}

// TestNoMachineIsForgotten has a captain sail, add, remove, replace, sink and sweep at random, and leave in the middle, while
// helm is killed and the service lies about machines that come and go. By the service's own list, status or sweep shows every
// machine at any time, and in the end no unwanted machine is rented.
func TestNoMachineIsForgotten(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"sprites", "exedev"} {
		for _, seed := range forgettingSeeds {
			r := newRealHelm(t)
			a := &forgetting{killing: &killing{realHelm: r, service: service}, dice: rand.New(rand.NewPCG(seed, 7))}
			switch service {
			case "sprites":
				f := helmtest.Sprites(t)
				helmtest.AtSprites(t, f, r.hub)
				a.machines, a.forgive = f.Names, f.Forgive
				a.lies = lieAtSprites(f)
			case "exedev":
				f := helmtest.Exe(t)
				helmtest.AtExe(t, f, r.hub)
				a.machines, a.forgive = f.Machines, f.Forgive
				a.lies = lieAtExe(f)
			}
			a.run(t, seed)
		}
	}
}

func lieAtSprites(f *spritestest.Fake) []func() {
	const all, one = "/v1/sprites", "/v1/sprites/*"
	var lies []func()
	for _, fault := range []spritestest.Fault{
		{Method: "GET", Path: one, Misdeed: spritestest.Miss},
		{Method: "GET", Path: all, Misdeed: spritestest.Miss},
		{Method: "POST", Path: all, Misdeed: spritestest.Deny},
		{Method: "POST", Path: all, Misdeed: spritestest.Break},
		{Method: "DELETE", Path: one, Misdeed: spritestest.Deny},
		{Method: "DELETE", Path: one, Misdeed: spritestest.Claim},
		{Method: "DELETE", Path: one, Misdeed: spritestest.LoseAnswer},
		{Method: "DELETE", Path: one, Misdeed: spritestest.Refuse},
	} {
		fault.Times = 1
		lies = append(lies, func() { f.Plan(fault) })
	}
	return lies
}

func lieAtExe(f *exedevtest.Fake) []func() {
	var lies []func()
	for command, faults := range map[string][]exedevtest.Fault{
		"ls":  {exedevtest.Lacks, exedevtest.Lags},
		"new": {exedevtest.Denied, exedevtest.Unseen, exedevtest.Lost},
		"rm":  {exedevtest.Denied, exedevtest.Claimed, exedevtest.Lost, exedevtest.Broken},
	} {
		for _, fault := range faults {
			lies = append(lies, func() { f.Misbehave(command, fault) })
		}
	}
	return lies
}

// forgetting is one captain's bad day.
type forgetting struct {
	*killing
	dice    *rand.Rand
	lies    []func()
	forgive func() // ends all lies
}

func (a *forgetting) run(t *testing.T, seed uint64) {
	a.d = helmtest.Voyage(t, a.hub, fleet.Voyage{Provider: a.service}, "#!/bin/sh\n")
	a.start()
	_ = a.client.Sail(t.Context(), a.d.ID(), api.SailRequest{Ships: 2}, nil)
	for n := range 5 {
		for range a.dice.IntN(3) {
			a.lies[a.dice.IntN(len(a.lies))]()
		}
		what := a.act(t.Context())
		for _, name := range a.machines() {
			if !a.told(name) {
				t.Fatalf("%s, seed %d: after %s, which is act %d, nobody tells of %s", a.service, seed, what, n, name)
			}
		}
	}
	a.forgive()
	ctx := eventually.Context(t)
	if err := a.client.Sink(ctx, a.d.ID(), nil); err != nil {
		t.Errorf("%s, seed %d: sink: %v", a.service, seed, err)
	}
	a.sweep(ctx)
	eventually.Succeeds(t, "nothing is on record", func() error {
		all, err := machines.Of(a.hub).All()
		if err == nil && len(all) > 0 {
			err = fmt.Errorf("%+v", all)
		}
		return err
	})
	if left, _ := filepath.Glob(filepath.Join(a.hub.State, "exedev", "*.json")); len(left) > 0 {
		t.Errorf("seed %d: remembered still are %q", seed, left)
	}
	if left := a.machines(); len(left) > 0 {
		t.Errorf("%s, seed %d: left are %q", a.service, seed, left)
	}
}

// act does something, and leaves in the middle as often as not.
func (a *forgetting) act(ctx context.Context) string {
	if a.dice.IntN(2) == 0 {
		ctx = eventually.Brief(a, time.Duration(a.dice.IntN(1500))*time.Millisecond)
	}
	id := a.d.ID()
	ship := []string{"ship-0", "ship-1", "ship-2"}[a.dice.IntN(3)]
	switch a.dice.IntN(5) {
	case 0:
		_ = a.client.AddShips(ctx, id, api.AddRequest{Ships: 1}, nil)
		return "add"
	case 1:
		_ = a.client.RemoveShip(ctx, id, ship, nil)
		return "rm"
	case 2:
		_ = a.client.ReplaceShip(ctx, id, ship, nil)
		return "replace"
	case 3:
		a.sweep(ctx)
		return "sweep"
	}
	_ = syscall.Kill(a.cmd.Process.Pid, syscall.SIGKILL)
	<-a.ended
	a.start()
	return "a kill of helm"
}

// sweep destroys what no voyage has.
func (a *forgetting) sweep(ctx context.Context) {
	found, err := a.client.Orphans(ctx, nil, nil)
	if err != nil {
		return
	}
	r := api.SweepRequest{Sure: true, Lose: true}
	for _, o := range found.Orphans {
		r.Machines = append(r.Machines, api.Target(o))
	}
	_ = a.client.Sweep(ctx, r, nil)
}

// told reports whether status, sweep or doctor tells of a machine, or it is gone by now.
func (a *forgetting) told(name string) bool {
	for range 3 { // it may come and go while each is asked
		if f, err := fleet.LoadFleet(a.d); err == nil && slices.ContainsFunc(f.Ships, func(s *fleet.Ship) bool {
			return s.IsOut() && strings.HasPrefix(name, s.MachineName(a.d.ID()))
		}) {
			return true
		}
		c := install.Count(context.Background(), a.hub, describe.Settings{})
		if slices.ContainsFunc(c.Orphans, func(o machines.Orphan) bool { return strings.HasPrefix(name, o.Name) }) || !slices.Contains(a.machines(), name) {
			return true
		}
	}
	return false
}
