//go:build long

package voyage

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/need"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// The night passes in steps: what helm knows of the watch gets older by a step, as if that much time had gone by.
const (
	step  = 5 * time.Minute
	check = 30 * time.Minute
)

// job is what a dispatch of the night does, in steps since it began.
type job struct {
	takes   int
	commits int // when it commits, 0 for never
	fails   bool
	reads   bool // it changes nothing
}

// watched is what the watch should know of a dispatch at work.
type watched struct {
	began  int // step
	quiet  int // step of its last commit, or since when helm has seen it
	nudges int // that it had then
}

// night is a pool, and the time that passes there.
type night struct {
	*testing.T
	hub    fleet.Hub
	helm   *helm
	v      *Voyage
	now    int       // step
	at     time.Time // of that
	jobs   map[string]job
	works  map[string]*watched // by task
	nudged int
}

// back makes a moment earlier.
func back(at *time.Time, by time.Duration) {
	if !at.IsZero() {
		*at = at.Add(-by)
	}
}

// pass lets so many steps go by at once, in which the laptop may sleep, and has the watch look.
func (n *night) pass(steps int, asleep bool) {
	v, now, by := n.v, time.Now(), time.Duration(steps)*step
	older := by - now.Sub(n.at)
	n.now, n.at = n.now+steps, now
	v.Dispatcher.Watch.Change(func(is *pool.Watch) {
		for _, work := range is.Works {
			back(&work.Since, older)
			back(&work.Nudged, older)
		}
		back(&is.Logged, older)
	})
	n.helm.times.pass(older, asleep)
	v.Dispatcher.Watch.Look(now)
}

// held lists the dispatches at work, and their ships.
func (n *night) held() map[string]*Ship {
	return reads(n.v, func() map[string]*Ship {
		all := map[string]*Ship{}
		for _, t := range n.v.Store.Snapshot().Tasks {
			if s := n.v.ships[t.Owner]; t.Status == tasks.InProgress && s != nil {
				all[t.ID] = s
			}
		}
		return all
	})
}

// settle waits until every worker is at work that has something to do, and helm knows of that.
func (n *night) settle() {
	n.Helper()
	eventually.Holds(n, fmt.Sprintf("all is well at step %d", n.now), when(n.v, func() bool {
		queue := 0
		for _, t := range n.v.Store.Snapshot().Tasks {
			s := n.v.ships[t.Owner]
			switch {
			case t.Status == tasks.InProgress && (s == nil || s.Reach.Conn() == nil || s.known.State.Task != t.ID || s.known.State.State != "working"), t.ReservedFor != "":
				return false
			case t.IsQueued():
				queue++
			}
		}
		for _, f := range n.v.Roster.Now().Ships {
			if f.Phase == fleet.Planned || f.Phase == fleet.Provisioning || f.Phase == fleet.Afloat && queue > 0 && n.v.Look().Held(f.Name) == nil {
				return false
			}
		}
		return true
	}))
	for id, s := range n.held() {
		n.copies(s)
		if n.works[id] == nil {
			n.works[id] = &watched{began: n.now, quiet: n.now}
		}
	}
}

// copies has helm see what a worker has committed.
func (n *night) copies(s *Ship) {
	n.Helper()
	if err := s.Lock(n.Context()); err != nil {
		n.Fatal(err)
	}
	defer s.Busy.Unlock()
	if err := s.Copies.Copy(n.Context()); err != nil {
		n.Fatal(err)
	}
}

// tell has the agent of a ship go on.
func (n *night) tell(s *Ship, what string) {
	n.Helper()
	writeFile(n.T, homeOf(n.T, n.v, s.Name), what, "")
}

