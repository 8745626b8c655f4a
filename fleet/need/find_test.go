package need

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/fleet/need/needtest"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// calm returns the board of a voyage that goes on by itself.
func calm() *fleet.Board { return needtest.Calm(noon) }

// is returns a function that puts the first ship into a phase, in which its machine is left with an error.
func is(phase fleet.ShipPhase, err string, left fleet.Remains) func(*fleet.Board) {
	return func(b *fleet.Board) {
		k := resolve.Known{Ship: fleet.Ship{Name: "ship-0", Phase: phase, Setup: fleet.Setup{Error: err}, Remains: left}}
		b.Ships[0].Status, b.Ships[0].Ship = resolve.Status(noon, k), k.Ship
	}
}

func kinds(all []Need) (kinds []fleet.NeedKind) {
	for _, n := range all {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

// TestNeeds checks that each kind of need is found on a board that has it, without any other. Its text fits on a line
// and says what to do.
func TestNeeds(t *testing.T) {
	found := func(name string, b *fleet.Board, gone Away, kind fleet.NeedKind, says string) {
		t.Helper()
		all := All(noon, b, gone)
		if got := kinds(all); !slices.Equal(got, []fleet.NeedKind{kind}) {
			t.Errorf("%s: found %v: %+v", name, got, all)
			return
		}
		n := all[0]
		if !strings.HasPrefix(n.String(), says) || utf8.RuneCountInString(n.Why) > MostWhy {
			t.Errorf("%s: it says %q, not %q", name, n.String(), says)
		}
		if n.Do == "" || !strings.HasPrefix(n.Command, "ocaptain ") || n.Kind != fleet.NeedOrphans && n.Do != DoDoctor && !strings.Contains(n.Command, b.Voyage.ID) {
			t.Errorf("%s: it is helped by %q: %q", name, n.Do, n.Command)
		}
	}
	stood := noon.Add(-10 * time.Minute)
	for _, k := range needKinds {
		has, ok := needtest.Boards[k.Kind]
		if !ok {
			t.Errorf("needtest.Boards has no %q: add a board with it", k.Kind)
			continue
		}
		b, gone := calm(), Away{}
		if has.Arises == nil {
			gone = Away{needtest.NoHelm, stood}
		} else {
			has.Arises(b, stood)
		}
		found(string(k.Kind), b, gone, k.Kind, has.Says)
	}
	for kind := range needtest.Boards {
		if rowOf(kind).find == nil {
			t.Errorf("there is no need %q: take it out of needtest.Boards", kind)
		}
	}
	for says, c := range map[string]struct {
		kind   fleet.NeedKind
		change func(*fleet.Board)
	}{
		"the voyage lacks ships: dispatch 3 waits for a worker from hosts": {fleet.NeedShips, func(b *fleet.Board) {
			b.Tasks[2].BlockedBy, b.Tasks[2].Metadata = nil, map[string]any{"provider": "hosts"}
		}},
		"the voyage lacks ships: task 3 waits for a planner, and there is none": {fleet.NeedShips, func(b *fleet.Board) {
			b.Voyage.Kind, b.Tasks[2].Metadata = fleet.Session, map[string]any{"type": tasks.Epic}
		}},
		"ship-0, task 2 has failed: no token":      {fleet.NeedFailed, is(fleet.Failed, "no token", fleet.Remains{})},
		"ship-0 is not gone: the service says 500": {fleet.NeedMachine, is(fleet.Going, "the service says 500", fleet.Remains{})},
		"ship-0 is not gone: the token is refused": {fleet.NeedMachine, is(fleet.Going, "the token is refused", fleet.Remains{StaysAt: noon, Denied: true})},
	} {
		b := calm()
		c.change(b)
		found(says, b, Away{}, c.kind, says)
	}
	if all := All(noon, calm(), Away{}); len(all) != 0 {
		t.Errorf("a calm voyage needs %+v", all)
	}
}

// What recovers by itself in a moment is no need, nor is what was seen while the hub slept.
func TestNeedsHaveGrace(t *testing.T) {
	b := calm()
	b.Repository = fleet.Hindrance{Why: "index.lock is there", Since: noon.Add(-9 * time.Second)}
	for after, want := range map[time.Duration]int{0: 0, time.Second: 1} {
		if all := All(noon.Add(after), b, Away{}); len(all) != want {
			t.Errorf("after 9 seconds and %s: %+v", after, all)
		}
	}
	b.AwakeAt = noon
	if all := All(noon.Add(5*time.Second), b, Away{}); len(all) != 0 {
		t.Errorf("right after a sleep: %+v", all)
	}
	b = calm()
	b.Ships[0].Status = fleet.Status{Word: fleet.Unreachable, Since: noon, Need: fleet.NeedUnreachable}
	b.Ships[0].UsualGap = time.Minute
	for after, want := range map[time.Duration]int{leastGap: 0, 119 * time.Second: 0, 2 * time.Minute: 1} {
		if all := All(noon.Add(after), b, Away{}); len(all) != want {
			t.Errorf("out of reach for %s: %+v", after, all)
		}
	}
}

// Needs of several ships for the same reason are one, unless each ship needs its own remedy.
func TestNeedsAreShared(t *testing.T) {
	b := calm()
	for i := range b.Ships {
		b.Ships[i].Guard = "older than 8h"
	}
	if all := All(noon, b, Away{}); len(all) != 1 || all[0].Who() != "ship-0, ship-1" || all[0].Command != "ocaptain ship rm ship-0 ship-1 --voyage "+b.Voyage.ID {
		t.Errorf("old ships: %+v", all)
	}
	b = calm()
	for i := range b.Ships {
		b.Ships[i].Status = fleet.Status{Word: fleet.Waiting, Reason: "may it?", Need: fleet.NeedAnswer}
	}
	all := All(noon, b, Away{})
	if len(all) != 2 || all[0].ID() == all[1].ID() {
		t.Errorf("ships that ask: %+v", all)
	}
}

// Tasks that are on hold for one cause are one need, which keeps its id when one of the tasks goes on.
func TestHoldsAreShared(t *testing.T) {
	b := calm()
	for i := range 30 {
		from := fmt.Sprintf("%s-%d", []string{"ship", "worker", "kite"}[i%3], i) // in turn of a plan, a session and a pool
		b.Tasks = append(b.Tasks, tasks.State{
			Task:   tasks.Task{ID: fmt.Sprint(10 + i), Status: tasks.Pending},
			OnHold: true, Reason: from + ": no key", From: from, RequeuedAt: noon.Add(-time.Duration(i) * time.Minute),
		})
	}
	other := b.Tasks[len(b.Tasks)-1]
	other.ID, other.Reason, other.From, other.RequeuedAt = "50", "ship-0: exit 3", "ship-0", noon
	waits := tasks.State{Task: tasks.Task{ID: "51", Status: tasks.Pending, BlockedBy: []string{"20", "21"}}}
	b.Tasks = append(b.Tasks, other, waits)
	all := All(noon, b, Away{})
	if len(all) != 2 {
		t.Fatalf("it needs %+v", all)
	}
	n := all[0]
	if n.String() != "tasks 39, 38 and 28 more are on hold: no key; 1 task waits for them" || len(n.Tasks) != 30 || n.Task != "39" || !n.Since.Equal(noon.Add(-29*time.Minute)) || !slices.Equal(n.Waiting, []string{"51"}) {
		t.Errorf("it is %q: %+v", n.String(), n)
	}
	if n.Command != "ocaptain requeue --all --voyage voyage-0123456789ab" || all[1].Command != "ocaptain requeue 50 --voyage voyage-0123456789ab" {
		t.Errorf("they are helped by %q and %q", n.Command, all[1].Command)
	}
	b.Tasks = append(b.Tasks[:len(b.Tasks)-3], other) // without the task that was on hold first and the tasks that wait for it
	if is := All(noon, b, Away{}); len(is) != 2 || is[0].ID() != n.ID() || is[0].ID() == is[1].ID() || is[0].Why != "no key" {
		t.Errorf("then it needs %+v", is)
	}
	b.Tasks[3].OnHold, b.Tasks = true, b.Tasks[:4]
	if is := All(noon, b, Away{}); len(is) != 1 || is[0].ID() != n.ID() || is[0].Why != "ship-0: no key" || is[0].Tasks != nil {
		t.Errorf("at last it needs %+v", is)
	}
}

// A need that a voyage has at most once keeps its id while its reason and its ships change.
func TestNeedsKeepTheirIDs(t *testing.T) {
	b := calm()
	out := func(ship int, why string) {
		b.Ships[ship].Status = fleet.Status{Word: fleet.Unreachable, Need: fleet.NeedUnreachable, Reason: why, Since: noon.Add(-time.Hour)}
	}
	out(0, "no answer for 15s")
	all := All(noon, b, Away{})
	for _, why := range []string{"no answer for 40s", "connection refused"} {
		out(0, why)
		out(1, "no answer for 15s")
		is := All(noon, b, Away{})
		if len(is) != 1 || is[0].ID() != all[0].ID() || is[0].Who() != "ship-0, ship-1" || is[0].Why != why+"; no answer for 15s" {
			t.Errorf("it needs %+v, after %+v", is, all)
		}
	}
	b = calm()
	b.Ships = nil
	all = All(noon, b, Away{})
	b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: "4", Status: tasks.Pending}})
	if is := All(noon, b, Away{}); len(is) != 1 || is[0].ID() != all[0].ID() || is[0].Why == all[0].Why {
		t.Errorf("it needs %+v, after %+v", is, all)
	}
}

