package voyage

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
)

// During a pause nothing is claimed and no agent is sent back to its task, also by a helm that begins meanwhile. Then all goes on.
func TestPause(t *testing.T) {
	t.Parallel()
	h, d, v, now := stoppedVoyage(t)
	hasShips(v, fleet.Afloat)
	if _, err := v.Store.Claim(t.Context(), "ship-1", "1"); err != nil {
		t.Fatal(err)
	}
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Complete })
	if err := v.Pauses.Pause(api.PauseRequest{}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("a voyage that is complete: %v", err)
	}
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
	if err := v.Pauses.Pause(api.PauseRequest{Until: time.Now().Add(-time.Second)}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("a pause that is over: %v", err)
	}
	if err := v.Pauses.Pause(api.PauseRequest{}); err != nil {
		t.Fatal(err)
	}
	h.forget(v)
	v = openStill(t, h, d)
	free, _ := fakeShip(t, v, "ship-0")
	holds, _ := fakeShip(t, v, "ship-1")
	for _, s := range []*Ship{free, holds} {
		if got := s.asksAt(now); got.Act != "" {
			t.Errorf("%s is told to %s", s.Name, got.Act)
		}
	}
	if _, err := free.grantClaim(t.Context(), proto.ClaimRequest{}); !errors.Is(err, ship.ErrPaused) {
		t.Errorf("it claims: %v", err)
	}
	if b := v.Board(); b.Pause == nil || b.Paused(time.Now()) != "paused by you" {
		t.Errorf("the board shows %+v", b.Pause)
	}
	if _, err := v.Pauses.Unpause(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Pauses.Unpause(nil); !errors.Is(err, api.ErrRefused) {
		t.Errorf("it is ended twice: %v", err)
	}
	if a, b := free.asksAt(now), holds.asksAt(now); a.Act != proto.ActClaim || b.Act != proto.ActContinue {
		t.Errorf("after the pause they are told to %s and %s", a.Act, b.Act)
	}
}

// A pool whose budget is spent takes no dispatch, as a worker would be made that begins nothing.
func TestDispatchWithoutBudget(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d, base := newPool(t, hub, "")
	v := openStill(t, startHelm(t, hub), d)
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
	v.Guards.MaxCost = 1
	v.Spending.Spend("kite-1", 0, time.Now(), costing(2))
	if _, err := v.Dispatcher.Dispatch(t.Context(), order(base, "echo", 1)); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "$2.00 of $1.00") {
		t.Errorf("dispatch: %v", err)
	}
	v.Guards.MaxCost = 0
	if err := v.Pauses.Pause(api.PauseRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Dispatcher.Dispatch(t.Context(), order(base, "echo", 1)); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "is paused by you") {
		t.Errorf("dispatch to a paused pool: %v", err)
	}
	if n := len(v.Store.Snapshot().Tasks); n != 0 {
		t.Errorf("%d dispatches wait", n)
	}
}

// A pause of one ship leaves the others alone, and lasts over a restart of helm. It ends apart from that of the voyage.
func TestPauseOfShip(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	hasShips(v, fleet.Afloat, fleet.Afloat, fleet.Failed)
	one, _ := fakeShip(t, v, "ship-0")
	other, _ := fakeShip(t, v, "ship-1")
	if err := v.Pauses.Pause(api.PauseRequest{Ships: []string{"ship-0", "ship-9"}}); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("a ship that there is not: %v", err)
	}
	if err := v.Pauses.Pause(api.PauseRequest{Ships: []string{"ship-2"}}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("a ship that has failed: %v", err)
	}
	if err := v.Pauses.Pause(api.PauseRequest{Ships: []string{"ship-0"}}); err != nil {
		t.Fatal(err)
	}
	if got := one.asksAt(now); got.Act != "" {
		t.Errorf("the paused ship is told to %s", got.Act)
	}
	if _, err := one.grantClaim(t.Context(), proto.ClaimRequest{}); !errors.Is(err, ship.ErrPaused) {
		t.Errorf("it claims: %v", err)
	}
	if got := other.asksAt(now); got.Act != proto.ActClaim {
		t.Errorf("the other ship is told to %s", got.Act)
	}
	if again, err := saved.Replay(v.Dir); err != nil || again.Spending.Pauses["ship-0"] == nil || again.Spending.Pauses[""] != nil {
		t.Errorf("a new helm knows %v, %v", again.Spending.Pauses, err)
	}
	if err := v.Pauses.Pause(api.PauseRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Pauses.Unpause([]string{"ship-0"}); err != nil {
		t.Fatal(err)
	}
	if got := one.asksAt(now); got.Act != "" {
		t.Errorf("the voyage is paused, and the ship told to %s", got.Act)
	}
	if _, err := v.Pauses.Unpause([]string{"ship-0"}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("it is ended twice: %v", err)
	}
}