// work has those at work commit or end whose time has come.
func (n *night) work() {
	n.Helper()
	var ended []string
	for id, s := range n.held() {
		w, j := n.works[id], n.jobs[id]
		switch n.now - w.began {
		case j.commits:
			n.tell(s, "commit-"+id)
			eventually.Holds(n, "it has committed", func() bool {
				_, err := os.Stat(filepath.Join(homeOf(n.T, n.v, s.Name), "committed-"+id))
				return err == nil
			})
			n.copies(s)
			w.quiet, w.nudges = n.now, 0
		case j.takes:
			n.tell(s, "end-"+id)
			ended = append(ended, id)
			delete(n.works, id)
		}
	}
	eventually.Holds(n, "they end", func() bool {
		return !slices.ContainsFunc(ended, func(id string) bool { return n.v.state(id).Status == tasks.InProgress })
	})
}

// judge looks whether each worker was told to commit as often as the rule says, and the captain when that did nothing.
func (n *night) judge() {
	n.Helper()
	b := n.v.Board()
	needs := need.All(time.Now(), &b, need.Away{})
	for id, s := range n.held() {
		got := n.v.Dispatcher.Watch.Of(s.Name).Nudges
		w := n.works[id]
		quiet := n.now - w.quiet
		least, most := w.nudges+max(0, quiet-1)*int(step)/int(check), w.nudges+quiet*int(step)/int(check)
		if got < least || got > most {
			n.Errorf("dispatch %s, quiet for %d steps, was nudged %d times at step %d", id, quiet, got, n.now)
		}
		n.nudged = max(n.nudged, got)
		told := slices.ContainsFunc(needs, func(need need.Need) bool { return need.Kind == fleet.NeedUncommitted && need.Task == id })
		if told != (got > 2) {
			n.Errorf("dispatch %s was nudged %d times, the captain was told: %t", id, got, told)
		}
	}
}

// away lets steps go by in which helm sees nothing of those at work, and no job gets on. What it saw counts from the end.
func (n *night) away(steps int, asleep bool) {
	n.Helper()
	n.settle()
	n.pass(steps, asleep)
	for id, s := range n.held() {
		n.works[id].began += steps
		n.works[id].quiet, n.works[id].nudges = n.now, n.v.Dispatcher.Watch.Of(s.Name).Nudges
	}
}

// dispatches puts jobs into the queue.
func (n *night) dispatches(base string, from, to int) {
	n.Helper()
	kinds := []job{{takes: 4, reads: true}, {takes: 10}, {takes: 11, commits: 5}, {takes: 14, commits: 9}, {takes: 5}}
	for i := from; i <= to; i++ {
		id, j := fmt.Sprint(i), kinds[i%len(kinds)]
		switch i {
		case 4:
			j.takes = 20
		case 10:
			j.fails = true
		}
		command := fmt.Sprintf("echo x >>~/ran-%s; until test -e ~/commit-%[1]s || test -e ~/end-%[1]s; do sleep 0.3; done; "+
			"if test -e ~/commit-%[1]s; then echo x >f; git add f; git commit -qm f; touch ~/committed-%[1]s; fi; "+
			"until test -e ~/end-%[1]s; do sleep 0.3; done", id)
		if !j.reads {
			command += "; echo " + id + " >did"
		}
		if j.fails {
			command += "; exit 1"
		}
		if out := n.v.puts(n.T, order(base, command, 4)); out.Task != id {
			n.Fatalf("dispatch %d is called %s", i, out.Task)
		}
		n.jobs[id] = j
	}
}

