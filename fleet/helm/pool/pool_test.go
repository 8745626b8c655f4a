package pool

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

var now = time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)

// all returns a snapshot of tasks with the ids 1, 2, …
func all(states ...tasks.State) tasks.Snapshot {
	var list []*tasks.State
	for i := range states {
		states[i].ID = strconv.Itoa(i + 1)
		list = append(list, &states[i])
	}
	return tasks.NewSnapshot(7, list, nil)
}

func queued(with ...func(*tasks.State)) tasks.State {
	t := tasks.State{Task: tasks.Dispatch{Command: "do it", Base: "c0"}.Task()}
	for _, f := range with {
		f(&t)
	}
	return t
}

func reserved(ship string) func(*tasks.State) {
	return func(t *tasks.State) { t.ReservedFor = ship }
}

func wants(ship string) func(*tasks.State) {
	return func(t *tasks.State) { t.Metadata["worker"] = ship }
}

func from(provider string) func(*tasks.State) {
	return func(t *tasks.State) { t.Metadata["provider"] = provider }
}

// ships returns workers from names, which may include a provider other than the default.
func ships(names ...string) (all []kind.Ship) {
	for _, name := range names {
		name, provider, _ := strings.Cut(name, " ")
		all = append(all, kind.Ship{Name: name, Provider: cmp.Or(provider, "local")})
	}
	return all
}

func onHold(t *tasks.State) { t.OnHold = true }

func delayed(t *tasks.State) { t.NotBefore = now.Add(time.Minute) }

func running(ship string) tasks.State {
	return tasks.State{Task: tasks.Task{Status: tasks.InProgress, Owner: ship}}
}

func done() tasks.State { return tasks.State{Task: tasks.Task{Status: tasks.Completed}} }

func TestGive(t *testing.T) {
	for name, tt := range map[string]struct {
		all  tasks.Snapshot
		free []kind.Ship
		want []kind.Gift
	}{
		"nothing waits":                {all(done(), running("kite-1")), ships("kite-2"), nil},
		"nobody is free":               {all(queued()), nil, nil},
		"the first worker that is":     {all(queued()), ships("kite-2", "kite-1"), []kind.Gift{{Task: "1", Ship: "kite-2"}}},
		"first come, first served":     {all(queued(), queued(), queued()), ships("kite-1", "kite-2"), []kind.Gift{{Task: "1", Ship: "kite-1"}, {Task: "2", Ship: "kite-2"}}},
		"one that has one gets none":   {all(queued(reserved("kite-1")), queued()), ships("kite-1", "kite-2"), []kind.Gift{{Task: "2", Ship: "kite-2"}}},
		"nor one that works":           {all(running("kite-1"), queued()), ships("kite-1"), nil},
		"for one worker":               {all(queued(wants("kite-2"))), ships("kite-1", "kite-2"), []kind.Gift{{Task: "1", Ship: "kite-2"}}},
		"for one that is busy":         {all(queued(wants("kite-2")), queued()), ships("kite-1"), []kind.Gift{{Task: "2", Ship: "kite-1"}}},
		"from one provider":            {all(queued(from("hosts"))), ships("kite-1", "kite-2 hosts"), []kind.Gift{{Task: "1", Ship: "kite-2"}}},
		"from where none is free":      {all(queued(from("hosts")), queued()), ships("kite-1"), []kind.Gift{{Task: "2", Ship: "kite-1"}}},
		"its worker is from elsewhere": {all(queued(from("hosts"), wants("kite-1"))), ships("kite-1", "kite-2 hosts"), nil},
		"from anywhere":                {all(queued(), queued()), ships("kite-1 hosts", "kite-2"), []kind.Gift{{Task: "1", Ship: "kite-1"}, {Task: "2", Ship: "kite-2"}}},
		"what failed waits":            {all(queued(onHold)), ships("kite-1"), nil},
		"what is delayed does":         {all(queued(delayed), queued()), ships("kite-1"), []kind.Gift{{Task: "2", Ship: "kite-1"}}},
	} {
		if is := (Pool{}).Give(now, tt.all, tt.free); !reflect.DeepEqual(is, tt.want) {
			t.Errorf("%s: %v", name, is)
		}
	}
}

