//go:build long

package helm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// stubborn is a provider that is down when it is first asked to destroy something.
type stubborn struct {
	provider.Provider
	asked atomic.Int32
}

func (s *stubborn) Destroy(ctx context.Context, name string) error {
	if s.asked.Add(1) == 1 {
		return errors.New("the service is down")
	}
	return s.Provider.Destroy(ctx, name)
}

// TestOldShips has two ships grow old: helm sinks the resting ship, though its provider is down at first, and the working ship when
// its task is merged. Neither gets another task.
func TestOldShips(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	here, err := LocalProvider(hub, program, Places{})
	if err != nil {
		t.Fatal(err)
	}
	h.providers["local"] = h.machines.Use(&stubborn{Provider: here})
	ahead := clocked(h)
	info := fleet.Voyage{CreatedAt: time.Now(), Guards: fleet.Guards{MaxAge: 8 * time.Hour, SinkOld: true, Prices: map[string]float64{"local": 0.5}}}
	d := newVoyage(t, hub, info, "#!/bin/sh\n",
		task("1", "while [ ! -e ~/go ]; do sleep 0.3; done; echo 1 >one"), after(task("2", "echo 2 >two"), "1"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "work", func() bool { return v.store.Snapshot().Task("1").Status == tasks.InProgress })
	worker := v.store.Snapshot().Task("1").Owner
	v.keepWatch(time.Now(), time.Second)
	if got := v.out(); got != "ship-0 ship-1" {
		t.Fatalf("young ships: %s are left", got)
	}
	ahead(8760 * time.Hour) // a wrong clock, in which all of them are old
	v.aged(8760 * time.Hour)
	v.keepWatch(time.Now(), time.Second)
	v.mu.Lock()
	if v.guarding || v.ships["ship-0"].barred(time.Now()) != nil {
		t.Error("the clock has jumped, and ships are sunk for it")
	}
	v.mu.Unlock()
	eventually.Holds(t, "the captain is told", func() bool { return v.told("the clock has jumped by 8760h: nobody is sunk for age") })
	v.aged(-8760 * time.Hour)
	ahead(-8760 * time.Hour)
	v.aged(9 * time.Hour)
	v.looking(t, "the ship that rests is sunk", func() bool { return v.out() == worker })
	if !v.told("could not be sunk (older than 8h), and may cost on; " + fleet.UntilGone + ": ") {
		t.Errorf("nobody is told that a ship could not be sunk: %+v", v.currentBoard().Notes)
	}
	b := v.currentBoard()
	if !strings.Contains(b.Ships[0].Guard, "older than 8h: it is sunk when its task is done") || !strings.Contains(b.Guard, "older than 8h") {
		t.Errorf("the captain reads %q and %q", b.Ships[0].Guard, b.Guard)
	}
	if !b.Ships[0].Costs || b.Bill.Hour != 0.5 || b.Bill.SoFar < 9 || b.Bill.SoFar > 9.1 { // two ships, nine hours each
		t.Errorf("bill: %+v", b.Bill)
	}
	if err := os.WriteFile(filepath.Join(b.Ships[0].Home, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	v.looking(t, "the other is sunk, too", func() bool { return v.out() == "" })
	none(t, h, d)
	if one, two := v.store.Snapshot().Task("1"), v.store.Snapshot().Task("2"); one.Status != tasks.Completed || two.Status != tasks.Pending {
		t.Errorf("task 1 is %s, task 2 %s", one.Status, two.Status)
	}
	if b := v.currentBoard(); b.Phase != fleet.Sailing || b.Guard != "" || !v.told(worker+": was sunk, with its work merged: older than 8h") {
		t.Errorf("afterwards: %s, %q, %+v", b.Phase, b.Guard, b.Notes)
	}
}
