package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
)

// workshop is a home directory with the repository at the seed's path.
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

// must is try for a command that has to work.
func (w workshop) must(name string, args ...string) string {
	w.t.Helper()
	out, err := w.try(name, args...)
	if err != nil {
		w.t.Fatalf("%s %.60q: %v\n%s", name, args, err, out)
	}
	return out
}

// do runs a task and commits its changes.
func (w workshop) do(task tasks.Task) {
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

// order returns the tasks, each after its blockers.
func order(plan *Plan) []tasks.Task {
	var all []tasks.Task
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
		if len(plan.Tasks) != size || plan.Repo.Kind != tasks.RepoFresh || plan.Ships != plan.Graph.UsefulShips() {
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

// The task files have the bytes that Claude Code would write.
func TestExampleFiles(t *testing.T) {
	err := fs.WalkDir(examples, "examples", func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Base(filepath.Dir(name)) != tasksDir {
			return err
		}
		data, err := examples.ReadFile(name)
		if err != nil {
			return err
		}
		var task tasks.Task
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

// undo reverts a commit's changes to files.
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
