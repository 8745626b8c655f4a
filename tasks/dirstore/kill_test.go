package dirstore_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/storetest"
)

// childVariable makes the test binary the process that TestKill kills.
const childVariable = "DIRSTORE_TEST_HOME"

// TestKill kills a process in the middle of its work, again and again. What the store had reported
// as done must still be there.
func TestKill(t *testing.T) {
	if home := os.Getenv(childVariable); home != "" {
		work(t, home)
		return
	}
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	home := t.TempDir()
	s := openAt(t, home, nil)
	all := storetest.Graph(killTasks, seed)
	if _, err := s.Add(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	s.Close()
	kills := 0
	for finished := false; !finished; kills++ {
		said := killed(t, home, 1+random.IntN(20), time.Duration(random.IntN(8))*time.Millisecond)
		s := openAt(t, home, nil)
		snapshot := s.Snapshot()
		if len(snapshot.Problems) > 1 || len(snapshot.Problems) == 1 && !strings.Contains(snapshot.Problems[0], "damaged line") {
			t.Errorf("problems: %v", snapshot.Problems)
		}
		for _, line := range said {
			var word, id string
			var epoch uint64
			if _, err := fmt.Sscan(line, &word, &id, &epoch); err != nil {
				continue // cut off
			}
			task := snapshot.Task(id)
			if task.Epoch < epoch || word == "completed" && (task.Status != tasks.Completed || task.Epoch != epoch) {
				t.Errorf("the dead one said %q, but the task is %+v", line, task)
			}
		}
		finished = true
		for _, task := range snapshot.Tasks {
			finished = finished && task.Status == tasks.Completed
			if task.Status == tasks.InProgress {
				if err := s.Requeue(t.Context(), tasks.Requeue{Task: task.ID, Epoch: task.Epoch}); err != nil {
					t.Error(err)
				}
			}
		}
		s.Close()
	}
	t.Logf("%d lives", kills)
	s = openAt(t, home, nil)
	defer s.Close()
	flush(t, s)
	if why := (directory{t, filepath.Join(home, "tasks")}).shows(s); why != "" {
		t.Error(why)
	}
	for _, task := range all {
		events, err := s.History(t.Context(), task.ID)
		if err != nil {
			t.Fatal(err)
		}
		completions := 0
		for _, e := range events {
			if e.Kind == "completed" {
				completions++
			}
		}
		if completions != 1 {
			t.Errorf("task %s was completed %d times", task.ID, completions)
		}
	}
}

// killed runs a child, kills it a moment after it has printed this many lines, and returns the lines. So a
// child on a slow machine gets as far as on a fast one.
func killed(t *testing.T, home string, lines int, after time.Duration) (said []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), childVariable+"="+home, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text := bufio.NewScanner(out)
	for text.Scan() {
		if said = append(said, text.Text()); len(said) == lines {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // the error says that it was killed
	return said
}

// work claims and completes tasks and prints each, until it is killed or no task is left.
func work(t *testing.T, home string) {
	s := openAt(t, home, nil)
	fmt.Println("open")
	for {
		g, err := s.Claim(t.Context(), "child", "")
		if err != nil {
			return
		}
		fmt.Println("claimed", g.Task.ID, g.Epoch)
		if err := s.Complete(t.Context(), tasks.Completion{Task: g.Task.ID, Owner: "child", Epoch: g.Epoch}); err != nil {
			t.Fatal(err)
		}
		fmt.Println("completed", g.Task.ID, g.Epoch)
	}
}
