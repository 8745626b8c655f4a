//go:build long

package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
)

// TestHelmIsKilled kills helm again and again. Nobody runs a command to help, and the
// voyage still ends complete and verified.
func TestHelmIsKilled(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	jobs := smallPlan(6, 4, "sleep 0.3")
	d := c.sail(c.plan("killed", "", smallVerify(24), jobs), "-n", "3", "--agent", "script")
	over := make(chan struct{})
	var kills int
	go func() {
		defer close(over)
		for kills < 12 {
			time.Sleep(time.Duration(200+rand.IntN(900)) * time.Millisecond) // the moments are meant to be random
			b, err := fleet.LoadBoard(d)
			if err == nil && b.Phase == fleet.Complete {
				return
			}
			if err == nil && b.Helm > 1 {
				kill(b.Helm)
				kills++
			}
		}
	}()
	<-over
	board := c.complete(d)
	t.Logf("helm was killed %d times", kills)
	if kills < 3 {
		t.Errorf("only %d kills: the voyage was over too soon to prove anything", kills)
	}
	checkVoyage(t, c, d, board, jobs)
}

// TestShipIsKilled kills a whole ship in the middle: it is brought back and the voyage
// ends well.
func TestShipIsKilled(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	jobs := smallPlan(4, 3, "sleep 0.4")
	d := c.sail(c.plan("shipwreck", "", smallVerify(12), jobs), "-n", "2", "--agent", "script")
	c.until(d, "work under way", func(b fleet.Board) bool {
		_, working, completed := b.CountTasks()
		return working > 0 && completed > 0
	})
	var dead []string
	for _, p := range proctest.With(filepath.Join(c.hub.State, "ships", d.ID()+"-ship1")) {
		var pid int
		if _, err := fmt.Sscan(p, &pid); err == nil {
			kill(pid)
			dead = append(dead, p)
		}
	}
	if len(dead) == 0 {
		t.Fatal("found no process of ship-1")
	}
	checkVoyage(t, c, d, c.complete(d), jobs)
}
