package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
)

// TestIndependent has claims and completions of tasks in groups; a change that is not independent of the changes before it is left for later.
func TestIndependent(t *testing.T) {
	for name, test := range map[string]struct {
		ops  string // OWNER:TASK claims, without a task the best; OWNER?TASK claims its review; OWNER!TASK completes
		want string // the changes in the set, in the order in which they are carried out
	}{
		"two owners":                      {"x: y:", "x:1 y:2"},
		"an owner twice":                  {"x: x:", "x:1"},
		"a task twice":                    {"x:2 y:2 z:", "x:2"},
		"chosen after it was named":       {"x:1 y:", "x:1 y:2"},
		"a group":                         {"x:3 y:4", "x:3"},
		"the rest of a group":             {"x:3 y: z: w:", "x:3 y:1 z:2 w:5"},
		"none left":                       {"x: y: z: v: w: u: t:1", "x:1 y:2 z:3 v:5 w:10"},
		"a review reserves no group":      {"x: y: z: v: w?9 u: a!7", "x:1 y:2 z:3 v:5 w?9"},
		"refused":                         {"x:6 y:1", "y:1"},
		"completions come last":           {"a!7 x: b!8 y:", "x:1 y:2 a!7 b!8"},
		"refused behind a completion":     {"a!7 x:6 y:", "a!7"},
		"what an owner completes":         {"a!7 a:1", "a!7"},
		"completed twice":                 {"a!7 a!7", "a!7"},
		"a claim that is held":            {"a: x:", "x:1"},
		"held, behind its own completion": {"a!7 a:", "a!7"},
	} {
		t.Run(name, func(t *testing.T) {
			l := testLedger(t, []tasks.Task{
				{ID: "1"},
				{ID: "2"},
				grouped("3", "g"), grouped("4", "g"),
				{ID: "5"},
				{ID: "6", BlockedBy: []string{"7"}},
				{ID: "7"},
				{ID: "8"},
				grouped("9", "h"), grouped("10", "h"),
			})
			for owner, id := range map[string]string{"a": "7", "b": "8", "c": "9"} {
				_, c, err := l.Claim(time.Now(), owner, id, false)
				must(t, errors.Join(err, l.ApplyChange(time.Now(), c)))
			}
			for _, c := range []*Change{{Kind: HandedIn, Task: "9", Owner: "c", Epoch: 1, Commit: "c9"}, {Kind: requeued, Task: "10"}} {
				must(t, l.ApplyChange(time.Now(), c)) // task 9 is in review, and 10 is free
			}
			var ops []operation
			for _, text := range strings.Fields(test.ops) {
				i := strings.IndexAny(text, ":?!")
				owner, id := text[:i], text[i+1:]
				if text[i] == '!' {
					ops = append(ops, func(l *Ledger, _ time.Time) (*Change, error) {
						return l.Complete(tasks.Completion{Task: id, Owner: owner, Epoch: 1})
					})
				} else {
					ops = append(ops, claim(owner, id, text[i] == '?'))
				}
			}
			var got []string
			for _, j := range judged(l, time.Now(), ops) {
				if c := j.change; c != nil {
					mark := map[string]string{claimed: ":", Completed: "!"}[c.Kind]
					if c.Kind == claimed && l.Entries[c.Task].State.InReview() {
						mark = "?"
					}
					got = append(got, c.Owner+mark+c.Task)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}

// TestAlone checks that a change of another kind is alone in its set.
func TestAlone(t *testing.T) {
	reserve := func(l *Ledger, _ time.Time) (*Change, error) { return l.Reservation("1", "x") }
	add := func(l *Ledger, _ time.Time) (*Change, error) {
		_, c, err := l.Add([]tasks.Task{{ID: "9", Status: tasks.Pending}})
		return c, err
	}
	for name, ops := range map[string][]operation{
		"before": {reserve, claim("y", "2", false)}, "behind": {claim("y", "2", false), reserve},
		"two": {reserve, add}, "new tasks": {add, claim("y", "2", false)},
	} {
		l := testLedger(t, []tasks.Task{{ID: "1"}, {ID: "2"}})
		if got := judged(l, time.Now(), ops); len(got) != 1 {
			t.Errorf("%s: %d are together", name, len(got))
		}
	}
}

// FuzzIndependent makes random changes to random tasks. Whatever is together in a set is carried out one after the other in two ways: as it
// was judged by the same state, and judged again right before. The entries are the same, the rules take each, and the same state comes of both.
func FuzzIndependent(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	sizes := map[int]int{}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 57))
		now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
		all := randomTasks(random)
		together, after := NewReplay(), NewReplay()
		for _, r := range []*Replay{together, after} {
			r.Ledger.Wholes = true
			_, c, err := r.Ledger.Add(all)
			must(t, err)
			entries(t, r, now, &Change{Kind: joined, Owner: "hub"})
			entries(t, r, now, c)
		}
		for range 60 {
			now = now.Add(time.Duration(random.IntN(3)) * time.Second)
			ops := make([]operation, 1+random.IntN(12))
			for i := range ops {
				ops[i] = randomOperation(random, together.Ledger)
			}
			set := judged(together.Ledger, now, ops)
			if len(set) == 0 {
				t.Fatal("the first operation is in no set")
			}
			sizes[len(set)]++
			for _, j := range set {
				again, err := j.do(after.Ledger, now)
				if !reflect.DeepEqual(again, j.change) || why(err) != why(j.err) {
					t.Fatalf("judged by the state before: %+v, %v; in its turn: %+v, %v", j.change, j.err, again, err)
				}
				if j.change != nil {
					entries(t, together, now, j.change)
					entries(t, after, now, again)
				}
			}
			if a, b := stateOf(t, together.Ledger, now), stateOf(t, after.Ledger, now); a != b {
				t.Fatalf("the states differ:\n%s\n%s", a, b)
			}
		}
	})
	f.Logf("sizes of sets: %v", sizes)
}

// operation is what a caller wants to change.
type operation func(l *Ledger, now time.Time) (*Change, error)

// judgement is what the rules say to an operation.
type judgement struct {
	do     operation
	change *Change
	err    error
}

// judged judges the first operations, as many as are independent. The result is in an order in which they can be carried out one after the
// other: what is refused or changes nothing comes first, but a claim comes later that found no task only because others were set aside.
func judged(l *Ledger, now time.Time, ops []operation) []judgement {
	in := l.Independent()
	var all []judgement
	for _, do := range ops {
		c, err := do(l, now)
		if c == nil && in.Completes() || c != nil && !in.Add(c) {
			break
		}
		all = append(all, judgement{do, c, err})
	}
	in.Close()
	var first, rest []judgement
	for _, j := range all {
		if c, err := j.do(l, now); c == nil && why(err) == why(j.err) {
			first = append(first, j)
		} else {
			rest = append(rest, j)
		}
	}
	change := func(j judgement) *Change { return cmp.Or(j.change, &Change{Kind: claimed}) }
	slices.SortStableFunc(rest, func(a, b judgement) int { return change(a).Compare(change(b)) })
	return slices.Concat(first, rest)
}

func claim(owner, id string, review bool) operation {
	return func(l *Ledger, now time.Time) (*Change, error) {
		_, c, err := l.Claim(now, owner, id, review)
		return c, err
	}
}

// randomTasks makes tasks that wait for others, in groups and not, some of them parts of others.
func randomTasks(random *rand.Rand) []tasks.Task {
	all := make([]tasks.Task, 4+random.IntN(40))
	for i := range all {
		all[i] = tasks.Task{ID: fmt.Sprint(i + 1), Subject: "task", Status: tasks.Pending, Metadata: map[string]any{"priority": float64(random.IntN(3))}}
		if random.IntN(3) == 0 {
			all[i].Metadata["group"] = fmt.Sprint("g", random.IntN(4))
		}
		for range min(i, random.IntN(3)) {
			all[i].BlockedBy = append(all[i].BlockedBy, fmt.Sprint(1+random.IntN(i)))
		}
		if random.IntN(8) == 0 && i > 0 {
			if parent := fmt.Sprint(1 + random.IntN(i)); !slices.Contains(all[i].BlockedBy, parent) {
				all[i].BlockedBy, all[i].Metadata["parent"] = nil, parent
			}
		}
	}
	return all
}

// randomOperation makes a change that the rules may allow.
func randomOperation(random *rand.Rand, l *Ledger) operation {
	e := l.Order[random.IntN(len(l.Order))]
	s, id := e.State, e.State.ID
	owner, other := fmt.Sprint("ship-", random.IntN(9)), fmt.Sprint("ship-", random.IntN(9))
	if s.Owner != "" && random.IntN(6) > 0 {
		owner = s.Owner
	}
	switch n := random.IntN(20); {
	case n < 6:
		return claim(other, "", false)
	case n < 8:
		return claim(other, id, s.InReview())
	case n < 9:
		return claim(other, id, random.IntN(2) == 0)
	case n < 10:
		return func(l *Ledger, _ time.Time) (*Change, error) { return l.Reservation(id, other) }
	case n < 11:
		delay := time.Duration(random.IntN(3)) * time.Second
		back := ""
		if s.HandIn != nil {
			back = s.HandIn.Commit
		}
		return func(l *Ledger, now time.Time) (*Change, error) {
			return l.Requeue(now, tasks.Requeue{Task: id, Delay: delay, Hold: owner == "ship-0", For: other, Back: back, GoesOn: back == ""})
		}
	case n < 13 && s.Status == tasks.InProgress:
		c := &Change{Kind: HandedIn, Task: id, Owner: s.Owner, Epoch: s.Epoch, Commit: fmt.Sprint("c", s.Epoch)}
		if s.HandIn != nil {
			c = &Change{Kind: Approved, Task: id, Owner: s.Owner, Epoch: s.Epoch, Review: &tasks.Review{Approved: true}}
		}
		return func(l *Ledger, _ time.Time) (*Change, error) { // as dirstore judges it
			if s := l.Entries[id].State; s.Status != tasks.InProgress || s.Owner != c.Owner || s.Epoch != c.Epoch {
				return nil, &tasks.Refusal{Why: tasks.Stale, Task: id}
			}
			return c, nil
		}
	}
	done := tasks.Completion{Task: id, Owner: owner, Epoch: s.Epoch}
	if s.Approved() {
		done.Owner, done.Epoch = s.HandIn.Owner, s.HandIn.Epoch
	}
	return func(l *Ledger, _ time.Time) (*Change, error) { return l.Complete(done) }
}

// why returns what a refusal says, without the tasks that it suggests.
func why(err error) string {
	if no, ok := errors.AsType[*tasks.Refusal](err); ok {
		return fmt.Sprint(no.Why, no.Task, no.Owner, no.Open, no.Until, no.Cause)
	}
	return fmt.Sprint(err)
}

// entries carries out a change as it is read from a log.
func entries(t *testing.T, r *Replay, now time.Time, c *Change) {
	t.Helper()
	records, err := c.Records()
	must(t, err)
	for _, record := range records {
		raw, err := json.Marshal(record)
		must(t, err)
		must(t, r.Apply(now, c.Kind, raw))
	}
}

// stateOf returns all that the rules look at.
func stateOf(t *testing.T, l *Ledger, now time.Time) string {
	t.Helper()
	l.promote(now)
	var all []any
	for _, e := range l.Order {
		holder := ""
		if e.group != nil {
			holder = e.group.holder
		}
		all = append(all, e.State, holder, e.open, e.height, e.aside, e.queue != nil)
	}
	for i := range 9 {
		owner := fmt.Sprint("ship-", i)
		var held []string
		for _, e := range l.held[owner] {
			held = append(held, e.State.ID)
		}
		all = append(all, owner, held, l.choices(owner, len(l.Order)))
	}
	raw, err := json.Marshal(all)
	must(t, err)
	return string(raw)
}

func testLedger(t *testing.T, all []tasks.Task) *Ledger {
	t.Helper()
	for i := range all {
		all[i].Subject, all[i].Status = all[i].ID, tasks.Pending
	}
	l := newLedger()
	b, err := l.NewBatch(all)
	must(t, err)
	l.Insert(time.Now(), b)
	return l
}

func grouped(id, group string) tasks.Task {
	return tasks.Task{ID: id, Metadata: map[string]any{"group": group}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
