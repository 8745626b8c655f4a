package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/task"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// No record of the journal is lost or sent twice, even over several connections.
func TestJournalGoesOn(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	helm := aboardtest.NewHelm(t)
	var seq int64
	var id string
	helm.From = func(h proto.Hello) int64 {
		if id != "" && h.Journal != id {
			t.Error("the journal has another id")
		}
		id = h.Journal
		return seq
	}
	n := 0
	write := func(count int) {
		for range count {
			n++
			book.Log("out", strings.Repeat("x", n%50), "")
		}
	}
	write(700) // more than fits in one batch
	for range 3 {
		end := helm.Connect(dir)
		write(40)
		eventually.Holds(t, "all lines", func() bool { return len(aboardtest.Seen[proto.Log](helm, proto.KindLog)) == n })
		if err := end(); err != nil {
			t.Errorf("serve: %v", err)
		}
		seq = helm.Events[len(helm.Events)-1].Seq
		write(10)
	}
	for i, l := range aboardtest.Seen[proto.Log](helm, proto.KindLog) {
		if len(l.Text) != (i+1)%50 {
			t.Fatalf("line %d is %q", i, l.Text)
		}
	}
	for i := 1; i < len(helm.Events); i++ {
		if helm.Events[i].Seq <= helm.Events[i-1].Seq {
			t.Fatalf("event %d goes back", i)
		}
	}

	// A machine that lost the end of its journal in a crash starts the journal over.
	seq += 1 << 20
	old := id
	id = ""
	helm.From = func(h proto.Hello) int64 {
		if h.Journal == old {
			return seq
		}
		return 0
	}
	helm.Events = nil
	helm.Connect(dir)
	eventually.Holds(t, "the journal again", func() bool { return len(aboardtest.Seen[proto.Log](helm, proto.KindLog)) == n })
}

