package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks"
)

func testEdit(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	add(t, s, task("1"), task("2"), task("3", "2"), task("4"), task("5"))
	edit := func(e tasks.Edit) error { return s.Edit(t.Context(), e) }
	must := func(e tasks.Edit) {
		t.Helper()
		if err := edit(e); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
	}
	complete(t, s, claim(t, s, "a", "1", "1"), "")
	held := claim(t, s, "a", "2", "2")
	refused(t, edit(tasks.Edit{Task: "99", Subject: "x"}), tasks.Unknown)
	refused(t, edit(tasks.Edit{Task: "1", Subject: "x"}), tasks.Done)

	must(tasks.Edit{Task: "2", Subject: "two", Description: "more of it"}) // while an owner works on the task
	must(tasks.Edit{Task: "4", BlockedBy: []string{"1", "2", "2"}, Blocks: []string{"5"}})
	if got := s.Snapshot().Task("2"); got.Subject != "two" || got.Description != "more of it" || got.Owner != "a" || got.Epoch != held.Epoch {
		t.Errorf("task 2 is %+v", got)
	}
	seq := s.Snapshot().Seq
	must(tasks.Edit{Task: "4", Subject: "task 4", BlockedBy: []string{"2"}, Blocks: []string{"5"}})
	if got := s.Snapshot().Seq; got != seq {
		t.Errorf("what was so already made change %d after %d", got, seq)
	}
	urgent, labels, none := 0, []string{"db", "auth"}, []string{}
	must(tasks.Edit{Task: "4", Priority: &urgent, Labels: &labels})
	seq = s.Snapshot().Seq
	must(tasks.Edit{Task: "4", Priority: &urgent, Labels: &labels})
	if got := s.Snapshot(); got.Seq != seq || got.Task("4").Priority() != 0 || !slices.Equal(got.Task("4").Labels(), labels) || got.Task("4").Subject != "task 4" {
		t.Errorf("task 4 is %+v, change %d after %d", got.Task("4"), got.Seq, seq)
	}
	must(tasks.Edit{Task: "4", Labels: &none})
	if got := s.Snapshot().Task("4"); len(got.Labels()) > 0 || got.Priority() != 0 {
		t.Errorf("task 4 is %+v", got)
	}
	must(tasks.Edit{Task: "5", Blocks: []string{"4"}, UnblockedBy: []string{"4", "3"}}) // reverse both dependencies, in one edit
	if got := s.Snapshot(); fmt.Sprint(got.Task("4").BlockedBy, got.Task("4").Blocks, got.Task("5").BlockedBy, got.Task("5").Blocks) != "[1 2 5] [] [] [4]" {
		t.Errorf("tasks 4 and 5 are %+v and %+v", got.Task("4"), got.Task("5"))
	}
	must(tasks.Edit{Task: "4", Unblocks: []string{"5"}, UnblockedBy: []string{"5"}, Blocks: []string{"5"}})
	ship, check, nothing := "b", "go test ./...", ""
	must(tasks.Edit{Task: "4", Ship: &ship, Verify: &check, By: "captain", Reason: "b knows it"})
	if got := s.Snapshot().Task("4"); got.OnlyShip() != "b" || got.Verify() != check {
		t.Errorf("task 4 is %+v", got)
	}
	must(tasks.Edit{Task: "4", Ship: &nothing})
	if all, err := s.History(t.Context(), "4"); err != nil || all[len(all)-2].By != "captain" || all[len(all)-2].Reason != "b knows it" {
		t.Errorf("history of task 4: %+v, %v", all, err)
	}
	for why, e := range map[string]tasks.Edit{
		"which does not exist":     {Task: "4", Subject: "x", BlockedBy: []string{"99"}},
		"tasks wait for each othe": {Task: "4", Subject: "x", BlockedBy: []string{"5"}},
		"4 → 4":                    {Task: "4", Subject: "x", Blocks: []string{"4"}},
		"already in_progress":      {Task: "4", Subject: "x", Blocks: []string{"2"}},
		"a has begun it":           {Task: "2", Subject: "x", BlockedBy: []string{"3"}},
		"shorten it":               {Task: "4", Description: strings.Repeat("x", 1<<20)},
	} {
		if err := edit(e); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: got %v", why, err)
		}
	}
	if got := s.Snapshot().Task("4"); got.Subject != "task 4" || fmt.Sprint(got.BlockedBy, got.Blocks) != "[1 2] [5]" {
		t.Errorf("task 4 is %+v", got)
	}
	refused(t, second(s.Claim(t.Context(), "b", "4")), tasks.Blocked)
	refused(t, second(s.Claim(t.Context(), "b", "")), tasks.NothingReady)
	before := s.Snapshot().Tasks
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opener(t)
	t.Cleanup(func() { s.Close() })
	if got := s.Snapshot().Tasks; !reflect.DeepEqual(got, before) {
		t.Errorf("opened again it has\n%v, before it had\n%v", got, before)
	}
	complete(t, s, held, "")
	claim(t, s, "b", "", "4") // a longer chain waits for 4 than for 3
	refused(t, second(s.Claim(t.Context(), "c", "5")), tasks.Blocked)
	claim(t, s, "c", "", "3")
}
