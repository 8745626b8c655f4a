package dirstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/tasks/taskdir"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// aboard opens a view of one task, as it is used on a ship.
func aboard(t *testing.T) (*taskdir.View, directory, *log, tasks.Task) {
	t.Helper()
	d := directory{t, filepath.Join(t.TempDir(), "list")}
	l := &log{}
	v, err := taskdir.OpenView(d.dir, l.report, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	task := tasks.Task{ID: "1", Subject: "one", Status: tasks.Pending, Metadata: map[string]any{tasks.Reserved: map[string]any{"epoch": 1.0}}}
	v.Set([]tasks.Task{task})
	settle(t, v)
	return v, d, l, task
}

func settle(t *testing.T, v *taskdir.View) {
	t.Helper()
	if err := v.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// claimed returns the task as the hub states it once a claim is granted.
func claimed(task tasks.Task, epoch float64) tasks.Task {
	task.Status, task.Owner = tasks.InProgress, "ship-1"
	task.Metadata = map[string]any{tasks.Reserved: map[string]any{"epoch": epoch}}
	return task
}

// looked waits until the view has handled all earlier changes. It writes a proposal and waits for its report, as the
// view handles changes in order.
func looked(t *testing.T, d directory, l *log) {
	t.Helper()
	id := fmt.Sprint("proposal-", time.Now().UnixNano()) // a new name each time
	d.put(id+".json", `{"id":"`+id+`","subject":"s","description":"d","status":"pending","blocks":[],"blockedBy":[]}`)
	if got := l.take(t, 1)[0]; got.What != taskdir.Created {
		t.Errorf("report is %+v, want only the proposal", got)
	}
}

// TestExpectedWrite follows a claim on a ship: the hook asks, then the agent's tool writes, and
// only then the hub's new state arrives.
func TestExpectedWrite(t *testing.T) {
	v, d, l, task := aboard(t)
	v.Expect(claimed(task, 2))
	agent := func(t *tasks.Task) { t.Status, t.Owner = tasks.InProgress, "ship-1" }
	d.edit("1", agent)
	looked(t, d, l)
	if got := d.task("1"); got.Status != tasks.InProgress {
		t.Fatalf("the agent's write was undone: %+v", got)
	}
	v.Set([]tasks.Task{task}) // this says nothing new about task 1
	settle(t, v)
	looked(t, d, l)
	if got := d.task("1"); got.Status != tasks.InProgress {
		t.Fatalf("the agent's write was undone: %+v", got)
	}
	v.Set([]tasks.Task{claimed(task, 2)})
	settle(t, v)
	if got := d.task("1"); fmt.Sprint(got.Metadata[tasks.Reserved].(map[string]any)["epoch"]) != "2" {
		t.Errorf("the file shows %+v, want epoch 2", got)
	}
	looked(t, d, l)

	// The hub requeues the task. A late write of the old state is not reported, but the view
	// restores the file.
	task.Metadata = map[string]any{tasks.Reserved: map[string]any{"epoch": 2.0}}
	v.PutTasks(task)
	settle(t, v)
	d.edit("1", agent)
	looked(t, d, l)
	if got := d.task("1"); got.Status != tasks.Pending {
		t.Errorf("the file shows %+v, want it pending", got)
	}
	// Any other state is still reported.
	d.edit("1", func(t *tasks.Task) { t.Status = tasks.Completed })
	if got := l.take(t, 1)[0]; got.What != taskdir.Edited || fmt.Sprint(got.Fields) != "[status]" {
		t.Errorf("report is %+v", got)
	}
}

// TestExcusedWrite follows a hand-in on a ship: helm states that the task is in review and has no owner. The agent's tool writes that it
// is completed, before or after that.
func TestExcusedWrite(t *testing.T) {
	v, d, l, task := aboard(t)
	v.PutTasks(claimed(task, 2))
	settle(t, v)
	completed := claimed(task, 2)
	completed.Status = tasks.Completed
	inReview := task
	inReview.Metadata = map[string]any{tasks.Reserved: map[string]any{"epoch": 2.0}}
	v.Excuse(completed)
	for range 2 {
		d.edit("1", func(t *tasks.Task) { t.Status, t.Owner = tasks.Completed, "ship-1" })
		v.PutTasks(inReview)
		settle(t, v)
		looked(t, d, l)
		if got := d.task("1"); got.Status != tasks.Pending || got.Owner != "" {
			t.Errorf("the file shows %+v", got)
		}
	}
	d.edit("1", func(t *tasks.Task) { t.Status = tasks.Completed }) // based on what the agent read after that
	v.PutTasks(inReview)
	settle(t, v)
	looked(t, d, l)
	if got := d.task("1"); got.Status != tasks.Pending {
		t.Errorf("after a late write the file shows %+v", got)
	}
	d.edit("1", func(t *tasks.Task) { t.Status, t.Owner = tasks.Completed, "ship-2" })
	if got := l.take(t, 1)[0]; got.What != taskdir.Edited {
		t.Errorf("report is %+v", got)
	}
}

// TestLag opens a view on files that are older than its tasks. It updates files that only ocaptain wrote without a
// report, and reports what somebody edited meanwhile.
func TestLag(t *testing.T) {
	v, d, l, task := aboard(t)
	two := task
	two.ID = "2"
	v.PutTasks(two)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	d.edit("2", func(t *tasks.Task) { t.Status = tasks.Completed })
	v, err := taskdir.OpenView(d.dir, l.report, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if d.task("2").Status != tasks.Completed {
		t.Error("a view that knows nothing changed something")
	}
	claimedTwo := claimed(task, 1)
	claimedTwo.ID = "2"
	v.Set([]tasks.Task{claimed(task, 1), claimedTwo})
	if got := l.take(t, 1)[0]; got.Task != "2" || got.What != taskdir.Edited {
		t.Errorf("report is %+v", got)
	}
	settle(t, v)
	for _, id := range []string{"1", "2"} {
		if d.task(id).Status != tasks.InProgress {
			t.Errorf("task %s is %+v", id, d.task(id))
		}
	}
	v.Set([]tasks.Task{claimedTwo}) // the owner no longer states task 1
	eventually.Holds(t, "1.json removed", func() bool { return d.text("1.json") == "" })
	looked(t, d, l)
}

func TestLocksAreHonoured(t *testing.T) {
	v, d, l, task := aboard(t)
	lock := d.path("1.json.lock")
	if err := os.Mkdir(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	v.PutTasks(claimed(task, 1))
	looked(t, d, l) // the locked file delays no other file
	if d.task("1").Status != tasks.Pending {
		t.Error("the file was written although it was locked")
	}
	os.Remove(lock)
	settle(t, v)
	if d.task("1").Status != tasks.InProgress {
		t.Error("the file was not written")
	}
	// The view takes over a lock after its holder died, and also a lock dated in the future.
	for i, age := range []time.Duration{11 * time.Second, -time.Hour} {
		if err := os.MkdirAll(filepath.Join(lock, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-age)
		if err := os.Chtimes(lock, old, old); err != nil {
			t.Fatal(err)
		}
		task.Subject = fmt.Sprint("subject ", i)
		v.PutTasks(task)
		settle(t, v)
		if d.task("1").Subject != task.Subject {
			t.Errorf("a lock that is %v old kept the file from being written", age)
		}
	}
}
