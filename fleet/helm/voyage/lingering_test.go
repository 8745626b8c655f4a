package voyage

import (
	"context"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// lingers is why the ship's machine is still there, as the board tells it.
func lingers(v *Voyage, ship string) string {
	for _, s := range v.Board().Ships {
		if s.Name == ship {
			return s.Status.Reason
		}
	}
	return ""
}

// TestSinkGoesOn sinks a voyage while sprites.dev carries out nothing: the status says why, and the next helm
// goes on until all is gone, also without a caller.
func TestSinkGoesOn(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	far := helmtest.Sprites(t)
	helmtest.AtSprites(t, far, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n")
	first := startHelm(t, hub)
	v := sailFar(t, first, d, 1)
	far.Plan(spritestest.Fault{Method: "DELETE", Times: 1000, Misdeed: spritestest.Refuse})
	go func() { _ = v.Fit.Sink(first.ctx, func(api.Progress) {}) }()
	eventually.Holds(t, "the status says why", func() bool {
		return strings.Contains(lingers(v, "ship-0"), fleet.UntilGone+": ") && strings.Contains(lingers(v, "ship-0"), "503")
	})
	told := make(chan api.Progress, 9)
	go func() { _ = v.Fit.Sink(first.ctx, func(p api.Progress) { told <- p }) }()
	if p, q := <-told, <-told; p.State != api.StepNote || q.Ship != "ship-0" || !strings.Contains(q.Text, "503") {
		t.Errorf("a second sink is told %+v, %+v", p, q)
	}
	first.Close()
	if b, err := fleet.LoadBoard(d); err != nil || b.Phase != fleet.Sinking || !strings.Contains(b.Ships[0].Status.Reason, "503") {
		t.Errorf("on disk: %+v, %v", b.Ships, err)
	}
	if len(far.Names()) != 1 {
		t.Fatalf("sprites: %q", far.Names())
	}
	openIt(t, startHelm(t, hub), d)
	far.Forgive()
	eventually.Holds(t, "it is gone", func() bool { return len(far.Names()) == 0 })
	eventually.Holds(t, "sunk", func() bool { f, err := fleet.LoadFleet(d); return err == nil && f.Phase == fleet.Sunk })
	helmtest.NoRecords(t, hub)
}

// TestFailedShipIsDestroyedInTheEnd has a ship fail whose machine cannot be destroyed then: helm goes on, and
// says so.
func TestFailedShipIsDestroyedInTheEnd(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	far := helmtest.Sprites(t)
	helmtest.AtSprites(t, far, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n")
	first := startHelm(t, hub)
	v := openIt(t, first, d)
	far.Plan(spritestest.Fault{Method: "PUT", Path: "/v1/sprites/*/fs/write", Times: 1000, Misdeed: spritestest.Forbid})
	far.Plan(spritestest.Fault{Method: "DELETE", Times: 1000, Misdeed: spritestest.Refuse})
	err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {})
	if err == nil || !strings.Contains(err.Error(), fleet.UntilGone) {
		t.Fatalf("sail: %v", err)
	}
	if why := lingers(v, "ship-0"); !strings.Contains(why, "its machine may still be there; "+fleet.UntilGone) {
		t.Errorf("status: %s", why)
	}
	if all := machines.Of(hub).Count(""); len(all) != 1 || all[0].Recorded != 1 {
		t.Errorf("on record: %+v", all)
	}
	first.Close()
	h := startHelm(t, hub)
	sinkAfter(t, h, d)
	priced := fleet.Guards{Prices: map[string]float64{"sprites": 0.5}}
	if f, err := fleet.LoadFleet(d); err != nil || priced.AddUp(time.Now(), &f).Hour != 0.5 {
		t.Errorf("the bill says nothing of it: %+v, %v", f, err)
	}
	openIt(t, h, d)
	if err := h.Machines.Resume(); err != nil {
		t.Fatal(err)
	}
	far.Forgive()
	eventually.Holds(t, "it is gone", func() bool { return len(far.Names()) == 0 })
	v = openIt(t, h, d)
	eventually.Holds(t, "the status says so", func() bool {
		why := lingers(v, "ship-0")
		return why != "" && !strings.Contains(why, "may still be there")
	})
	if bill := priced.AddUp(time.Now(), v.Roster.Now()); bill.Hour != 0 || bill.SoFar <= 0 || len(machines.Of(hub).Count("")) > 0 {
		t.Errorf("afterwards: %+v, on record %+v", bill, machines.Of(hub).Count(""))
	}
	helmtest.NoRecords(t, hub)
}
