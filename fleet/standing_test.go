package fleet

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
)

// TestStand checks the standing of a task in every state that it can have.
func TestStand(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	handed := &tasks.HandIn{Owner: "worker-1", Epoch: 1, Commit: "c1", At: now}
	approved := &tasks.HandIn{Owner: "worker-1", Epoch: 1, Commit: "c1", At: now, Checked: "c2", Review: &tasks.Review{Approved: true, By: "validator-0"}}
	held := func(s tasks.Status, owner string, h *tasks.HandIn) tasks.State {
		return tasks.State{Task: tasks.Task{Status: s, Owner: owner}, HandIn: h}
	}
	for _, c := range []struct {
		name    string
		task    tasks.State
		blocked bool
		want    string // standing, step, reviewer, and the ship that it was returned to
	}{
		{"ready", held(tasks.Pending, "", nil), false, "ready"},
		{"blocked", held(tasks.Pending, "", nil), true, "blocked"},
		{"delayed", tasks.State{Task: tasks.Task{Status: tasks.Pending}, NotBefore: now.Add(time.Hour), RequeuedAt: now}, false, "delayed"},
		{"a delay that is over", tasks.State{Task: tasks.Task{Status: tasks.Pending}, NotBefore: now.Add(-time.Hour), RequeuedAt: now}, false, "ready"},
		{"a delay of a wrong clock", tasks.State{Task: tasks.Task{Status: tasks.Pending}, NotBefore: now.Add(9 * time.Hour), RequeuedAt: now.Add(8 * time.Hour)}, false, "ready"},
		{"delayed and blocked", tasks.State{Task: tasks.Task{Status: tasks.Pending}, NotBefore: now.Add(time.Hour), RequeuedAt: now}, true, "blocked"},
		{"on hold", tasks.State{Task: tasks.Task{Status: tasks.Pending}, OnHold: true}, true, "on hold"},
		{"working", held(tasks.InProgress, "worker-1", nil), false, "in progress"},
		{"handed in", held(tasks.Pending, "", handed), false, "in review, waits"},
		{"handed in and blocked since", held(tasks.Pending, "", handed), true, "in review, waits"},
		{"reviewed", held(tasks.InProgress, "validator-0", handed), false, "in review, reviewing, validator-0"},
		{"approved", held(tasks.Pending, "", approved), false, "in review, merging, validator-0"},
		{"a review that failed", tasks.State{Task: tasks.Task{Status: tasks.Pending}, HandIn: handed, OnHold: true}, false, "on hold, on hold"},
		{"done", held(tasks.Completed, "worker-1", nil), false, "completed"},
		{"done by review", held(tasks.Completed, "worker-1", approved), false, "completed, validator-0"},
		{"sent back", tasks.State{Task: tasks.Task{Status: tasks.Pending}, Draft: "c1", ReservedFor: "worker-1"}, false, "ready, back at worker-1"},
		{"sent back, who did it is gone", tasks.State{Task: tasks.Task{Status: tasks.Pending}, Draft: "c1"}, false, "ready, back at anybody"},
		{"mended", tasks.State{Task: tasks.Task{Status: tasks.InProgress, Owner: "worker-2"}, Draft: "c1"}, false, "in progress, back at worker-2"},
	} {
		got := []string{Stand(&c.task, c.blocked, now).String()}
		for _, word := range []string{string(StepOf(&c.task)), Reviewer(&c.task)} {
			if word != "" {
				got = append(got, word)
			}
		}
		if with, back := IsBack(&c.task); back && with == "" {
			got = append(got, "back at anybody")
		} else if back {
			got = append(got, "back at "+with)
		}
		if is := strings.Join(got, ", "); is != c.want {
			t.Errorf("%s: %s, want %s", c.name, is, c.want)
		}
	}
}

// TestMergeQueue checks that the queue begins with the oldest, and that an empty queue is not nil.
func TestMergeQueue(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	handed := func(id string, s tasks.Status, minute int) tasks.State {
		return tasks.State{Task: tasks.Task{ID: id, Status: s}, HandIn: &tasks.HandIn{At: at.Add(time.Duration(minute) * time.Minute)}}
	}
	b := Board{Tasks: []tasks.State{
		handed("1", tasks.Pending, 3), handed("2", tasks.Completed, 0), handed("3", tasks.InProgress, 1), {Task: tasks.Task{ID: "4"}}, handed("5", tasks.Pending, 3),
	}}
	var ids []string
	for _, q := range b.MergeQueue() {
		ids = append(ids, q.Task)
	}
	if fmt.Sprint(ids) != "[3 1 5]" {
		t.Errorf("the queue is %v", ids)
	}
	raw, err := json.Marshal((&Board{}).MergeQueue())
	if err != nil || string(raw) != "[]" {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestTally(t *testing.T) {
	n := Tally{TaskReady: 1, TaskBlocked: 2, TaskDelayed: 3, TaskDone: 4, TaskInReview: 5}
	if n.Total() != 15 || n.Pending() != 6 {
		t.Errorf("%d in all, %d pending", n.Total(), n.Pending())
	}
}