// hasShips gives a voyage idle ships in these phases.
func hasShips(v *Voyage, phases ...fleet.ShipPhase) {
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) {
		for i, phase := range phases {
			f.Ships = append(f.Ships, &fleet.Ship{Name: fmt.Sprint("ship-", i), Role: fleet.Worker, Agent: "claude", Provider: "local", Phase: phase})
		}
	})
}

// A ship can be paused before it is there. It then begins nothing, and what it is shown as says so from the beginning.
func TestPauseOfShipToCome(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	hasShips(v, fleet.Provisioning, fleet.Planned)
	if err := v.Pauses.Pause(api.PauseRequest{Ships: []string{"ship-0", "ship-1"}}); err != nil {
		t.Fatal(err)
	}
	for _, s := range v.Board().Ships {
		if s.Pause == nil || s.Status.Word != fleet.Provision || !strings.HasSuffix(s.Status.Reason, "paused by you") {
			t.Errorf("%s is shown as %+v, %+v", s.Name, s.Status, s.Pause)
		}
	}
	s, _ := fakeShip(t, v, "ship-0")
	if _, err := s.grantClaim(t.Context(), proto.ClaimRequest{}); !errors.Is(err, ship.ErrPaused) {
		t.Errorf("it claims: %v", err)
	}
	if _, err := v.Pauses.Unpause([]string{"ship-0", "ship-1"}); err != nil || s.asksAt(now).Act != proto.ActClaim {
		t.Errorf("it does not go on: %v", err)
	}
}

// A ship that costs too much within an hour begins nothing until it is less; others go on.
func TestMaxRate(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	v.Guards.MaxRate = 3
	dear, _ := fakeShip(t, v, "ship-0")
	cheap, _ := fakeShip(t, v, "ship-1")
	costs := func(s *Ship, usd float64, at time.Time) {
		data, err := json.Marshal(proto.Usage{CostUSD: usd})
		if err != nil {
			t.Fatal(err)
		}
		changes(v, func() { s.takeUsage(fleet.LogLine{At: at, Journal: "j", Data: data}) })
	}
	began := time.Now()
	costs(dear, 2, began.Add(-2*time.Hour)) // which helm learns of late
	costs(dear, 4, began.Add(-50*time.Minute))
	costs(cheap, 2.9, began)
	if dear.asksAt(began).Act != proto.ActClaim {
		t.Error("$2 of $3 hold it back")
	}
	if costs(dear, 5, began); dear.asksAt(began).Act != "" || cheap.asksAt(now).Act != proto.ActClaim {
		t.Error("it goes on, or the cheap ship does not")
	}
	if b := v.Board(); b.Notes == nil || !strings.Contains(b.Notes[len(b.Notes)-1].Text, "cost $3.00 within an hour, and may cost $3.00") {
		t.Errorf("the captain is told %+v", b.Notes)
	}
	if v.Pauses.Look(began.Add(11 * time.Minute)); dear.asksAt(began.Add(11*time.Minute)).Act != proto.ActClaim {
		t.Error("it does not go on when it is less")
	}
}
