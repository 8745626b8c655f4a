package pool

import (
	"fmt"
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestCrew tells for each kind of worker whether it comes, counts against the maximum and is soon free.
func TestCrew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w                     Worker
		comes, counts, isSoon bool
	}{
		"planned":             {Worker{Phase: fleet.Planned}, true, true, false},
		"being made":          {Worker{Phase: fleet.Provisioning}, true, true, false},
		"made and paused":     {Worker{Phase: fleet.Provisioning, Paused: "by you"}, false, true, false},
		"not heard of yet":    {Worker{Phase: fleet.Afloat}, true, true, false},
		"at work, holds one":  {Worker{Phase: fleet.Afloat, Heard: true}, false, true, false},
		"waits":               {Worker{Phase: fleet.Afloat, Heard: true, Soon: true}, false, true, true},
		"waits, is paused":    {Worker{Phase: fleet.Afloat, Heard: true, Soon: true, Paused: "by you"}, false, true, false},
		"waits, is drained":   {Worker{Phase: fleet.Afloat, Heard: true, Soon: true, Draining: true}, false, false, false},
		"its machine is gone": {Worker{Phase: fleet.Afloat, Heard: true, Gone: true}, false, false, false},
		"failed":              {Worker{Phase: fleet.Failed}, false, false, false},
		"goes":                {Worker{Phase: fleet.Going, Heard: true}, false, false, false},
	} {
		crew := Crew{c.w}
		if comes, counts, isSoon := len(crew.Coming()) == 1, len(crew.Counted()) == 1, crew.SoonFree(all(queued())); comes != c.comes || counts != c.counts || isSoon != c.isSoon {
			t.Errorf("%s: comes %t, counts %t, is soon free %t", name, comes, counts, isSoon)
		}
	}
	if !(Crew{}).SoonFree(all(queued(wants("kite-9")))) {
		t.Error("a dispatch for one worker waits for no other")
	}
}

// TestAgain fills lacks with failed workers first.
func TestAgain(t *testing.T) {
	t.Parallel()
	crew := Crew{{Name: "kite-1", Provider: "local", Phase: fleet.Failed}, {Name: "kite-2", Provider: "hosts", Phase: fleet.Failed}, {Name: "kite-3", Provider: "local", Phase: fleet.Afloat}}
	for _, c := range []struct{ lacks, again, more []string }{
		{nil, nil, nil},
		{[]string{""}, []string{"kite-1"}, nil},
		{[]string{"hosts"}, []string{"kite-2"}, nil},
		{[]string{"local", "local"}, []string{"kite-1"}, []string{"local"}},
		{[]string{"", "", ""}, []string{"kite-1", "kite-2"}, []string{""}},
		{[]string{"sprites"}, nil, []string{"sprites"}},
	} {
		if again, more := crew.Again(c.lacks); !slices.Equal(again, c.again) || !slices.Equal(more, c.more) {
			t.Errorf("lacks %q: again %q, more %q", c.lacks, again, more)
		}
	}
}

// TestDispatched says how a dispatch stands: who has it, who comes for it, who is paused, and how many are before it.
func TestDispatched(t *testing.T) {
	t.Parallel()
	one := Worker{Name: "kite-1", Provider: "local", Phase: fleet.Afloat, Heard: true}
	held, new := one, Worker{Name: "kite-2", Provider: "hosts", Phase: fleet.Planned}
	held.Paused = "paused by you"
	drained := one
	drained.Draining = true
	other := Worker{Name: "kite-3", Provider: "hosts", Phase: fleet.Afloat, Heard: true, Paused: "costs too much"}
	for name, c := range map[string]struct {
		crew Crew
		with []func(*tasks.State)
		want string // worker, coming, paused, why, place
	}{
		"it has been given":              {Crew{one, new}, []func(*tasks.State){reserved("kite-1")}, "kite-1 [kite-2] []  0"},
		"it waits":                       {Crew{one}, nil, " [] []  2"},
		"a worker comes":                 {Crew{held, new}, nil, " [kite-2] []  2"},
		"another comes":                  {Crew{held, new}, []func(*tasks.State){wants("kite-1")}, " [] [kite-1] paused by you 2"},
		"none comes from there":          {Crew{held, new}, []func(*tasks.State){from("local")}, " [] [kite-1] paused by you 2"},
		"all are paused":                 {Crew{held, other}, nil, " [] [kite-1 kite-3] paused by you 2"},
		"all from there are paused":      {Crew{one, other}, []func(*tasks.State){from("hosts")}, " [] [kite-3] costs too much 2"},
		"one of them is not paused":      {Crew{one, other}, nil, " [] []  2"},
		"the unpaused worker is drained": {Crew{drained, other}, nil, " [] [kite-3] costs too much 2"},
	} {
		out := c.crew.Dispatched(all(queued(), queued(c.with...)), "2")
		if got := fmt.Sprintf("%s %v %v %s %d", out.Worker, out.Coming, out.Paused, out.Why, out.Place); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
