package launch_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/ui/bring"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// envPlan writes a plan for a repository whose task needs the repository's .env, and that has patterns to bring.
func envPlan(t *testing.T, y launch.Yard, repo string, patterns ...string) string {
	t.Helper()
	dir := filepath.Join(y.Cwd, "plan")
	voyage, _ := json.Marshal(map[string]any{"name": "env", "repo": repo, "bring": patterns})
	writeFile(t, filepath.Join(dir, "voyage.json"), string(voyage))
	writeFile(t, filepath.Join(dir, "spec.md"), "# env\n\n## Objective\n\nUse the environment.\n")
	writeFile(t, filepath.Join(dir, "verify.sh"), "#!/bin/bash\ntest -s out && ! test -e .env\n")
	writeFile(t, filepath.Join(dir, "tasks/1.json"), `{"id": "1", "subject": "Use it", "status": "pending", "metadata": {"run": "grep -q hunter2hunter2 .env && echo done >out && git add -A && git commit -qm own"}}`)
	if err := os.Chmod(filepath.Join(dir, "verify.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func paths(c bring.Chosen) (all []string) {
	for _, f := range c.Files {
		all = append(all, f.Path)
	}
	return all
}

// The captain need not agree to files that the captain selects, but to files that a repository or a plan selects. Nothing is brought by
// default, and files that seem to be needed are noted.
func TestAgreesToFiles(t *testing.T) {
	y := realYard(t)
	dir, git := committed(t, y)
	writeFile(t, filepath.Join(dir, ".gitignore"), ".env*\n*.pem\n")
	git("add", ".")
	git("commit", "-qm", "ignore")
	writeFile(t, filepath.Join(dir, ".env"), "PASSWORD=hunter2hunter2\n")
	writeFile(t, filepath.Join(dir, "dev.pem"), "x\n")
	told := func(o *launch.Order) string {
		all := ""
		for _, d := range o.Borrowed {
			all += d.What + "; " + d.Fix + "\n"
		}
		return all
	}
	check := func(w launch.Wish, patterns ...string) *launch.Order {
		t.Helper()
		w.Plan, w.Agent, w.Provider = envPlan(t, y, dir, patterns...), "script", "local"
		o, err := y.CheckWish(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := check(launch.Wish{}); len(o.Bring.Files) > 0 || o.AsksForFiles() || !strings.Contains(told(o), `like .env, and agents do not get them; to bring them, write in `+y.Hub.ConfigFile()+`: bring: [".env"]`) {
		t.Errorf("by default: %+v\n%s", o.Bring, told(o))
	}
	o := check(launch.Wish{}, "/.env", "*.pem", "../*", ".git/config")
	if !slices.Equal(paths(o.Bring), []string{".env", "dev.pem"}) || !o.AsksForFiles() || strings.Contains(told(o), "agents do not get them") {
		t.Errorf("by the plan: %+v\n%s", o.Bring, told(o))
	}
	var p *problem.Problem
	if _, err := y.StartVoyage(t.Context(), o, nil); !errors.As(err, &p) || p.Kind != problem.Refused || !strings.Contains(p.Error(), "ships would get 2 files that git ignores") {
		t.Errorf("nobody agreed, and it sails: %v", err)
	}
	if o := check(launch.Wish{NoBring: true}, "/.env"); len(o.Bring.Files) > 0 || o.AsksForFiles() {
		t.Errorf("none is to be brought: %+v", o.Bring)
	}
	writeFile(t, filepath.Join(dir, bring.IncludeName), "*.pem\n")
	if o := check(launch.Wish{}); !slices.Equal(paths(o.Bring), []string{"dev.pem"}) || !o.AsksForFiles() {
		t.Errorf("by %s: %+v", bring.IncludeName, o.Bring)
	}
	writeFile(t, y.Hub.ConfigFile(), "bring: [dev.pem]\n")
	if o := check(launch.Wish{}); !slices.Equal(paths(o.Bring), []string{"dev.pem"}) || o.AsksForFiles() || len(o.Bring.Files[0].From) != 2 {
		t.Errorf("by config.yaml and %s: %+v", bring.IncludeName, o.Bring)
	}
	if o := check(launch.Wish{}, ".env"); !o.AsksForFiles() {
		t.Error("what the captain named himself agrees to what the plan names")
	}
	writeFile(t, y.Hub.ConfigFile(), "bring: [dev.pem]\nbring_files: 1\n")
	w := launch.Wish{Plan: envPlan(t, y, dir, "*"), Agent: "script", Provider: "local"}
	if _, err := y.CheckWish(t.Context(), w); !errors.As(err, &p) || p.Kind != problem.Usage || p.Field != problem.Files || !strings.Contains(p.Hint, "raise bring_files in "+y.Hub.ConfigFile()) {
		t.Errorf("too many files: %v", err)
	}
	w.Repo = "none"
	if o, err := y.CheckWish(t.Context(), w); err != nil || len(o.Bring.Files) > 0 || !strings.Contains(told(o), "there is no checkout of the repository") {
		t.Errorf("without a checkout: %v", err)
	}
}

// A task has the file that it needs, and the file is in no commit, no log and nowhere on the hub except for the
// archive.
func TestBrings(t *testing.T) {
	y := realYard(t)
	dir, git := committed(t, y)
	writeFile(t, filepath.Join(dir, ".gitignore"), ".env\n")
	git("add", ".")
	git("commit", "-qm", "ignore")
	writeFile(t, filepath.Join(dir, ".env"), "PASSWORD=hunter2hunter2\n")
	o, err := y.CheckWish(t.Context(), launch.Wish{Plan: envPlan(t, y, dir, ".env"), Agent: "script", Provider: "local", Ships: "1", Bring: true})
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	d, err := y.StartVoyage(t.Context(), o, func(p api.Progress) { said += p.Text + "\n" })
	if err != nil {
		t.Fatal(err)
	}
	arrives(t, d)
	if !strings.Contains(said, "ships get 1 file that git ignores, 24 B, 1 of them secret by name or content") {
		t.Errorf("said is\n%s", said)
	}
	if info, err := os.Stat(d.Bring()); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v: %v", info, err)
	}
	err = filepath.WalkDir(string(d), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || path == d.Bring() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "hunter2hunter2") && !strings.Contains(string(raw), "grep -q hunter2hunter2") {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