// If a writer was killed in the middle of a record, only that record is lost.
func TestTornRecord(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	book.Log("out", "one", "")
	f, err := os.OpenFile(shipdir.Dir(dir).Journal(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"at":"2026-01-01T00:00:00Z","kind":"log","da`)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	book.Close()
	if book, err = shipdir.OpenJournal(shipdir.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	book.Log("out", "two", "")
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	eventually.Holds(t, "both lines", func() bool { return len(aboardtest.Seen[proto.Log](helm, proto.KindLog)) == 2 })
}

// The newest connection wins: an older serve ends, and one that hangs is killed.
func TestTakeOver(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	first, second := aboardtest.NewHelm(t, aboardtest.Task("1")), aboardtest.NewHelm(t, aboardtest.Task("1"))
	end := first.Connect(dir)
	second.Connect(dir)
	if err := end(); !errors.Is(err, errRetired) && err != nil {
		t.Errorf("the first ended with %v", err)
	}
	aboardtest.Fire(t, dir, "PreToolUse", aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"}))
	if second.Claimed["1"] != 1 || first.Claimed["1"] != 0 {
		t.Errorf("claims went to %v and %v", first.Claimed, second.Claimed)
	}
}

func TestTakeOverFromOneThatHangs(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hung := exec.Command(exe, "aboard", "serve")
	hung.Env = append(os.Environ(), "HOME="+dir)
	in, err := hung.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := hung.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hung.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // once it says hello, it has the lock
		t.Fatal(err)
	}
	if err := hung.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	aboardtest.NewHelm(t).Connect(dir)
	if err := hung.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the old one ended with %v", err)
	}
}

// If the home's path is long, the socket is in the user's runtime directory, closed to other users like the usual
// one. If that directory does not exist, serve does not use a directory of another user.
func TestSocketPath(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	long := filepath.Join(dir, strings.Repeat("x", 120))
	runtime, err := os.MkdirTemp("/tmp", "oc-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(runtime)
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	for _, h := range []shipdir.Dir{shipdir.Dir(dir), shipdir.Dir(long)} {
		if err := h.Make(); err != nil {
			t.Fatal(err)
		}
		l, err := listen(h)
		if err != nil {
			t.Fatal(err)
		}
		socket := l.Addr().String()
		for path, want := range map[string]os.FileMode{socket: 0o600, filepath.Dir(socket): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
		_ = l.Close()
	}
}

// The task directory shows the tasks as helm states them. Serve undoes and reports all other changes.
func TestViewOfTheList(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"), aboardtest.Task("2"))
	helm.Connect(dir)
	file := func(id string) string { return filepath.Join(shipdir.ListDir(dir, "voyage-1-tasks"), id+".json") }
	owner := func(id string) string {
		raw, _ := os.ReadFile(file(id))
		var t tasks.Task
		_ = json.Unmarshal(raw, &t)
		return t.Owner + " " + string(t.Status)
	}
	eventually.Holds(t, "the files", func() bool { return owner("1") == " pending" && owner("2") == " pending" })
	aboardtest.Fire(t, dir, "PreToolUse", aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"}))
	eventually.Holds(t, "the claim", func() bool { return owner("1") == "ship-0 in_progress" })

	stolen := aboardtest.Task("2")
	stolen.Status, stolen.Owner = tasks.Completed, "ship-0"
	raw, err := json.Marshal(stolen)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("2"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the report", func() bool {
		for _, r := range aboardtest.Seen[proto.Tamper](helm, proto.KindTamper) {
			if r.Task == "2" && r.What == "edited" {
				return true
			}
		}
		return false
	})
	eventually.Holds(t, "the repair", func() bool { return owner("2") == " pending" })

	news := aboardtest.Task("2")
	news.Status, news.Owner = tasks.InProgress, "ship-1"
	if err := helm.Conn.Call(t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{news}}, nil); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "news", func() bool { return owner("2") == "ship-1 in_progress" })
	all, err := task.ReadList(dir)
	if err != nil || len(all) != 2 {
		t.Errorf("the list is %v, %v", all, err)
	}
	var out strings.Builder
	if err := task.List(dir, "", &out); err != nil || out.String() != "#1 [in_progress] task 1 (ship-0)\n" {
		t.Errorf("listed %q, %v", out.String(), err)
	}
	out.Reset()
	if err := task.List(dir, "2", &out); err != nil || !strings.HasPrefix(out.String(), "#2 [in_progress] task 2 (ship-1)\n") {
		t.Errorf("by its id it lists %q, %v", out.String(), err)
	}
}

// A full list may arrive in parts, with news in between.
func TestListInParts(t *testing.T) {
	b := newTaskList("ship-0")
	steps := []proto.TaskUpdate{
		{Full: true, More: true, Tasks: []tasks.Task{aboardtest.Task("1")}},
		{Tasks: []tasks.Task{{ID: "1", Owner: "ship-0", Status: tasks.InProgress}}},
		{Full: true, Tasks: []tasks.Task{aboardtest.Task("2")}},
	}
	for i, s := range steps {
		all, err := b.update(s)
		if err != nil || (all != nil) != (i == 2) {
			t.Errorf("step %d: %v, %v", i, all, err)
		}
	}
	h, err := b.held(t.Context(), shipdir.HeldRequest{Task: "1"})
	if err != nil || !h.Mine || len(h.Tasks) != 1 {
		t.Errorf("held is %+v, %v", h, err)
	}
}

// Commands of agents without hooks do what the hooks do.
func TestCommands(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, tasks.Task{ID: "1", Subject: "One", Description: "Do it."}, aboardtest.Task("2"))
	helm.Connect(dir)
	var out strings.Builder
	for _, err := range []error{
		task.Claim(t.Context(), dir, "", &out),
		task.Complete(t.Context(), dir, "1", "because", &out),
		task.Claim(t.Context(), dir, "2", &out),
		task.Release(t.Context(), dir, "2", "too hard", &out),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	const want = "claimed task 1: One\n\nDo it.\ncompleted task 1: 1 file merged\nclaimed task 2: task 2\n\n\ngave back task 2\n"
	if out.String() != want {
		t.Errorf("printed %q", out.String())
	}
	if err := task.Claim(t.Context(), dir, "1", &out); err == nil || err.Error() != "task 1 is already completed" {
		t.Errorf("error is %v", err)
	}
	if r := helm.Releases; len(r) != 1 || r[0] != (proto.ReleaseRequest{Claim: proto.Claim{Task: "2", Epoch: 1}, Reason: "too hard"}) {
		t.Errorf("releases are %+v", r)
	}
	eventually.Holds(t, "the states", func() bool { return helm.States() == "working idle working idle" })
}
