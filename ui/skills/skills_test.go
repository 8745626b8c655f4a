package skills_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/ui/skills"
)

func TestInstall(t *testing.T) {
	place := skills.Project(t.TempDir())
	s, err := skills.Find(skills.Plan)
	if err != nil {
		t.Fatal(err)
	}
	is := func(want skills.State) {
		t.Helper()
		if got, err := place.StateOf(s); err != nil || got != want {
			t.Errorf("it is %q, %v; want %q", got, err, want)
		}
	}
	install := func(force bool, was skills.State, want error) {
		t.Helper()
		if got, err := place.Install(s, force); got != was || !errors.Is(err, want) {
			t.Errorf("it was %q, %v; want %q, %v", got, err, was, want)
		}
	}
	is(skills.Absent)
	install(false, skills.Absent, nil)
	is(skills.Current)
	install(false, skills.Current, nil)

	older := s
	older.Text += "\nOlder words.\n"
	if _, err := place.Install(older, false); err != nil {
		t.Fatal(err)
	}
	is(skills.Other)
	install(false, skills.Other, nil)
	is(skills.Current)

	raw, err := os.ReadFile(place.Path(s))
	if err != nil {
		t.Fatal(err)
	}
	for _, mine := range []string{strings.Replace(string(raw), "fleet", "armada", 1), string(raw) + "mine\n", "", "mine"} {
		if err := os.WriteFile(place.Path(s), []byte(mine), 0o644); err != nil {
			t.Fatal(err)
		}
		is(skills.Changed)
		install(false, skills.Changed, skills.ErrChanged)
		if _, err := place.Remove(s, false); !errors.Is(err, skills.ErrChanged) {
			t.Errorf("remove: %v", err)
		}
		if now, _ := os.ReadFile(place.Path(s)); string(now) != mine {
			t.Errorf("now it is %q", now)
		}
	}
	install(true, skills.Changed, nil)
	is(skills.Current)
	if _, err := place.Remove(s, false); err != nil {
		t.Fatal(err)
	}
	is(skills.Absent)
	if _, err := os.Stat(filepath.Dir(place.Path(s))); err == nil {
		t.Error("its directory is still there")
	}
	if _, err := place.Remove(s, false); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

// The real Claude Code lists the skills, whether installed for the user or in a project.
func TestClaudeFindsThem(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Steps())
	home, config, project := t.TempDir(), t.TempDir(), t.TempDir()
	for name, tt := range map[string]struct {
		place skills.Place
		home  string
		more  []string
	}{
		"user":    {skills.UserPlace(home, ""), home, nil},
		"config":  {skills.UserPlace("/nowhere", config), t.TempDir(), []string{"CLAUDE_CONFIG_DIR=" + config}},
		"project": {skills.Project(project), t.TempDir(), nil},
	} {
		for _, s := range skills.All() {
			if _, err := tt.place.Install(s, false); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), claudetest.Binary(t), "-p", "--output-format", "stream-json", "--verbose", "Hello.")
		cmd.Dir, cmd.Env = project, claudetest.Env(tt.home, api, "sk-ant-test-0123456789-abcdefghij", tt.more...)
		if name != "project" {
			cmd.Dir = t.TempDir()
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		var listed []string
		for line := range strings.Lines(string(out)) {
			var e struct {
				Subtype string   `json:"subtype"`
				Skills  []string `json:"skills"`
			}
			if json.Unmarshal([]byte(line), &e) == nil && e.Subtype == "init" {
				listed = e.Skills
			}
		}
		for _, s := range skills.All() {
			if !slices.Contains(listed, s.Name) {
				t.Errorf("%s: %s is not among %q", name, s.Name, listed)
			}
		}
	}
	for _, s := range skills.All() {
		if about := strings.Fields(s.About); len(s.About) < 50 || len(about) < 10 || strings.Contains(s.About, ": ") {
			t.Errorf("%s is about %q", s.Name, s.About) // ": " would end a plain string of YAML
		}
	}
}

// The examples in the skill have the form that it teaches.
func TestExamplesInTheSkillAreAPlan(t *testing.T) {
	s, err := skills.Find(skills.Plan)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for part := range strings.SplitSeq(s.Body(), "\n\n") {
		if strings.HasPrefix(part, "    ") {
			blocks = append(blocks, strings.ReplaceAll(part[4:], "\n    ", "\n"))
		}
	}
	if len(blocks) != 3 {
		t.Fatalf("found %q", blocks)
	}
	dir := t.TempDir()
	task := strings.NewReplacer(`"5"`, "", `"1"`, "").Replace(blocks[2])
	for name, text := range map[string]string{
		"voyage.json": strings.NewReplacer(`"total_tasks": 9`, `"total_tasks": 1`, `width": 3`, `width": 1`, `ships": 3`, `ships": 1`).Replace(blocks[0]),
		"verify.sh":   blocks[1], "tasks/2.json": task, "spec.md": "## Objective\n\nSay who may come aboard.\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if plan, defects := planfile.Open(dir); len(defects) > 0 || plan.Fix != 1 || plan.Tasks[0].Verify() == "" {
		t.Errorf("%v", defects)
	}
}
