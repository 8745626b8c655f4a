package pool

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

var now = time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)

// all makes a snapshot of tasks, which are called 1, 2, …
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

func onHold(t *tasks.State) { t.OnHold = true }

func delayed(t *tasks.State) { t.NotBefore = now.Add(time.Minute) }

func running(ship string) tasks.State {
	return tasks.State{Task: tasks.Task{Status: tasks.InProgress, Owner: ship}}
}

func done() tasks.State { return tasks.State{Task: tasks.Task{Status: tasks.Completed}} }

func TestGive(t *testing.T) {
	for name, tt := range map[string]struct {
		all  tasks.Snapshot
		free []string
		want []kind.Gift
	}{
		"nothing waits":               {all(done(), running("kite-1")), []string{"kite-2"}, nil},
		"nobody is free":              {all(queued()), nil, nil},
		"the first worker that is":    {all(queued()), []string{"kite-2", "kite-1"}, []kind.Gift{{Task: "1", Ship: "kite-2"}}},
		"first come, first served":    {all(queued(), queued(), queued()), []string{"kite-1", "kite-2"}, []kind.Gift{{Task: "1", Ship: "kite-1"}, {Task: "2", Ship: "kite-2"}}},
		"one that has one gets none":  {all(queued(reserved("kite-1")), queued()), []string{"kite-1", "kite-2"}, []kind.Gift{{Task: "2", Ship: "kite-2"}}},
		"nor one that works":          {all(running("kite-1"), queued()), []string{"kite-1"}, nil},
		"for one worker":              {all(queued(wants("kite-2"))), []string{"kite-1", "kite-2"}, []kind.Gift{{Task: "1", Ship: "kite-2"}}},
		"for one that is busy":        {all(queued(wants("kite-2")), queued()), []string{"kite-1"}, []kind.Gift{{Task: "2", Ship: "kite-1"}}},
		"what failed waits":           {all(queued(onHold)), []string{"kite-1"}, nil},
		"what is delayed does":        {all(queued(delayed), queued()), []string{"kite-1"}, []kind.Gift{{Task: "2", Ship: "kite-1"}}},
		"by number, not as they come": {tasks.NewSnapshot(1, []*tasks.State{{Task: tasks.Task{ID: "10", Status: tasks.Pending}}, {Task: tasks.Task{ID: "9", Status: tasks.Pending}}}, nil), []string{"kite-1"}, []kind.Gift{{Task: "9", Ship: "kite-1"}}},
	} {
		if is := (Pool{}).Give(now, tt.all, tt.free); !reflect.DeepEqual(is, tt.want) {
			t.Errorf("%s: %v", name, is)
		}
	}
}

func TestLacks(t *testing.T) {
	for name, tt := range map[string]struct {
		all    tasks.Snapshot
		coming int
		want   int
	}{
		"nothing waits":         {all(done()), 0, 0},
		"two wait":              {all(queued(), queued()), 0, 2},
		"one is being made":     {all(queued(), queued()), 1, 1},
		"more are":              {all(queued()), 3, 0},
		"it has its worker":     {all(queued(reserved("kite-1"))), 0, 0},
		"it waits for a worker": {all(queued(wants("kite-1"))), 0, 0},
	} {
		if is := Lacks(tt.all, tt.coming); is != tt.want {
			t.Errorf("%s: %d", name, is)
		}
	}
}

// Ships can claim nothing, and a pool is never done, nor verified.
func TestNothingByItself(t *testing.T) {
	p, open := Pool{}, all(queued())
	if ids, _ := p.Look(open).Ready("kite-1", now); len(ids) > 0 || p.IsDone(all(done())) || !p.Gives() {
		t.Errorf("a worker may claim %v", ids)
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
	if p.ShipName(p.First()) != "kite-1" || p.Begin("kite-1") != "" || p.Tell(&task) != "do it" || p.Base(&task) != "c0" {
		t.Error("a worker is called or told otherwise")
	}
}
