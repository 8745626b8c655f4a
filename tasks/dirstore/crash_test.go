package dirstore_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/storetest"
)

// stage is the state of a store at one size of its journal.
type stage struct {
	size  int64
	state string
}

// stateOf returns the state of all tasks as text.
func stateOf(t testing.TB, s tasks.Store) string {
	t.Helper()
	data, err := json.Marshal(s.Snapshot().Tasks)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// live does random things to a store and returns its stages.
func live(t *testing.T, home string, steps int, random *rand.Rand) (stages []stage) {
	t.Helper()
	s := openAt(t, home, nil)
	defer s.Close()
	note := func() {
		info, err := os.Stat(s.journal.Path())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(stages); n == 0 || stages[n-1].size < info.Size() {
			stages = append(stages, stage{info.Size(), stateOf(t, s)})
		}
	}
	note()
	for _, batch := range [][]tasks.Task{storetest.Graph(6, 1), {{Subject: "more", Status: tasks.Pending, BlockedBy: []string{"1"}}}} {
		if _, err := s.Add(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		note()
	}
	for range steps {
		owner := fmt.Sprint("ship-", random.IntN(3))
		switch random.IntN(6) {
		case 0:
			_ = s.Requeue(t.Context(), tasks.Requeue{Task: fmt.Sprint(1 + random.IntN(7)), Reason: "crash"}) // may be refused
		case 1:
			_ = s.Edit(t.Context(), tasks.Edit{Task: "1", Subject: fmt.Sprint(random.Int())}) // may be refused
		case 2:
			_ = s.Reserve(t.Context(), fmt.Sprint(1+random.IntN(7)), owner) // may be refused
		case 3:
			_ = s.Edit(t.Context(), tasks.Edit{Task: fmt.Sprint(1 + random.IntN(7)), Subject: fmt.Sprint(random.Int()), Blocks: []string{fmt.Sprint(1 + random.IntN(7))}}) // may be refused
		default:
			if g, err := s.Claim(t.Context(), owner, ""); err == nil && random.IntN(3) > 0 {
				note()
				if err := s.Complete(t.Context(), tasks.Completion{Task: g.Task.ID, Owner: owner, Epoch: g.Epoch}); err != nil {
					t.Fatal(err)
				}
			}
		}
		note()
	}
	return stages
}

// cut checks that the first size bytes of a journal give the state that the store had at that size, and that a store
// can continue from there.
func cut(t *testing.T, path string, journal []byte, size int64, stages []stage) {
	t.Helper()
	if err := os.WriteFile(path, journal[:size], 0o600); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, stage := range stages {
		if stage.size <= size {
			want = stage.state
		}
	}
	if got := loaded(t, path); got != want {
		t.Fatalf("cut at %d: state is\n%s\nit was\n%s", size, got, want)
	}
}

// loaded returns the state that a journal gives.
func loaded(t *testing.T, path string) string {
	t.Helper()
	all, problems, err := dirstore.Load(path)
	if err != nil || len(problems) > 0 {
		t.Fatalf("load: %v, problems %v", err, problems)
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// goOn opens a store on a cut journal, changes it and opens it again.
func goOn(t *testing.T, home string) {
	t.Helper()
	was := loaded(t, filepath.Join(home, "events.jsonl"))
	s := openAt(t, home, nil)
	if got := stateOf(t, s); got != was {
		t.Fatalf("state is\n%s\nwant\n%s", got, was)
	}
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "after", Subject: "after", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	was = stateOf(t, s)
	s.Close()
	s = openAt(t, home, nil)
	defer s.Close()
	if got := stateOf(t, s); got != was {
		t.Fatalf("gone on: state is\n%s\nit was\n%s", got, was)
	}
}

// TestEveryPrefixIsValid cuts a journal at every byte.
func TestEveryPrefixIsValid(t *testing.T) {
	t.Parallel() // it waits for the disk
	home := t.TempDir()
	stages := live(t, home, 6, rand.New(rand.NewPCG(1, 1)))
	journal, err := os.ReadFile(filepath.Join(home, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d stages", len(journal), len(stages))
	for size := range int64(len(journal)) + 1 {
		home := filepath.Join(home, fmt.Sprint(size%50))
		if err := os.MkdirAll(home, 0o755); err != nil {
			t.Fatal(err)
		}
		cut(t, filepath.Join(home, "events.jsonl"), journal, size, stages)
		if size%50 == 49 { // at some places that do not depend on where records end
			goOn(t, home)
			os.RemoveAll(home)
		}
	}
}

// TestLongPrefixes cuts a long journal at random places.
func TestLongPrefixes(t *testing.T) {
	t.Parallel() // it waits for the disk
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	home := t.TempDir()
	stages := live(t, home, 400, random)
	journal, err := os.ReadFile(filepath.Join(home, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		home := t.TempDir()
		cut(t, filepath.Join(home, "events.jsonl"), journal, random.Int64N(int64(len(journal))), stages)
		if i%10 == 0 {
			goOn(t, home)
		}
	}
}

// TestUnfinishedBatch checks that a batch of several records counts only as a whole, and that the
// rest of one batch does not join the next.
func TestUnfinishedBatch(t *testing.T) {
	t.Parallel() // it waits for the disk
	home := t.TempDir()
	path := filepath.Join(home, "events.jsonl")
	large := func(id string) tasks.Task {
		return tasks.Task{ID: id, Subject: id, Description: strings.Repeat("x", 400<<10), Status: tasks.Pending}
	}
	s := openAt(t, home, nil)
	if _, err := s.Add(t.Context(), []tasks.Task{large("1"), large("2"), large("3")}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	if len(lines) != 3 {
		t.Fatalf("the batch has %d records, want 2", len(lines)-1)
	}
	if err := os.WriteFile(path, []byte(lines[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, home, nil)
	if n := len(s.Snapshot().Tasks); n != 0 {
		t.Fatalf("one part of a batch counts as %d tasks", n)
	}
	if _, err := s.Add(t.Context(), []tasks.Task{large("1"), large("4")}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = openAt(t, home, nil)
	defer s.Close()
	if snapshot := s.Snapshot(); len(snapshot.Tasks) != 2 || len(snapshot.Problems) != 0 {
		t.Fatalf("there are %d tasks, problems %v", len(snapshot.Tasks), snapshot.Problems)
	}
}

// TestDamagedJournal checks that the store reports a damaged line and invents nothing that depends
// on it.
func TestDamagedJournal(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "events.jsonl")
	s := openAt(t, home, nil)
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "1", Subject: "one", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	g, err := s.Claim(t.Context(), "a", "1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(t.Context(), tasks.Completion{Task: "1", Owner: "a", Epoch: g.Epoch}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.journal.AddRecord("ship.started", "somebody else's"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[1] = lines[1][10:]
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, home, nil)
	defer s.Close()
	snapshot := s.Snapshot()
	if task := snapshot.Task("1"); task.Status != tasks.Pending || len(snapshot.Problems) != 2 {
		t.Errorf("task is %+v, problems %q; want it pending, the line and the completion reported", task, snapshot.Problems)
	}
}
