package helm

import (
	"errors"
	"fmt"
	"testing"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\nhere": "plain\ttext\nhere",
		"\x9b":              "\uFFFD",
		"0123456789abc":     "0123456789…",
	} {
		if got := clean.Bound(in, 10+len("plain\ttext\nhere")*boolInt(in[0] != '0')); got != want {
			t.Errorf("clean(%q) = %q", in, got)
		}
	}
	if got := clean.Word("two\n words"); got != "two words" {
		t.Errorf("word: %q", got)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestFitting(t *testing.T) {
	t.Parallel()
	var all []tasks.Task
	for i := range 300 {
		all = append(all, tasks.Task{ID: fmt.Sprint(i)})
	}
	if n := fitting(all); n != 200 {
		t.Errorf("small tasks: %d at once", n)
	}
	for i := range all {
		all[i].Description = string(make([]byte, 10<<10)) // six bytes each as JSON
	}
	if n := fitting(all); n < 5 || n > 9 {
		t.Errorf("big tasks: %d at once", n)
	}
	all[0].Description = string(make([]byte, 1<<20))
	if n := fitting(all); n != 1 {
		t.Errorf("a huge task goes with %d others", n-1)
	}
	if fitting(nil) != 0 {
		t.Error("nothing is something")
	}
}

// A ship that was told of a task and is refused keeps nobody else from it.
func TestRefusalEndsOffers(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	all := map[string]*ship{}
	for _, name := range []string{"ship-0", "ship-1", "ship-2"} {
		s, _ := fakeShip(t, v, name)
		s.report(now, proto.AgentState{State: proto.StateIdle})
		all[name] = s
	}
	for _, name := range []string{"ship-0", "ship-1"} {
		if act := all[name].verdictAt(now); act != proto.ActClaim {
			t.Fatalf("%s is told to %q", name, act)
		}
	}
	if act := all["ship-2"].verdictAt(now); act != "" {
		t.Fatalf("both tasks are offered, and a third ship is told to %q", act)
	}
	changed := v.changed
	_ = all["ship-0"].refuse("1", errors.New("it is kept for another"))
	select {
	case <-changed:
	default:
		t.Error("nobody is woken")
	}
	if act := all["ship-2"].verdictAt(now); act != proto.ActClaim {
		t.Errorf("after the refusal it is told to %q", act)
	}
}
