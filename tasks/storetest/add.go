package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ocaptain/tasks"
)

func testAdd(t *testing.T, fresh Fresh) {
	s := open(t, fresh)
	if got := s.Snapshot(); len(got.Tasks) != 0 {
		t.Fatalf("a new store has %d tasks", len(got.Tasks))
	}
	first := task("7")
	first.Description, first.ActiveForm = "what to do", "doing it"
	first.Blocks = []string{"word"}
	first.Extra = map[string]json.RawMessage{"links": json.RawMessage(`["a"]`)}
	first = with(with(first, "verify", "go test"), tasks.Reserved, map[string]any{"epoch": 9})
	running := task("10", "7", "7")
	running.Status, running.Owner = tasks.InProgress, "somebody"
	old := task("2")
	old.Status, old.Owner = tasks.Completed, "ship-9"
	got := add(t, s, task("word"), first, running, old, task("", "2"), task(""))

	if o := order(s); o != "2 7 10 11 12 word" {
		t.Errorf("order is %q", o)
	}
	if got[4].ID != "11" || got[5].ID != "12" {
		t.Errorf("tasks without id got %q and %q, want the next numbers 11 and 12", got[4].ID, got[5].ID)
	}
	for i, t2 := range got {
		if state := s.Snapshot().Task(t2.ID); state == nil || !reflect.DeepEqual(state.Task, t2) {
			t.Errorf("task %d was returned as %+v, but is %+v", i, t2, state)
		}
	}
	seven := is(t, s, "7", tasks.Pending, "")
	if fmt.Sprint(seven.Blocks) != "[word 10]" && fmt.Sprint(seven.Blocks) != "[10 word]" {
		t.Errorf("task 7 blocks %v, want 10 and word", seven.Blocks)
	}
	if seven.Description != "what to do" || seven.ActiveForm != "doing it" || seven.Verify() != "go test" || string(seven.Extra["links"]) != `["a"]` {
		t.Errorf("task 7 lost something: %+v", seven)
	}
	if _, ok := seven.Metadata[tasks.Reserved]; ok {
		t.Error("reserved metadata was let in")
	}
	is(t, s, "10", tasks.Pending, "")
	is(t, s, "2", tasks.Completed, "ship-9")
	if word := is(t, s, "word", tasks.Pending, ""); fmt.Sprint(word.BlockedBy) != "[7]" {
		t.Errorf("task word is blocked by %v, want 7", word.BlockedBy)
	}
	claim(t, s, "a", "11", "11") // task 11, as its blocker was added as completed
}

func testAddRefused(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"))
	claim(t, s, "a", "1", "1")
	long := task("long")
	long.Description = strings.Repeat("x", 1<<20)
	strange := task("strange")
	strange.Status = "failed"
	blocker := func(id string, blocks ...string) tasks.Task {
		b := task(id)
		b.Blocks = blocks
		return b
	}
	circle := blocker("c", "2") // 2 → d → c → 2
	circle.BlockedBy = []string{"d"}
	for name, batch := range map[string][]tasks.Task{
		"other task with an id in use": {task("good"), with(task("1"), "run", "other")},
		"twice in the batch":           {task("good"), task("3"), task("3")},
		"dangling blockedBy":           {task("good"), task("3", "99")},
		"dangling blocks":              {task("good"), blocker("3", "99")},
		"blocks a claimed task":        {task("good"), blocker("3", "1")},
		"blocks itself":                {task("good"), task("3", "3")},
		"cycle in the batch":           {task("good"), task("3", "5"), task("4", "3"), task("5", "4")},
		"cycle through an old task":    {task("good"), circle, task("d", "2")},
		"id with a slash":              {task("good"), task("../3")},
		"id of the sentinel":           {task("good"), task(tasks.Sentinel)},
		"unknown status":               {task("good"), strange},
		"too long":                     {task("good"), long},
	} {
		if _, err := s.Add(t.Context(), batch); err == nil {
			t.Errorf("%s: added", name)
		} else if o := order(s); o != "1 2" {
			t.Fatalf("%s: refused (%v), but now there is %q", name, err, o)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Add(ended, []tasks.Task{task("3")}); err == nil {
		t.Error("added although the context had ended")
	}
	add(t, s, task("3"), task("4", "3")) // the refused batches added nothing
}

func testAddAgain(t *testing.T, fresh Fresh) {
	first := with(task("1"), "run", "make")
	second := task("2", "1")
	s := open(t, fresh, first, second)
	complete(t, s, claim(t, s, "a", "1", "1"), "c1")
	claim(t, s, "a", "2", "2")
	before := s.Snapshot()
	add(t, s, first, second)
	add(t, s, second)
	for _, old := range before.Tasks {
		if now := s.Snapshot().Task(old.ID); !reflect.DeepEqual(now, old) {
			t.Errorf("adding again changed task %s from %+v to %+v", old.ID, old, now)
		}
	}
	add(t, s, second, task("3", "2")) // a task that was added before, and a new one
	if o := order(s); o != "1 2 3" {
		t.Errorf("order is %q", o)
	}
	if _, err := s.Add(t.Context(), []tasks.Task{task("3", "1", "2")}); err == nil {
		t.Error("a task with another blocker passed as the same")
	}
}

func testAddBlocksOld(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"))
	first := task("3")
	first.Blocks = []string{"1"}
	add(t, s, first)
	no := refused(t, second(s.Claim(t.Context(), "a", "1")), tasks.Blocked)
	if fmt.Sprint(no.Open) != "[3]" {
		t.Errorf("task 1 waits for %v, want 3", no.Open)
	}
	complete(t, s, claim(t, s, "a", "", "3"), "")
	complete(t, s, claim(t, s, "a", "", "1"), "")
	complete(t, s, claim(t, s, "a", "", "2"), "")
}

// testAddLarge adds a batch too large for one record.
func testAddLarge(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	text := strings.Repeat("what to do, at length. ", 1000)
	all := make([]tasks.Task, 60)
	for i := range all {
		all[i] = task(fmt.Sprint(i + 1))
		all[i].Description = text
		if i > 0 {
			all[i].BlockedBy = []string{fmt.Sprint(i)}
		}
	}
	add(t, s, all...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opener(t)
	defer s.Close()
	if got := s.Snapshot(); len(got.Tasks) != len(all) || got.Task("60").Description != text {
		t.Fatalf("after reopening there are %d tasks, want %d", len(got.Tasks), len(all))
	}
	claim(t, s, "a", "", "1")
}

// second returns the error of a claim, its second result.
func second(_ tasks.Grant, err error) error { return err }
