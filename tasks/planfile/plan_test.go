package planfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"ocaptain/tasks"
)

// good returns the files of a plan without a defect.
func good() map[string]string {
	return map[string]string{
		"voyage.json":  `{"name": "good", "repo": "owner/repo", "total_tasks": 2, "max_parallel_width": 1, "recommended_ships": 1}`,
		"spec.md":      "# Good Specification\n\n## Objective\n\nBe\ngood.\n\nMore.\n",
		"verify.sh":    "#!/bin/bash\ntrue\n",
		"tasks/1.json": `{"id": "1", "subject": "one", "description": "do one", "blocks": ["2"]}`,
		"tasks/2.json": `{"id": "2", "title": "two", "description": "do two", "status": "pending"}`,
	}
}

// write puts files into a new directory.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) {
	files := good()
	files["voyage.json"] = `{"name": "good", "repo": "owner/repo", "created": "today", "verify": {"fix": 2}, "bring": ["/.env", "certs/"], "artifacts": ["out/a", "b"], "later": [1]}`
	files["notes.txt"], files["tasks/README"] = "ignored", "ignored"
	plan, defects := Open(write(t, files))
	if len(defects) > 0 || defects.Err() != nil {
		t.Fatalf("defects: %v", defects)
	}
	got := fmt.Sprintln(plan.Name, plan.Repo, plan.Ships, plan.Created, plan.Fix, plan.Objective, string(plan.Extra["later"]), len(plan.Spec), string(plan.Verify))
	if want := fmt.Sprintln("good owner/repo 1 today 2 Be good. [1]", len(files["spec.md"]), files["verify.sh"]); got != want {
		t.Errorf("plan %s, want %s", got, want)
	}
	if got := strings.Join(plan.Bring, " "); got != "/.env certs/" {
		t.Errorf("it brings %q", got)
	}
	if got := plan.Artifacts; !slices.Equal(got, []string{"out/a", "b"}) {
		t.Errorf("its artifacts are %q", got)
	}
	if len(plan.Tasks) != 2 || plan.Tasks[1].Subject != "two" || fmt.Sprint(plan.Tasks[1].BlockedBy, " ", plan.Tasks[0].Status) != "[1] pending" {
		t.Errorf("tasks %+v", plan.Tasks)
	}
}

func TestOpenWhereNoPlanIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "voyage.json")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		"/nowhere/at/all": "/nowhere/at/all: error: does not exist",
		file:              file + ": error: is not a directory",
		"example:none":    "example:none: error: there is no example none",
		"example:../tiny": "example:../tiny: error: there is no example ../tiny",
	} {
		plan, defects := Open(where)
		if plan == nil || len(defects) != 1 || defects[0].String() != want || defects[0].Fix == "" {
			t.Errorf("%s: %v", where, defects)
		}
	}
}

// TestOpenFollowsNoLinkOut checks that Open reads nothing outside the directory, and no file that could block or
// never end.
func TestOpenFollowsNoLinkOut(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"id": "secret"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := write(t, good())
	for link, to := range map[string]string{"tasks/3.json": secret, "tasks/4.json": "/dev/zero", "tasks/5.json": "../../x", "tasks/6.json": "2.json", "tasks/8.json": "gone.json"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "tasks/7.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "tasks/9.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, defects := Open(dir)
	var got []string
	for _, d := range defects {
		got = append(got, d.String())
	}
	want := []string{
		"voyage.json:1:55: total_tasks: warning: is 2, but tasks holds 9",
		"tasks/3.json: error: is a link that leads out of the plan directory",
		"tasks/4.json: error: is a link that leads out of the plan directory",
		"tasks/5.json: error: is a link that leads out of the plan directory",
		`tasks/6.json:1:8: id: error: "2" is also the id in tasks/2.json`,
		"tasks/7.json: error: is not a regular file",
		"tasks/8.json: error: is missing",
		"tasks/9.json: error: is not a regular file",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// FuzzOpen reads plans with any bytes as a task and as voyage.json: Open must not panic, and a
// valid task must equal its file.
func FuzzOpen(f *testing.F) {
	f.Add(good()["voyage.json"], good()["tasks/2.json"], "true")
	f.Add(`{"repo": "-x", "verify": {"fix": 1e9}}`, `{"id": "2", "id": null, "blockedBy": ["1", "2"], "metadata": {"group": ""}}`, "if")
	f.Fuzz(func(t *testing.T, voyage, task, spec string) {
		files := fstest.MapFS{}
		for name, text := range good() {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		files["voyage.json"].Data = []byte(voyage)
		files["tasks/2.json"].Data = []byte(task)
		files["spec.md"].Data = []byte(spec)
		files["verify.sh"].Data = []byte("#!/usr/bin/awk -f\nBEGIN { exit }\n") // not bash, to skip its check
		plan, defects := read(files, "/plan")
		for _, d := range defects {
			if d.String() == "" || d.Problem == "" || d.Fix == "" || d.File == "" {
				t.Fatalf("defect %+v", d)
			}
		}
		if defects.Err() != nil {
			return
		}
		if len(plan.Tasks) != 2 || plan.Objective == "" || len(plan.Graph.NeverReady()) > 0 {
			t.Fatalf("a plan in order has %d tasks, objective %q", len(plan.Tasks), plan.Objective)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	files := good()
	for n := range 10_000 {
		task := tasks.Task{ID: strconv.Itoa(n + 1)}
		if n > 0 {
			task.BlockedBy = []string{strconv.Itoa(n)}
		}
		task.Subject, task.Description = "do it", "well"
		data, err := task.MarshalJSON()
		if err != nil {
			b.Fatal(err)
		}
		files["tasks/"+task.ID+".json"] = string(data)
	}
	dir := write(b, files)
	for b.Loop() {
		plan, defects := Open(dir)
		if len(plan.Tasks) != 10_000 || defects.Err() != nil {
			b.Fatalf("%d tasks, %v", len(plan.Tasks), defects.Err())
		}
	}
}

// A plan that names no repository begins in a new, empty repository, with a warning.
func TestPlanWithoutRepository(t *testing.T) {
	files := good()
	files["voyage.json"] = `{"name": "good"}`
	plan, defects := Open(write(t, files))
	if err := defects.Err(); err != nil {
		t.Fatal(err)
	}
	if plan.Repo.Kind != tasks.RepoFresh {
		t.Errorf("the repository is of kind %q", plan.Repo.Kind)
	}
}