func TestLacks(t *testing.T) {
	for name, tt := range map[string]struct {
		all    tasks.Snapshot
		coming []kind.Ship
		want   string
	}{
		"nothing waits":                {all(done()), nil, `[]`},
		"two wait":                     {all(queued(), queued()), nil, `["" ""]`},
		"one is being made":            {all(queued(), queued()), ships("kite-1"), `[""]`},
		"more are":                     {all(queued()), ships("kite-1", "kite-2", "kite-3"), `[]`},
		"it has its worker":            {all(queued(reserved("kite-1"))), nil, `[]`},
		"it waits for a worker":        {all(queued(wants("kite-1"))), nil, `[]`},
		"from a provider":              {all(queued(from("hosts")), queued()), nil, `["hosts" ""]`},
		"one is made elsewhere":        {all(queued(from("hosts"))), ships("kite-1"), `["hosts"]`},
		"one is made there":            {all(queued(from("hosts"))), ships("kite-1", "kite-2 hosts"), `[]`},
		"both are, each from its own":  {all(queued(), queued(from("hosts"))), ships("kite-1", "kite-2 hosts"), `[]`},
		"the first takes what is made": {all(queued(), queued(from("hosts"))), ships("kite-2 hosts"), `["hosts"]`},
	} {
		if is := fmt.Sprintf("%q", Lacks(tt.all, tt.coming)); is != tt.want {
			t.Errorf("%s: %s", name, is)
		}
	}
}

func TestRefuse(t *testing.T) {
	for name, tt := range map[string]struct {
		d       tasks.Dispatch
		workers []kind.Ship
		most    int
		refused bool
	}{
		"any worker":              {tasks.Dispatch{}, ships("kite-1"), 1, false},
		"there may be one more":   {tasks.Dispatch{Provider: "hosts"}, ships("kite-1"), 2, false},
		"there may not":           {tasks.Dispatch{Provider: "hosts"}, ships("kite-1"), 1, true},
		"there is one":            {tasks.Dispatch{Provider: "hosts"}, ships("kite-1", "kite-2 hosts"), 2, false},
		"it is for one worker":    {tasks.Dispatch{Provider: "hosts", Worker: "kite-1"}, ships("kite-2"), 1, false},
		"there may be none ever":  {tasks.Dispatch{Provider: "hosts"}, nil, 0, true},
		"anywhere, there is none": {tasks.Dispatch{}, nil, 0, false},
	} {
		if err := Refuse(tt.d, tt.workers, tt.most); tt.refused != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Ships of a pool can claim nothing, and the pool is never done and never verified.
func TestNothingByItself(t *testing.T) {
	p, open := Pool{}, all(queued())
	if id := p.Look(open).First(kind.Ship{Name: "kite-1", Role: "worker"}, now); id != "" || p.IsDone(all(done())) || !p.Gives() {
		t.Errorf("a worker may claim %q", id)
	}
	for _, phase := range []fleet.Phase{fleet.Fitting, fleet.Sailing, fleet.Sinking, fleet.Sunk} {
		if is := p.Next(phase, all(done()), nil); is != (kind.Step{Phase: phase}) {
			t.Errorf("%s: %+v", phase, is)
		}
		if over := p.Over(phase) != ""; over != phase.IsOver() || over != (p.Closed(phase) != nil) {
			t.Errorf("%s: %q", phase, p.Over(phase))
		}
	}
}

func TestMerge(t *testing.T) {
	task := queued()
	task.ID, task.Epoch = "7", 2
	m := Pool{Voyage: "voyage-0", Name: "kite"}.Merge(&task, "kite-2", "it is done")
	if m.Onto != "dispatch/kite-2-7" || m.Subject != "do it" || m.Body != "it is done" || m.Author != "kite-2 <kite-2@voyage-0>" {
		t.Errorf("%+v", m)
	}
	p := Pool{Name: "kite"}
	if name, _ := p.Crew(p.First(), nil); name != "kite-1" || p.Tell(&task) != "do it" || p.Base(&task) != "c0" {
		t.Error("a worker is called or told otherwise")
	}
}
