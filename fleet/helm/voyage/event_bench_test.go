package voyage

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/tasklist"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// The voyage in which events are measured.
const manyTasks, manyShips = 10_000, 100

// BenchmarkEvent measures what helm does for one event of a voyage of 10,000 tasks and 100 ships that all wait: a ship brings ten
// lines of its log, and a task has changed, so helm works out the state of all tasks again, gives tasks out, and tells each ship
// what is next. In a pool all dispatches but one are done, or all wait for one worker that is busy.
func BenchmarkEvent(b *testing.B) {
	command := func(worker string) (all []tasks.Task) {
		for i := range manyTasks {
			all = append(all, tasks.Dispatch{Command: fmt.Sprint("do ", i), Base: "c0", Key: fmt.Sprint(i), Worker: worker, At: time.Now()}.Task())
		}
		return all
	}
	plain := func(link func(i int, t *tasks.Task)) (all []tasks.Task) {
		for i := range manyTasks {
			t := helmtest.Task(fmt.Sprint(i+1), "true")
			link(i, &t)
			all = append(all, t)
		}
		return all
	}
	for _, c := range []struct {
		name string
		info fleet.Voyage
		plan []tasks.Task
		done int
	}{
		{"plan", fleet.Voyage{}, plain(func(int, *tasks.Task) {}), 0},
		{"chain", fleet.Voyage{}, plain(func(i int, t *tasks.Task) {
			if i+1 < manyTasks { // the last is the first
				t.BlockedBy = []string{fmt.Sprint(i + 2)}
			}
		}), 0},
		{"session", fleet.Voyage{Kind: fleet.Session, Validators: 2}, plain(func(i int, t *tasks.Task) {
			if i%100 == 0 {
				t.Metadata["type"] = tasks.Epic
			} else {
				t.Metadata["parent"] = fmt.Sprint(i - i%100 + 1)
			}
		}), 0},
		{"pool", fleet.Voyage{Kind: fleet.Pool, Name: "kite"}, command("ship-0"), manyTasks - 1},
		{"queue", fleet.Voyage{Kind: fleet.Pool, Name: "kite"}, command("ship-0"), 0},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkEvent(b, c.info, c.plan, c.done) })
	}
}

func benchmarkEvent(b *testing.B, info fleet.Voyage, plan []tasks.Task, done int) {
	hub := helmtest.Hub(b)
	v := openStill(b, startHelm(b, hub), helmtest.Voyage(b, hub, info, "#!/bin/sh\n"))
	added, err := v.Store.Add(b.Context(), plan)
	for _, t := range added[:done] {
		g, failed := v.Store.Claim(b.Context(), "ship-0", t.ID)
		if failed == nil {
			failed = v.Store.Complete(b.Context(), tasks.Completion{Task: t.ID, Owner: "ship-0", Epoch: g.Epoch})
		}
		if failed != nil {
			b.Fatal(failed)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	var ships []*Ship
	for i := range manyShips {
		s, _ := fakeShip(b, v, fmt.Sprint("ship-", i))
		logs, err := openLog(s.Ship, s.v.Dir, s.v.Notes)
		if err != nil {
			b.Fatal(err)
		}
		changes(v, func() {
			if s.logs, s.waits = logs, 1; i == 0 {
				s.Reach.Greet(nil) // or it would take up the dispatches
			}
			v.Roster.Alter(func(f *fleet.Fleet) {
				f.Ships = append(f.Ships, &fleet.Ship{Name: s.Name, Role: s.Role, Provider: "local", Phase: fleet.Afloat})
			})
		})
		b.Cleanup(logs.Close)
		ships = append(ships, s)
	}
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
	if err := errors.Join(v.Captain.Coordinate(), v.Store.Flush(b.Context())); err != nil {
		b.Fatal(err)
	}
	one := added[len(added)-1].ID
	log, _ := json.Marshal(proto.Log{Kind: "tool", Text: "reads a file"})
	for seq := int64(0); b.Loop(); {
		b.StopTimer() // what the store takes is measured there
		sent := v.Store.Snapshot().Tasks
		if g, err := v.Store.Claim(b.Context(), "ship-0", one); err != nil {
			b.Fatal(err)
		} else if err := v.Store.Requeue(b.Context(), tasks.Requeue{Task: one, Epoch: g.Epoch}); err != nil {
			b.Fatal(err)
		}
		batch := proto.Events{Now: time.Now()}
		for range 10 {
			seq++
			batch.Events = append(batch.Events, proto.Event{Seq: seq, At: time.Now(), Kind: proto.KindLog, Data: log})
		}
		b.StartTimer()
		if _, err := ships[1].takeEvents(batch); err != nil {
			b.Fatal(err)
		}
		if err := v.Captain.Coordinate(); err != nil {
			b.Fatal(err)
		}
		v.Verifier.Progressed()
		if v.Kind.Gives() {
			if err := v.Dispatcher.Give(); err != nil {
				b.Fatal(err)
			}
		}
		for _, s := range ships {
			s.forgive()
			s.asksAt(time.Now())
			changes(v, func() { s.setAsideLocked(time.Now()) })
			tasklist.Changed(sent, v.Store.Snapshot().Tasks)
		}
	}
}
