package planfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
)

func TestNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plans", "add-auth")
	if err := New(dir, "", tasks.Repo{Kind: tasks.RepoPath, Name: "../.."}); err != nil {
		t.Fatal(err)
	}
	plan, defects := Open(dir)
	if len(defects) > 0 || plan.Name != "add-auth" || plan.Repo.Name != "../.." || len(plan.Tasks) != 3 || strings.HasPrefix(plan.Created, "2026-01-05") {
		t.Errorf("plan %q of %s with %d tasks, defects %v", plan.Name, plan.Created, len(plan.Tasks), defects)
	}
	if info, err := os.Stat(filepath.Join(dir, "verify.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("verify.sh: %v, %v", info, err)
	}

	before, err := os.ReadFile(filepath.Join(dir, "voyage.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := New(dir, "other", tasks.Repo{Kind: tasks.RepoFresh}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a plan was overwritten: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "voyage.json")); err != nil || string(after) != string(before) {
		t.Errorf("voyage.json changed: %v", err)
	}
}

func TestNewInEmptyDirectory(t *testing.T) {
	dir := t.TempDir()
	const name = `quotes " and <marks> …`
	if err := New(dir, name, tasks.Repo{Kind: tasks.RepoFresh}); err != nil {
		t.Fatal(err)
	}
	if plan, defects := Open(dir); len(defects) > 0 || plan.Name != name {
		t.Errorf("plan %q, defects %v", plan.Name, defects)
	}
	if err := New(t.TempDir(), "a\x1bb", tasks.Repo{Kind: tasks.RepoFresh}); err == nil {
		t.Error("a name with control characters was taken")
	}
}
