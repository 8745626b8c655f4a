//go:build long

package voyage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// attackSeeds are the seeds of the attack. A seed that found something stays.
var attackSeeds = []uint64{1, 2}

// TestTasksAreTakenBackAtRandom takes tasks back at any moment, also twice in a row, while their ships claim, work, merge,
// are away or have just been killed: their terminals, agents and runners. Each task is accepted once, by the claim
// that stands, and no command runs for a task that its ship does not hold.
func TestTasksAreTakenBackAtRandom(t *testing.T) {
	t.Parallel()
	for _, seed := range attackSeeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := &attack{T: t, luck: rand.New(rand.NewPCG(seed, 0))}
			a.begin(3, 12)
			for range 25 {
				a.strike()
			}
			accepted(t, a.v)
			a.claimsStood()
		})
	}
}

// attack is a voyage that is attacked.
type attack struct {
	*testing.T
	luck *rand.Rand
	d    fleet.Dir
	v    *Voyage
}

func (a *attack) begin(ships, number int) {
	hub := helmtest.Hub(a.T)
	h := startHelm(a.T, hub)
	var list []tasks.Task
	for n := range number {
		list = append(list, helmtest.Task(fmt.Sprint(n), fmt.Sprintf("echo %d >file%d; sleep 0.%d; echo done >>file%d", n, n, 2+n%7, n)))
	}
	a.d = helmtest.Voyage(a.T, hub, fleet.Voyage{}, "#!/bin/sh\n", list...)
	a.v = openIt(a.T, h, a.d)
	a.v.sets(a.T, ships)
}

// strike does one thing to the voyage, a random while after the one before.
func (a *attack) strike() {
	_ = retry.Sleep(a.Context(), time.Duration(a.luck.IntN(400))*time.Millisecond)
	ship := fmt.Sprint("ship-", a.luck.IntN(3))
	switch a.luck.IntN(8) {
	case 0:
		a.kill(ship, "tmux")
	case 1:
		a.kill(ship, "aboard script")
	case 2:
		a.kill(ship, "aboard run")
	case 3:
		a.leave(ship)
	default:
		var held []string
		for _, t := range a.v.Store.Snapshot().Tasks {
			if t.Status == tasks.InProgress {
				held = append(held, t.ID)
			}
		}
		if len(held) == 0 {
			return
		}
		id := held[a.luck.IntN(len(held))]
		for range 1 + a.luck.IntN(2) {
			_, _ = a.v.Captain.Requeue(a.Context(), api.RequeueRequest{Task: id, Reason: "attack"}) // it may be done, or have changed hands
		}
		a.stops(id)
	}
}

// kill kills processes of a ship with -9.
func (a *attack) kill(ship, word string) {
	for _, pid := range processesOf(homeOf(a.T, a.v, ship), word) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// leave cuts a ship off for a moment; its task may be taken back meanwhile.
func (a *attack) leave(ship string) {
	s, err := a.v.ShipNamed(ship)
	if err != nil {
		a.Fatal(err)
	}
	s.close()
	if t := a.v.Store.Snapshot().Held(ship); t != nil && a.luck.IntN(2) == 0 {
		_, _ = a.v.Captain.Requeue(a.Context(), api.RequeueRequest{Task: t.ID, Reason: "while it was away"})
	}
	// A merge under way comes to its end before the ship is known again.
	if err := s.Busy.Lock(a.Context()); err != nil {
		a.Fatal(err)
	}
	defer s.Busy.Unlock()
	a.v.launch(reads(a.v, func() *fleet.Ship { return a.v.Roster.Ship(ship) }))
}

// stops fails the test when a ship goes on with a task that is not its own, although it can be reached.
func (a *attack) stops(id string) {
	eventually.Holds(a.T, "nobody but its owner works on task "+id, func() bool {
		owner := a.v.Store.Snapshot().Task(id).Owner
		for _, ship := range []string{"ship-0", "ship-1", "ship-2"} {
			if ship == owner {
				continue
			}
			for _, p := range proctest.With(homeOf(a.T, a.v, ship)) {
				if strings.Contains(p, "sh -c echo "+id+" >file"+id+";") && a.v.Store.Snapshot().Task(id).Owner == owner {
					return false
				}
			}
		}
		return true
	})
}

// claimsStood reads from the journal that each completion was one of the claim that stood then.
func (a *attack) claimsStood() {
	epochs := map[string]uint64{}
	if _, err := journal.Read(filepath.Join(string(a.d), "events.jsonl"), 0, func(r journal.Record) error {
		var e struct {
			Task, Owner string
			Epoch       uint64
		}
		_ = json.Unmarshal(r.Data, &e)
		switch r.Kind {
		case "task.claimed":
			if e.Epoch <= epochs[e.Task] {
				a.Errorf("task %s is claimed with epoch %d after %d", e.Task, e.Epoch, epochs[e.Task])
			}
			epochs[e.Task] = e.Epoch
		case "task.completed":
			if e.Epoch != epochs[e.Task] {
				a.Errorf("task %s is completed by claim %d, and %d stands", e.Task, e.Epoch, epochs[e.Task])
			}
		}
		return nil
	}); err != nil {
		a.Error(err)
	}
}
