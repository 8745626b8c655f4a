package voyages

import (
	"fmt"
	gosync "sync"
	"sync/atomic"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// limited is a provider that allows 5 machines.
type limited struct{ provider.Provider }

func (limited) Limits() provider.Limits { return provider.Limits{Machines: 5} }

// Voyages that plan ships at the same time together plan no more than their provider allows beside the machines on record.
func TestLimitOfAllVoyages(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := newSet(t, hub)
	h.Providers["hosts"] = limited{h.Providers["local"]}
	for name, gone := range map[string]bool{"there": false, "gone": true} { // one more may be there still
		if err := h.Machines.Put(machines.Record{ID: machines.ID{Provider: "hosts", Name: name}, Gone: gone}); err != nil {
			t.Fatal(err)
		}
	}
	var all gosync.WaitGroup
	var planned atomic.Int64
	begin := make(chan struct{})
	for i := range 8 {
		v := openStill(t, h, helmtest.Voyage(t, hub, fleet.Voyage{Name: fmt.Sprintf("v%d", i), Provider: "hosts"}, ""))
		for range 2 {
			all.Go(func() {
				<-begin
				if v.Fit.Plan("hosts", 1, "", "") == nil {
					planned.Add(1)
				}
			})
		}
	}
	close(begin)
	all.Wait()
	if n := planned.Load(); n != 4 {
		t.Errorf("%d ships are planned beside a machine", n)
	}
}
