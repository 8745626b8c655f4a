package need

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/sync"
	"ocaptain/tasks"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// calm returns the board of a voyage that goes on by itself: one ship works, one task is done and one waits.
func calm() *fleet.Board {
	return &fleet.Board{
		At: noon, AwakeAt: noon.Add(-time.Hour), Voyage: fleet.Voyage{ID: "voyage-0123456789ab"}, Phase: fleet.Sailing, Since: noon.Add(-time.Hour),
		Ships: []fleet.ShipView{
			{Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Afloat}, Status: fleet.Status{Word: fleet.Working, Since: noon.Add(-time.Minute)}, Task: "2"},
			{Ship: fleet.Ship{Name: "ship-1", Phase: fleet.Afloat}, Status: fleet.Status{Word: fleet.Idle, Since: noon.Add(-time.Minute)}},
		},
		Tasks: []tasks.State{
			{Task: tasks.Task{ID: "1", Status: tasks.Completed}},
			{Task: tasks.Task{ID: "2", Status: tasks.InProgress, Owner: "ship-0", BlockedBy: []string{"1"}}},
			{Task: tasks.Task{ID: "3", Status: tasks.Pending, BlockedBy: []string{"2"}}},
		},
	}
}

// known returns what is known of a connected ship whose agent is in a state.
func known(s proto.AgentState) resolve.Known {
	at := noon.Add(-20 * time.Minute)
	return resolve.Known{
		Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Afloat}, Link: resolve.Link{Connected: true, LinkSince: at}, Pulse: proto.Pulse{Runner: true, Agent: true}, PulseAt: noon,
		State: s, StateAt: at, EventAt: at, ActAt: at, Work: resolve.Work{Held: "2", HeldAt: at},
	}
}

