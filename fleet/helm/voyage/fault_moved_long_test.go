//go:build long

package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks/eventually"
)

// TestMachineMoves has exe.dev tell another address of a ship's machine in the middle of its work. Another
// ship gets the address that it had, and at last it stands behind the gateway, which shows a host key of its own: of that
// the captain reads. Each time the ship goes on by itself, with the claim that it had.
func TestMachineMoves(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f, _ := atExe(t, hub, exedevtest.Config{})
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "exedev"}, "#!/bin/sh\n", gated("1", "echo 1 >one"), gated("2", "echo 2 >two"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 2)
	claims := map[string]uint64{}
	for _, ship := range []string{"ship-0", "ship-1"} {
		claim := v.works(t, ship)
		claims[claim.ID] = claim.Epoch
	}
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	name, other := f.Machines()[0], f.Machines()[1]
	if s.Record().Machine.Addr != name+".exe.xyz:22" {
		name, other = other, name
	}
	connected := func() (since time.Time, is bool) {
		var known resolve.Known
		s.Reach.Show(&known)
		return known.LinkSince, known.Connected && s.Reach.Conn() != nil
	}
	goesOn := func(where string, moves func()) {
		t.Helper()
		before, _ := connected()
		moves()
		eventually.Holds(t, "it goes on "+where, func() bool {
			since, is := connected()
			return is && since.After(before)
		})
	}
	goesOn("at another address", func() { f.Move(name, "one.lax.exe.xyz") })
	goesOn("at a third one", func() { f.Move(name, "two.lax.exe.xyz") })
	goesOn("although another ship is where it was", func() { f.Move(other, "one.lax.exe.xyz") })
	f.Move(name, "")
	v.says(t, "ship-0", fleet.Unreachable, "host key changed")
	goesOn("when it has an address of its own again", func() { f.Move(name, "one.lax.exe.xyz") })
	openGates(t, f.Root())
	aftermath(t, h, d, f.Machines)
	for id, epoch := range claims {
		if now := v.Store.Snapshot().Task(id); now.Epoch != epoch {
			t.Errorf("task %s was claimed again: epoch %d, then %d", id, epoch, now.Epoch)
		}
	}
}
