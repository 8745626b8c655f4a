package review

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet/helm/blame"
	"ocaptain/tasks"
)

var handed = time.Unix(1000, 0)

// handIn is work of worker-0 that was handed in so many seconds after handed.
func handIn(id, group string, after time.Duration) *tasks.State {
	t := tasks.Task{ID: id, Status: tasks.Pending, Metadata: map[string]any{}}
	if group != "" {
		t.Metadata["group"] = group
	}
	return &tasks.State{Task: t, HandIn: &tasks.HandIn{Owner: "worker-0", At: handed.Add(after * time.Second)}}
}

// Work without a group is like no other, also when a worker has done both.
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		batch batch
		group string
		want  bool
	}{
		{batch{"worker-0", "g", handed.Add(1)}, "g", true},
		{batch{"worker-0", "g", handed.Add(1)}, "", false},
		{batch{"worker-0", "", handed.Add(1)}, "", false},
		{batch{"worker-0", "g", handed}, "g", false},
		{batch{"worker-1", "g", handed.Add(1)}, "g", false},
	} {
		if got := c.batch.has(handIn("1", c.group, 0)); got != c.want {
			t.Errorf("work of the group %q is in %+v: %t", c.group, c.batch, got)
		}
	}
}

// A validator goes on with its batch, else it takes the oldest. No more is in check than there are validators, and approved work is not.
func TestChoose(t *testing.T) {
	approved, checked, blocked := handIn("1", "", 0), handIn("1", "", 0), handIn("1", "", 0)
	approved.HandIn.Review, checked.HandIn.Checked, blocked.BlockedBy = &tasks.Review{}, "c0ffee", []string{"9"}
	open := &tasks.State{Task: tasks.Task{ID: "9", Status: tasks.Pending}}
	one, two, four := handIn("1", "", 0), handIn("2", "", 1), handIn("4", "g", 2)
	for name, c := range map[string]struct {
		queue    []*tasks.State
		checking map[string]string
		free     []string
		begun    batch
		want     string
		wait     time.Duration
	}{
		"nothing":                       {nil, nil, []string{"a"}, batch{}, "", 0},
		"the oldest":                    {[]*tasks.State{one, two, four}, nil, []string{"a"}, batch{}, "1", 0},
		"its batch":                     {[]*tasks.State{one, two, four}, nil, []string{"a"}, batch{"worker-0", "g", four.HandIn.At.Add(1)}, "4", 0},
		"its batch came later":          {[]*tasks.State{one, two, four}, nil, []string{"a"}, batch{"worker-0", "g", four.HandIn.At}, "1", 0},
		"another's batch":               {[]*tasks.State{one, two, four}, nil, []string{"a"}, batch{"worker-9", "g", four.HandIn.At.Add(1)}, "1", 0},
		"approved work is merged":       {[]*tasks.State{approved, two}, nil, []string{"a"}, batch{}, "2", 0},
		"what it waits for is open":     {[]*tasks.State{blocked, two}, nil, []string{"a"}, batch{}, "2", 0},
		"the only validator checks":     {[]*tasks.State{one, two}, map[string]string{"a": "1"}, nil, batch{}, "", 0},
		"it is checked and not merged":  {[]*tasks.State{checked, two}, nil, []string{"a"}, batch{}, "", 0},
		"another validator is free":     {[]*tasks.State{one, two}, map[string]string{"a": "1"}, []string{"b"}, batch{}, "2", 0},
		"several are checked together":  {[]*tasks.State{one}, map[string]string{"a": ""}, []string{"b"}, batch{}, "1", 0},
		"no validator can be reached":   {[]*tasks.State{one}, nil, nil, batch{}, "", again},
		"two are free, two under check": {[]*tasks.State{one, two, four}, map[string]string{"a": "1", "b": "2"}, []string{"c"}, batch{}, "4", 0},
	} {
		batches := map[string]batch{}
		if len(c.free) > 0 {
			batches[c.free[0]] = c.begun
		}
		got, wait := choose(c.queue, tasks.NewSnapshot(1, append(slices.Clone(c.queue), open), nil), c.checking, c.free, batches)
		id := ""
		if got != nil {
			id = got.ID
		}
		if id != c.want || wait != c.wait {
			t.Errorf("%s: %q, again in %s", name, id, wait)
		}
	}
}

// Work that is bad only together with other work does not keep the work before it from the branch.
func TestPassing(t *testing.T) {
	broken := errors.New("the ship is gone")
	for _, c := range []struct {
		n, bad int // so many together do not pass
		fails  error
		want   int
	}{
		{n: 0, bad: 9, want: 1},
		{n: 1, bad: 9, want: 1},
		{n: 4, bad: 9, want: 4},
		{n: 4, bad: 4, want: 2},
		{n: 5, bad: 3, want: 2},
		{n: 8, bad: 2, want: 1},
		{n: 4, bad: 9, fails: broken, want: 1},
	} {
		got, err := passing(c.n, func(n int) error {
			if n >= c.bad {
				return &blame.NotPassed{}
			}
			return c.fails
		})
		if got != c.want || !errors.Is(err, c.fails) {
			t.Errorf("of %d with %d bad: %d, %v", c.n, c.bad, got, err)
		}
	}
}

// Rejected work goes back to its ship, and the third time it waits for the captain.
func TestBack(t *testing.T) {
	is := handIn("7", "", 0)
	is.HandIn.Commit, is.Status, is.Owner, is.Epoch = "c0ffee", tasks.InProgress, "validator-0", 4
	for _, c := range []struct {
		rejections int
		rejected   bool
		hold       bool
		said       string
	}{
		{0, true, false, "its work went back: bad"},
		{1, true, false, "its work went back: bad"},
		{2, true, true, "its work was sent back 3 times, and it is on hold; to have it tried again: requeue 7. Last: bad"},
		{2, false, false, "its work went back: bad"},
	} {
		is.Rejections = c.rejections
		b, said := back(is, "worker-0", "bad\nvery", c.rejected, "requeue 7")
		if b.Hold != c.hold || (b.For == "worker-0") == c.hold || b.Back != "c0ffee" || b.Owner != "validator-0" || b.Epoch != 4 || b.Rejected != c.rejected || said != c.said {
			t.Errorf("%+v: %+v, %q", c, b, said)
		}
	}
}
