package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// runPlan runs "ocaptain plan ARGS" and returns what it prints.
func runPlan(args ...string) (string, error) { return runPlanIn(".", args...) }

// runPlanIn runs "ocaptain plan ARGS" in a working directory and returns what it prints.
func runPlanIn(cwd string, args ...string) (string, error) {
	cmd := planCmd(&bridge{cwd: cwd})
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

// wreck writes a plan with many defects and with texts that are hard to print.
func wreck(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wreck")
	long := strings.Repeat("a-long-id-", 6)
	for name, text := range map[string]string{
		"voyage.json":             "{\"name\": \"wreck\\u001b[31m\", \"repo\": \"-x\",\n  \"total_tasks\": 9}",
		"spec.md":                 "## Objective\n\nSink.\n",
		"verify.sh":               "if true; then\n",
		"tasks/1.json":            `{"id": "1", "subject": "first", "description": "d"}`,
		"tasks/2.json":            `{"id": "2", "subject": "second, with 漢字 and a \u202e subject that goes on for far too long to fit in a line", "description": "d", "blockedBy": ["1", "4"]}`,
		"tasks/3.json":            `{"id": "3", "subject": "third", "description": "d", "blockedBy": ["2"]}`,
		"tasks/4.json":            `{"id": "4", "subject": "fourth", "description": "d", "blockedBy": ["3", "99"]}`,
		"tasks/5.json":            `{"id": "5", "subject": "fifth"`,
		"tasks/" + long + ".json": `{"id": "` + long + `", "subject": "long", "description": "d", "blockedBy": ["1"]}`,
		"tasks/6.json":            `{"id": "6", "subject": "\"quoted\" <b>\\n</b>", "description": "d", "blockedBy": ["` + long + `", "1"], "metadata": {"group": "g"}}`,
		"tasks/7.json":            `{"id": "7", "subject": "seventh", "description": "d", "blockedBy": ["6"], "metadata": {"group": "g"}}`,
	} {
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

func TestPlanGraph(t *testing.T) {
	broken := wreck(t)
	for name, c := range map[string]struct {
		args  []string
		fails bool
	}{
		"harbor.txt":     {[]string{"graph", "example:harbor"}, false},
		"harbor.dot":     {[]string{"graph", "example:harbor", "--dot"}, false},
		"harbor.mermaid": {[]string{"graph", "example:harbor", "--mermaid"}, false},
		"tiny.json":      {[]string{"graph", "example:tiny", "--json"}, false},
		"wreck.txt":      {[]string{"graph", broken}, true},
		"wreck.dot":      {[]string{"graph", broken, "--dot"}, true},
		"wreck.mermaid":  {[]string{"graph", broken, "--mermaid"}, true},
	} {
		got, err := runPlan(c.args...)
		if (err != nil) != c.fails || c.fails && exitCode(err) != Usage {
			t.Errorf("%v: %v", c.args, err)
		}
		golden(t, "plan/"+name, got)
		if filepath.Ext(name) != ".txt" {
			continue
		}
		for line := range strings.Lines(got) {
			if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s: %d cells: %s", name, n, line)
			}
		}
	}
}

func TestPlanCheck(t *testing.T) {
	got, err := runPlan("check", "example:harbor")
	if want := "harbor is in order: 28 tasks on 8 levels, 8 ships recommended\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}

	dir := wreck(t)
	got, err = runPlan("check", dir)
	if err == nil || exitCode(err) != Usage || !strings.Contains(err.Error(), "wreck has 6 errors") {
		t.Errorf("%v", err)
	}
	golden(t, "plan/check.txt", got)

	got, err = runPlan("check", dir, "--json")
	var out planCheck
	if err == nil || json.Unmarshal([]byte(got), &out) != nil || out.Errors != 6 || len(out.Defects) != 6+out.Warnings {
		t.Errorf("%v: %s", err, got)
	}
	if got, err = runPlan("check", "example:tiny", "--json"); err != nil || !strings.Contains(got, `"defects": []`) {
		t.Errorf("%v: %s", err, got)
	}
}

func TestPlanNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	if _, err := runPlan("new", dir, "--name", "mine"); err != nil {
		t.Fatal(err)
	}
	if got, err := runPlan("check", dir); err != nil || !strings.HasPrefix(got, "mine is in order") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := runPlan("new", dir); err == nil || exitCode(err) != Usage {
		t.Errorf("a second plan there: %v", err)
	}
}

// TestPlanNewRepository begins a plan for the repository around the working directory.
func TestPlanNewRepository(t *testing.T) {
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "repo", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "repo", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.EvalSymlinks(filepath.Join(top, "repo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cwd, dir, file, want string }{
		{repo, "plans/p", filepath.Join(repo, "plans/p"), "../.."},
		{filepath.Join(repo, "sub"), "p", filepath.Join(repo, "sub/p"), "../.."},
		{repo, "../out", filepath.Join(top, "out"), repo},
		{top, "none", filepath.Join(top, "none"), "none"},
	} {
		out, err := runPlanIn(c.cwd, "new", c.dir)
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Name, Repo string }
		data, err := os.ReadFile(filepath.Join(c.file, "voyage.json"))
		if err != nil || json.Unmarshal(data, &file) != nil || file.Repo != c.want || file.Name != filepath.Base(c.dir) {
			t.Errorf("plan new %s in %s: %v, %s", c.dir, c.cwd, err, data)
		}
		if on := map[bool]string{true: "a fresh repository", false: repo}[c.want == "none"]; !strings.Contains(out, "It is for "+on+",") {
			t.Errorf("plan new %s in %s says %s", c.dir, c.cwd, out)
		}
	}
}
