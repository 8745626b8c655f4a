package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// workshop is a home directory with a repository where the seed has it.
type workshop struct {
	t    *testing.T
	home string
}

func newWorkshop(t *testing.T) workshop {
	t.Helper()
	w := workshop{t, t.TempDir()}
	if err := os.MkdirAll(w.repo(), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w workshop) repo() string { return filepath.Join(w.home, "voyage", "workspace") }

// try runs a program in the repository.
func (w workshop) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.repo()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "TMPDIR=" + w.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// must is try for what has to work.
func (w workshop) must(name string, args ...string) string {
	w.t.Helper()
	out, err := w.try(name, args...)
	if err != nil {
		w.t.Fatalf("%s %.60q: %v\n%s", name, args, err, out)
	}
	return out
}

// do runs a task and commits what it changed.
func (w workshop) do(task Task) {
	w.t.Helper()
	w.must("sh", "-c", task.Run())
	if check := task.Verify(); check != "" {
		w.must("sh", "-c", check)
	}
	w.must("git", "add", "-A")
	w.must("git", "commit", "-qm", task.ID)
}

// begin makes the repository with one empty commit.
func (w workshop) begin() {
	w.t.Helper()
	w.must("git", "init", "-q", "-b", "main")
	w.must("git", "commit", "-qm", "begin", "--allow-empty")
}

// copy returns a workshop with a clone.
func (w workshop) copy(t *testing.T) workshop {
	t.Helper()
	c := newWorkshop(t)
	c.must("git", "clone", "-q", w.repo(), ".")
	return c
}

// verify runs the plan's verify.sh as a ship does.
func (w workshop) verify(plan *Plan) (string, error) {
	script := filepath.Join(w.t.TempDir(), "verify.sh")
	if err := os.WriteFile(script, plan.Verify, 0o755); err != nil {
		w.t.Fatal(err)
	}
	return w.try(script)
}

func open(t *testing.T, name string) *Plan {
	t.Helper()
	plan, defects := Open(examplePrefix + name)
	if len(defects) > 0 {
		t.Fatalf("example %s: %v", name, defects)
	}
	return plan
}

// order returns the tasks so that each comes after its blockers.
func order(plan *Plan) []Task {
	var all []Task
	for _, level := range plan.Graph.Levels() {
		for _, id := range level {
			all = append(all, plan.Graph.Task(id))
		}
	}
	return all
}

func TestExamples(t *testing.T) {
	for name, size := range map[string]int{"tiny": 3, "harbor": 28} {
		plan := open(t, name)
		if len(plan.Tasks) != size || plan.Repo.Kind != RepoFresh || plan.Ships != plan.Graph.UsefulShips() {
			t.Errorf("%s: %d tasks in repository %s on %d ships", name, len(plan.Tasks), plan.Repo, plan.Ships)
		}
		checks := 0
		before := map[string]bool{}
		queue := []string{plan.Tasks[size-1].ID}
		for len(queue) > 0 {
			id := queue[0]
			queue = queue[1:]
			if !before[id] {
				before[id] = true
				queue = append(queue, plan.Graph.Blockers(id)...)
			}
		}
		for _, task := range plan.Tasks {
			if !before[task.ID] {
				t.Errorf("%s: the last task does not wait for %s", name, task.ID)
			}
			if task.Run() == "" || task.Description == "" || task.ActiveForm == "" || task.Estimate() == 0 {
				t.Errorf("%s: task %s has no run, description, activeForm or estimate", name, task.ID)
			}
			if task.Verify() != "" {
				checks++
			}
		}
		if checks < 2 {
			t.Errorf("%s: %d tasks have a check of their own", name, checks)
		}
	}
	if len(open(t, "harbor").Graph.Groups()) == 0 {
		t.Error("harbor has no group")
	}
	if entries, err := examples.ReadDir("examples"); err != nil || len(entries) != len(Examples()) {
		t.Errorf("examples: %v, %v", entries, err)
	}
}

// The task files are as Claude Code would write them.
func TestExampleFiles(t *testing.T) {
	err := fs.WalkDir(examples, "examples", func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Base(filepath.Dir(name)) != tasksDir {
			return err
		}
		data, err := examples.ReadFile(name)
		if err != nil {
			return err
		}
		var task Task
		if err := json.Unmarshal(data, &task); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		plain, err := task.MarshalJSON()
		if err != nil {
			return err
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, plain, "", "  "); err != nil {
			return err
		}
		if strings.TrimSpace(string(data)) != pretty.String() {
			t.Errorf("%s is not in the form of Claude Code:\n%s", name, pretty.String())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// An example is done when all its tasks are, and not when any of them is not.
func TestExamplesRun(t *testing.T) {
	for _, name := range Examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := open(t, name)
			w := newWorkshop(t)
			w.begin()
			if out, err := w.verify(plan); err == nil {
				t.Fatalf("nothing is done, but verify says %s", out)
			}
			all := order(plan)
			commits := map[string]string{}
			for _, task := range all {
				w.do(task)
				commits[task.ID] = w.must("git", "rev-parse", "HEAD")
			}
			if out, err := w.verify(plan); err != nil {
				t.Fatalf("everything is done, but verify says %s", out)
			}
			if out, err := w.copy(t).verify(plan); err != nil {
				t.Fatalf("everything is there in a clone, but verify says %s", out)
			}
			for _, task := range all {
				t.Run("without "+task.ID, func(t *testing.T) {
					t.Parallel()
					c := w.copy(t)
					c.undo(commits[task.ID])
					if last := all[len(all)-1]; task.ID != last.ID {
						if out, err := c.try("sh", "-c", last.Run()); err != nil {
							t.Logf("the last task notices: %s", out)
						}
					}
					if out, err := c.verify(plan); err == nil {
						t.Errorf("verify says %s", out)
					}
				})
			}
		})
	}
}

// undo takes back what a commit did to the files.
func (w workshop) undo(commit string) {
	w.t.Helper()
	for line := range strings.Lines(w.must("git", "diff-tree", "-r", "--name-status", commit+"^", commit)) {
		status, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if status == "A" {
			w.must("rm", file)
			continue
		}
		w.must("sh", "-c", `git diff "$1" "$1^" -- "$2" | git apply`, "undo", commit, file)
	}
}

// Whoever does what and in which order of completion: the work of ships that began
// from different commits merges without conflict, and the result is right.
func TestExamplesMerge(t *testing.T) {
	for _, c := range []struct {
		name  string
		ships int
	}{{"tiny", 3}, {"harbor", 3}, {"harbor", 28}} {
		t.Run(fmt.Sprintf("%s on %d", c.name, c.ships), func(t *testing.T) {
			t.Parallel()
			plan := open(t, c.name)
			w := newWorkshop(t)
			w.begin()
			chance := rand.New(rand.NewPCG(1, uint64(c.ships)))
			done := map[string]bool{}
			begun := map[string]bool{}
			type hold struct {
				task Task
				ship workshop
			}
			var held []hold
			for len(done) < len(plan.Tasks) {
				var ready []string
				for _, task := range plan.Tasks {
					open := slices.ContainsFunc(task.BlockedBy, func(id string) bool { return !done[id] })
					if !open && !begun[task.ID] {
						ready = append(ready, task.ID)
					}
				}
				if len(ready) > 0 && len(held) < c.ships && (len(held) == 0 || c.ships > 3 || chance.IntN(3) > 0) {
					task := plan.Graph.Task(ready[0])
					begun[task.ID] = true
					ship := w.copy(t)
					ship.do(task)
					held = append(held, hold{task, ship})
					continue
				}
				i := chance.IntN(len(held))
				w.must("git", "fetch", "-q", held[i].ship.repo(), "main")
				w.must("git", "merge", "-q", "-m", held[i].task.ID, "FETCH_HEAD")
				if check := held[i].task.Verify(); check != "" {
					w.must("sh", "-c", check)
				}
				done[held[i].task.ID] = true
				held = slices.Delete(held, i, i+1)
			}
			if out, err := w.verify(plan); err != nil {
				t.Errorf("verify says %s", out)
			}
		})
	}
}