// is returns a function that sets the status of the first ship to what follows from k.
func is(k resolve.Known) func(*fleet.Board) {
	return func(b *fleet.Board) { b.Ships[0].Status, b.Ships[0].Ship = resolve.Status(noon, k), k.Ship }
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
	stood := noon.Add(-10 * time.Minute)
	var told []fleet.NeedKind
	final := &proto.AgentExited{Final: true, Code: 1, Reason: "it gave up"}
	for _, c := range []struct {
		kind   fleet.NeedKind
		change func(*fleet.Board)
		gone   Away
		who    string
		why    string
	}{
		{kind: fleet.NeedHelm, gone: Away{"it does not start", stood}, change: func(*fleet.Board) {}, who: "helm", why: "it does not start"},
		{kind: fleet.NeedDisk, change: func(b *fleet.Board) { b.Disk = fleet.Hindrance{Why: "no space left", Since: stood} }, who: "the hub", why: "no space left"},
		{kind: fleet.NeedRedis, change: func(b *fleet.Board) { b.Redis = fleet.Hindrance{Why: "connection refused", Since: stood} }, who: "the hub", why: "connection refused"},
		{kind: fleet.NeedRepository, change: func(b *fleet.Board) { b.Repository = fleet.Hindrance{Why: "a merge is under way", Since: stood} }, who: "the hub", why: "a merge"},
		{kind: fleet.NeedShips, change: func(b *fleet.Board) { b.Ships, b.Tasks[1].Status = nil, tasks.Pending }, who: "the voyage", why: "2 tasks are open"},
		{kind: fleet.NeedShips, change: func(b *fleet.Board) {
			b.Tasks[2].BlockedBy, b.Tasks[2].Metadata = nil, map[string]any{"provider": "hosts"}
		}, who: "the voyage", why: "dispatch 3 waits for a worker from hosts"},
		{kind: fleet.NeedShips, change: func(b *fleet.Board) {
			b.Voyage.Kind, b.Tasks[2].Metadata = fleet.Session, map[string]any{"type": tasks.Epic}
		}, who: "the voyage", why: "task 3 waits for a planner, and there is none"},
		{kind: fleet.NeedStuck, change: func(b *fleet.Board) {
			b.Tasks[1].Status, b.Tasks[1].BlockedBy, b.Ships[0].Task = tasks.Pending, []string{"9"}, ""
		}, who: "the voyage", why: "2 open tasks wait for tasks that there are not"},
		{kind: fleet.NeedAnswer, change: is(known(proto.AgentState{State: proto.StateWaiting, Why: "permission to run make"})), who: "ship-0, task 2", why: "permission to run make"},
		{kind: fleet.NeedInterrupted, change: is(known(proto.AgentState{State: proto.StateWaiting, Why: proto.Interrupted})), who: "ship-0, task 2", why: proto.Interrupted},
		{kind: fleet.NeedUnverified, change: func(b *fleet.Board) {
			b.Phase, b.Tasks, b.Unverified = fleet.Verifying, b.Tasks[:1], fleet.Hindrance{Why: "no verify.sh", Since: stood}
		}, who: "the voyage", why: "no verify.sh"},
		{kind: fleet.NeedBeads, change: func(b *fleet.Board) { b.Unread = fleet.Hindrance{Why: "bd: it did not end within 2m0s", Since: stood} }, who: "bd", why: "did not end"},
		{kind: fleet.NeedLogin, change: is(known(proto.AgentState{State: proto.StateWaiting, Why: "please log in", Trouble: string(agentlog.TroublePerson)})), who: "ship-0, task 2", why: "log in"},
		{kind: fleet.NeedLimited, change: func(b *fleet.Board) {
			is(known(proto.AgentState{State: proto.StateLimited, Why: "session limit", Trouble: "usage"}))(b)
			b.Ships[0].Refused, b.Ships[0].State.Why = noon.Add(-time.Hour), "session limit"
		}, who: "ship-0", why: "session limit"},
		{kind: fleet.NeedSteering, change: func(b *fleet.Board) {
			b.Steering = []fleet.Steering{{Steering: sync.Steering{Paths: []string{"CLAUDE.md"}}, Task: "2", Ship: "ship-0", Word: fleet.Waits, At: stood}}
		}, who: "ship-0, task 2", why: "CLAUDE.md"},
		{kind: fleet.NeedTree, change: func(b *fleet.Board) {
			b.Ships[0].Tree = fleet.SharedTree{State: fleet.TreeSame, Conflicts: []string{"a.go"}, MoreConflicts: 4, ConflictSince: stood}
		}, who: "ship-0, task 2", why: "5 files clash, changed on both sides: a.go"},
		{kind: fleet.NeedPlan, change: func(b *fleet.Board) {
			b.Tasks[2].OnHold, b.Tasks[2].Proposed, b.Tasks[2].Reason = true, 3, "it waits"
		}, who: "task 3", why: "3 tasks"},
		{kind: fleet.NeedHold, change: func(b *fleet.Board) { b.Tasks[2].OnHold, b.Tasks[2].Reason = true, "ship-0: make fails" }, who: "task 3", why: "make fails"},
		{kind: fleet.NeedConflict, change: func(b *fleet.Board) { b.Ships[0].Clash = fleet.Clash{Tries: 3, Paths: []string{"a.go"}, Since: stood} }, who: "ship-0, task 2", why: "3 times in a row, the last in a.go"},
		{kind: fleet.NeedInTheWay, change: func(b *fleet.Board) {
			b.InTheWay = map[string]fleet.Hindrance{"2": {Why: "a.go is not committed", Since: stood}}
		}, who: "ship-0, task 2", why: "a.go"},
		{kind: fleet.NeedUncommitted, change: func(b *fleet.Board) { b.Ships[0].Nudges, b.Ships[0].Committed = 3, stood }, who: "ship-0, task 2", why: "2 times"},
		{kind: fleet.NeedBudget, change: func(b *fleet.Board) { b.Budget = fleet.Budget{Max: 10, Spent: 8, Since: stood} }, who: "the voyage", why: "$8.00 of $10.00"},
		{kind: fleet.NeedRate, change: func(b *fleet.Board) { b.Ships[0].Rate = fleet.Rate{Max: 3, Spent: 4, Since: stood, Until: noon} }, who: "ship-0", why: "may cost $3.00 within an hour, and begins nothing until"},
		{kind: fleet.NeedFlood, change: func(b *fleet.Board) { b.Ships[0].Slowed, b.Ships[0].SlowedAt = []string{"log", "requests"}, stood }, who: "ship-0", why: "too much of its log and requests"},
		{kind: fleet.NeedVerify, change: func(b *fleet.Board) {
			b.Phase, b.Tasks, b.Verify.Output = fleet.VerifyFailed, b.Tasks[:1], "one\n2 tests failed\n\n"
		}, who: "the voyage", why: "2 tests failed"},
		{
			kind: fleet.NeedConversation, change: is(known(proto.AgentState{State: proto.StateFailed, Trouble: string(agentlog.TroubleFull), Why: "the conversation is too long and could not be compacted"})),
			who: "ship-0, task 2", why: "the conversation is too long and could not be compacted",
		},
		{kind: fleet.NeedFailed, change: is(resolve.Known{Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Failed, Setup: fleet.Setup{Error: "no token"}}}), who: "ship-0, task 2", why: "no token"},
		{kind: fleet.NeedExited, change: func(b *fleet.Board) {
			k := known(proto.AgentState{})
			k.Exit, k.ExitAt = final, stood
			is(k)(b)
		}, who: "ship-0, task 2", why: "it gave up"},
		{kind: fleet.NeedLeftAlone, change: func(b *fleet.Board) {
			k := known(proto.AgentState{State: proto.StateIdle})
			k.LeftAlone, k.HeldAt = true, noon.Add(-time.Hour)
			is(k)(b)
		}, who: "ship-0, task 2", why: "not sent back"},
		{kind: fleet.NeedStalled, change: is(known(proto.AgentState{State: proto.StateWorking})), who: "ship-0, task 2", why: "no sign of work"},
		{kind: fleet.NeedFull, change: func(b *fleet.Board) {
			k := known(proto.AgentState{State: proto.StateWorking})
			k.Connected, k.LinkError, k.Full = false, "no such socket", "it uses 12.0 GB of this machine's disk"
			is(k)(b)
		}, who: "ship-0, task 2", why: "it uses 12.0 GB"},
		{kind: fleet.NeedUnreachable, change: func(b *fleet.Board) {
			k := known(proto.AgentState{State: proto.StateWorking})
			k.Connected, k.LinkError = false, "no route to host"
			is(k)(b)
		}, who: "ship-0", why: "no route"},
		{kind: fleet.NeedMachine, change: is(resolve.Known{Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Going, Setup: fleet.Setup{Error: "the service says 500"}}}), who: "ship-0", why: "500"},
		{kind: fleet.NeedMachine, change: is(resolve.Known{Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Going, Setup: fleet.Setup{Error: "the token is refused"}, Remains: fleet.Remains{StaysAt: noon, Denied: true}}}), who: "ship-0", why: "refused"},
		{kind: fleet.NeedOrphans, change: func(b *fleet.Board) { b.Orphans = []string{"a", "b", "c", "d"} }, who: "providers", why: "4 machines: a, b, c"},
		{kind: fleet.NeedRecords, change: func(b *fleet.Board) { b.Problems = []string{"2.json: not a task"} }, who: "the voyage", why: "2.json"},
		{kind: fleet.NeedCost, change: func(b *fleet.Board) { b.Ships[1].Guard = "older than 8h" }, who: "ship-1", why: "older than 8h"},
		{kind: fleet.NeedProposal, change: func(b *fleet.Board) {
			b.Proposals = []fleet.Proposal{{ID: 1, At: stood, Ship: "ship-1", Text: "add a task: " + strings.Repeat("é", 200)}}
		}, who: "ship-1", why: "add a task"},
	} {
		told = append(told, c.kind)
		t.Run(string(c.kind), func(t *testing.T) {
			b := calm()
			c.change(b)
			all := All(noon, b, c.gone)
			if got := kinds(all); !slices.Equal(got, []fleet.NeedKind{c.kind}) {
				t.Fatalf("found %v: %+v", got, all)
			}
			n := all[0]
			if n.Who() != c.who || !strings.Contains(n.Why, c.why) || utf8.RuneCountInString(n.Why) > MostWhy {
				t.Errorf("it says %q", n.String())
			}
			if n.Do == "" || !strings.HasPrefix(n.Command, "ocaptain ") || n.Kind != fleet.NeedOrphans && n.Do != DoDoctor && !strings.Contains(n.Command, b.Voyage.ID) {
				t.Errorf("it is helped by %q: %q", n.Do, n.Command)
			}
		})
	}
	for _, k := range needKinds {
		if !slices.Contains(told, k.Kind) {
			t.Errorf("no board has %q: add one that has to the cases of this test", k.Kind)
		}
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