// loses destroys the machine of a worker behind helm's back. The captain is told, and removes the worker.
func (n *night) loses(id string) (removed chan error) {
	n.Helper()
	s := n.held()[id]
	boxes, err := local.Of(describe.Env{Hub: n.hub, Exe: helmtest.Program})
	if err != nil {
		n.Fatal(err)
	}
	machine := reads(n.v, func() string { return n.v.Roster.Ship(s.Name).MachineName(n.v.Dir.ID()) })
	if err := boxes.Destroy(n.Context(), machine); err != nil {
		n.Fatal(err)
	}
	eventually.Holds(n, "the captain is told of the lost machine", func() bool {
		b := n.v.Board()
		return slices.ContainsFunc(need.All(time.Now().Add(time.Hour), &b, need.Away{}), func(need need.Need) bool { return slices.Contains(need.Ships, s.Name) })
	})
	removed = make(chan error, 1)
	go func() { removed <- n.v.Fit.Remove(context.Background(), s.Name, func(api.Progress) {}) }()
	eventually.Holds(n, "its dispatch is given back", func() bool { return n.v.state(id).Owner != s.Name })
	delete(n.works, id)
	return removed
}

// TestNightOfPool is one night of a pool of four workers with thirty dispatches: the laptop sleeps, a machine is lost, helm is ended and
// started again. Each dispatch is done exactly once, or the captain hears of it; workers hear that they should commit as the rule says.
func TestNightOfPool(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Check: check}, "")
	base := git(t, d, "rev-parse", "HEAD")
	n := &night{T: t, hub: hub, helm: h, v: openIt(t, h, d), at: time.Now(), jobs: map[string]job{}, works: map[string]*watched{}}
	n.dispatches(base, 1, 20)
	var removed chan error
	const lost = "8"
	for n.now < int(8*time.Hour/step) {
		n.settle()
		n.pass(1, false)
		n.judge()
		n.work()
		switch {
		case removed == nil && n.works[lost] != nil:
			removed = n.loses(lost)
		case n.now == 30: // the laptop sleeps for an hour
			n.away(12, true)
		case n.now == 50:
			if err := <-removed; err != nil {
				t.Fatal(err)
			}
			n.dispatches(base, 21, 30)
		case n.now == 60:
			h.Close()
			h = startHelm(t, hub)
			n.v = openIt(t, h, d)
			n.away(1, false)
		}
	}
	sinkAfter(t, h, d)
	n.over()
}

// over looks at what has become of the dispatches.
func (n *night) over() {
	n.Helper()
	if n.nudged != 3 {
		n.Errorf("the most that one was nudged is %d times", n.nudged)
	}
	completed := map[string]int{}
	n.v.Book.Flush()
	if _, err := journal.Read(n.v.Dir.Events(), 0, func(r journal.Record) error {
		var done struct{ Task string }
		if r.Kind != "task.completed" {
			return nil
		}
		err := json.Unmarshal(r.Data, &done)
		completed[done.Task]++
		return err
	}); err != nil {
		n.Fatal(err)
	}
	b := n.v.Board()
	needs := need.All(time.Now(), &b, need.Away{})
	for id, j := range n.jobs {
		s := n.v.state(id)
		told := slices.ContainsFunc(needs, func(need need.Need) bool { return need.Task == id })
		if done := s.Status == tasks.Completed; done == j.fails || told != j.fails {
			n.Errorf("dispatch %s is %s, the captain was told: %t", id, s.Status, told)
		}
		if j.fails {
			continue
		}
		if is := git(n.T, n.v.Dir, "ls-tree", dispatch.Branch(s.Owner, id), "did"); (is == "") != j.reads {
			n.Errorf("dispatch %s has left %q", id, is)
		}
		if completed[id] != 1 {
			n.Errorf("dispatch %s was completed %d times", id, completed[id])
		}
		if _, err := n.v.ShipNamed(s.Owner); err != nil {
			continue // its machine was lost later
		}
		raw, _ := os.ReadFile(filepath.Join(homeOf(n.T, n.v, s.Owner), "ran-"+id))
		if string(raw) != "x\n" {
			n.Errorf("dispatch %s ran as %q", id, raw)
		}
	}
	if refs := strings.Fields(git(n.T, n.v.Dir, "for-each-ref", "--format=%(refname)", "refs/heads/dispatch")); len(refs) != len(n.jobs)-1 {
		n.Errorf("there are %d branches", len(refs))
	}
}
