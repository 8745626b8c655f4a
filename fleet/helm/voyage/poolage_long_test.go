//go:build long

package voyage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestPoolAges has a worker grow old while it works: it costs, it gets no new work, and it is sunk when its work is home. The waiting
// dispatch says so, and a new worker does it.
func TestPoolAges(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	clocked(h) // a clock that is trusted
	guards := fleet.Guards{MaxAge: 8 * time.Hour, SinkOld: true, IdleWarning: 30 * time.Minute, Prices: map[string]float64{"local": 0.5}}
	d := helmtest.Voyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", CreatedAt: time.Now(), Guards: guards}, "")
	sinkAfter(t, h, d)
	base := git(t, d, "rev-parse", "HEAD")
	v := openIt(t, h, d)
	v.puts(t, order(base, "while [ ! -e ~/go ]; do sleep 0.3; done; echo 1 >one", 1))
	eventually.Holds(t, "it works", func() bool { return v.state("1").Status == tasks.InProgress })
	v.aged(9 * time.Hour)
	v.puts(t, order(base, "echo 2 >two", 1))
	v.looking(t, "the captain reads that it is old", func() bool { return strings.Contains(v.Board().Ships[0].Guard, "older than 8h") })
	if b := v.Board(); v.out() != "kite-1" || b.Bill.Hour != 0.5 || b.Bill.SoFar < 4.5 || b.Bill.SoFar > 4.6 {
		t.Errorf("%s are left, bill %+v", v.out(), b.Bill)
	}
	writeFile(t, homeOf(t, v, "kite-1"), "go", "")
	v.looking(t, "it is sunk when its work is home", func() bool { return v.out() == "" })
	if !v.done("1")() || v.state("2").Status != tasks.Pending {
		t.Errorf("dispatch 1 is %s, 2 is %s", v.state("1").Status, v.state("2").Status)
	}
	eventually.Holds(t, "the captain is told that a dispatch waits", func() bool {
		b := v.Board()
		return slices.ContainsFunc(need.All(time.Now(), &b, need.Away{}), func(n need.Need) bool { return n.Kind == fleet.NeedShips })
	})
	v.puts(t, order(base, "echo 3 >three", 1))
	eventually.Holds(t, "a new worker does both", func() bool { return v.done("2")() && v.done("3")() })
	if is := v.state("2").Owner + " " + v.state("3").Owner; is != "kite-2 kite-2" {
		t.Errorf("they were done by %s", is)
	}
}