// A voyage in which nothing can go on is stuck. The need names the task on hold for which all wait, and the tasks
// that wait.
func TestStuck(t *testing.T) {
	b := calm()
	if b.IsStuck() {
		t.Error("a voyage at work is stuck")
	}
	b.Tasks[1].Status, b.Tasks[1].OnHold, b.Tasks[1].Reason, b.Ships[0].Task = tasks.Pending, true, "it fails", ""
	b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: "4", Status: tasks.Pending, BlockedBy: []string{"3", "1"}}})
	if !b.IsStuck() {
		t.Error("it is not stuck")
	}
	all := All(noon, b, Away{})
	if len(all) != 1 || all[0].Task != "2" || !slices.Equal(all[0].Waiting, []string{"3", "4"}) || all[0].Why != "it fails; 2 tasks wait for it" {
		t.Errorf("it needs %+v", all)
	}
	b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: "5", Status: tasks.Pending}, NotBefore: noon.Add(time.Hour)})
	if b.IsStuck() {
		t.Error("a task that is only delayed is forgotten")
	}
}

// The coordinator itself does no work: a session in which only it holds tasks is stuck, unless helm is about to complete
// one of these.
func TestStuckSession(t *testing.T) {
	part := func(id, parent string, status tasks.Status, waits ...string) tasks.State {
		return tasks.State{Task: tasks.Task{ID: id, Status: status, BlockedBy: waits, Metadata: map[string]any{"parent": parent}}}
	}
	epic := tasks.State{Task: tasks.Task{ID: "1", Status: tasks.InProgress, Owner: fleet.Coordinator}}
	for name, c := range map[string]struct {
		parts []tasks.State
		stuck bool
	}{
		"a part is free":                 {[]tasks.State{part("2", "1", tasks.Pending)}, false},
		"a part waits for the whole":     {[]tasks.State{part("2", "1", tasks.Pending, "1")}, true},
		"all parts are completed":        {[]tasks.State{part("2", "1", tasks.Completed)}, false},
		"parts wait for each other":      {[]tasks.State{part("2", "1", tasks.Pending, "3"), part("3", "1", tasks.Pending, "2")}, true},
		"a part of a part waits for one": {[]tasks.State{part("2", "1", tasks.Completed), part("3", "1", tasks.Pending, "4"), part("4", "3", tasks.Pending, "3")}, true},
	} {
		b := calm()
		b.Voyage.Kind, b.Tasks = fleet.Session, append(c.parts, epic)
		if b.IsStuck() != c.stuck {
			t.Errorf("%s: it is stuck: %t", name, b.IsStuck())
		}
	}
}

// Every kind has a test and a line in the help.
func TestNeedsTable(t *testing.T) {
	table := Table()
	seen := map[fleet.NeedKind]bool{}
	for _, k := range needKinds {
		if seen[k.Kind] || k.Means == "" || k.Says == "" || k.Do == "" || k.How == "" || !strings.Contains(table, "| "+string(k.Kind)+" | ") {
			t.Errorf("%s: %+v", k.Kind, k)
		}
		seen[k.Kind] = true
	}
}
