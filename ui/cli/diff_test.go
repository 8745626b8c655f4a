package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
)

// workVoyage makes a voyage with a real workspace: a first commit, task 1 merged by ship-0, and a live snapshot of
// ship-1 with hostile content.
func workVoyage(t *testing.T, b *bridge) (fleet.Dir, fleet.Board) {
	t.Helper()
	d := fleet.Dir(filepath.Join(b.hub.Voyages, testVoyage))
	ws := d.Workspace()
	mustMkdir(t, ws)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = ws
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(ws, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", testVoyage)
	put("a.txt", "one\n")
	run("add", ".")
	run("commit", "-q", "-m", "begin")
	base := run("rev-parse", "HEAD")
	put("a.txt", "one\ntwo\n")
	run("commit", "-q", "-a", "-m", "Add two\n\nOcaptain-Task: 1\nOcaptain-Ship: ship-0")
	merged := run("rev-parse", "HEAD")
	put("evil.txt", "\x1b]0;owned\x07text\x1b[31m\n")
	put(".gitattributes", "* diff=evil filter=evil\n")
	run("add", ".")
	run("commit", "-q", "-m", "live")
	run("update-ref", "refs/ocaptain/live/ship-1", "HEAD")
	run("update-ref", "refs/ocaptain/base/ship-1", merged)
	run("reset", "-q", "--hard", merged)
	run("update-ref", "refs/ocaptain/base/ship-0", base)
	run("update-ref", "refs/ocaptain/live/ship-0", merged)
	run("update-ref", "refs/ocaptain/home/ship-0", merged)
	trap := filepath.Join(b.hub.Home, "trapped")
	run("config", "diff.evil.textconv", "touch "+trap+"; cat")
	run("config", "diff.evil.command", "touch "+trap)
	t.Cleanup(func() {
		if _, err := os.Stat(trap); err == nil {
			t.Error("a command was run that an attribute of a ship asked for")
		}
	})
	v := fleet.Voyage{ID: testVoyage, Branch: testVoyage, Base: base, Repo: "acme/kite", CreatedAt: present}
	if err := v.Save(d); err != nil {
		t.Fatal(err)
	}
	board := fleet.Board{
		At: present, Voyage: v, Phase: fleet.Sailing,
		Ships: []fleet.ShipView{{Ship: fleet.Ship{Name: "ship-0"}}, {Ship: fleet.Ship{Name: "ship-1"}}, {Ship: fleet.Ship{Name: "ship-2"}}},
		Tasks: []tasks.State{
			{Task: tasks.Task{ID: "1", Subject: "Add two", Status: tasks.Completed, Owner: "ship-0"}, Commit: merged},
			{Task: tasks.Task{ID: "2", Status: tasks.Completed, Owner: "ship-0"}, Empty: true},
			{Task: tasks.Task{ID: "3", Status: tasks.InProgress, Owner: "ship-1"}},
		},
	}
	if err := summed.Write(d.BoardFile(), board, 0o644); err != nil {
		t.Fatal(err)
	}
	return d, board
}

func TestDiff(t *testing.T) {
	b, _ := homeBridge(t)
	d, board := workVoyage(t, b)
	ctx := context.Background()
	for _, tt := range []struct {
		name  string
		has   []string
		hides []string
	}{
		{"", []string{"a.txt", "+two"}, []string{"evil"}},
		{"1", []string{"+two"}, []string{"evil"}},
		{"ship-1", []string{"+text", ".gitattributes", "+* diff=evil"}, []string{"owned", "+two"}},
	} {
		c, err := findChange(ctx, d, board, tt.name)
		if err != nil {
			t.Fatalf("%q: %v", tt.name, err)
		}
		var out bytes.Buffer
		if err := c.write(ctx, d, &out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, want := range tt.has {
			if !strings.Contains(ansi.Strip(text), want) {
				t.Errorf("%q lacks %q:\n%s", tt.name, want, text)
			}
		}
		for _, no := range tt.hides {
			if strings.Contains(text, no) {
				t.Errorf("%q has %q:\n%s", tt.name, no, text)
			}
		}
		checkLines(t, strings.ReplaceAll(text, "\t", " "), 200)
	}
	for _, same := range []string{"2", "ship-0"} {
		if c, err := findChange(ctx, d, board, same); err != nil || c.Base != c.Head {
			t.Errorf("%s: %+v, %v", same, c, err)
		}
	}
	for name, want := range map[string]string{
		"3": "task 3 is not completed", "ship-2": "no snapshot of ship-2", "ship-9": "neither a ship nor a task", "--help": "neither a ship nor a task",
	} {
		if _, err := findChange(ctx, d, board, name); err == nil || exitCode(err) != NotFound || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDiffForMachines(t *testing.T) {
	b, _ := homeBridge(t)
	d, board := workVoyage(t, b)
	ctx := context.Background()
	c, err := findChange(ctx, d, board, "ship-1")
	if err != nil {
		t.Fatal(err)
	}
	var raw, out bytes.Buffer
	if err := c.writePatch(ctx, d, &raw); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(raw.String(), "+\x1b]0;owned\x07text") {
		t.Errorf("the patch was altered:\n%q", raw.String())
	}
	if err := c.writeJSON(ctx, &out, d); err != nil {
		t.Fatal(err)
	}
	if fitsSchema(t, "diff", diffCmd(b), out.String()) != 1 {
		t.Errorf("it is no JSON: %s", &out)
	}
	var got change
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 2 || got.Files[1] != (fileChange{Path: "evil.txt", Added: 1}) || got.Patch != raw.String() {
		t.Errorf("got %+v", got.Files)
	}
	apply := exec.Command("git", "apply", "--check", "-")
	apply.Dir, apply.Stdin = d.Workspace(), &raw
	if out, err := apply.CombinedOutput(); err != nil {
		t.Errorf("the patch does not apply: %s", out)
	}
}

func TestClone(t *testing.T) {
	b, _ := homeBridge(t)
	d, board := workVoyage(t, b)
	ctx := context.Background()
	dir := filepath.Join(b.hub.Home, "copy")
	if err := cloneInto(ctx, d, board.Voyage, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
	remotes, err := gitOutput(ctx, dir, "remote", "-v")
	if err != nil || !strings.Contains(remotes, "origin\thttps://github.com/acme/kite.git") || !strings.Contains(remotes, "voyage\t"+d.Workspace()) {
		t.Errorf("%s, %v", remotes, err)
	}
	if err := cloneInto(ctx, d, board.Voyage, dir); exitCode(err) != Refused {
		t.Errorf("cloned over what is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
		t.Error("what was there is gone")
	}
	bad := board.Voyage
	bad.Branch = "no-such-branch"
	if err := cloneInto(ctx, d, bad, dir+"2"); err == nil {
		t.Error("cloned a branch that does not exist")
	}
	if _, err := os.Stat(dir + "2"); err == nil {
		t.Error("left half a clone")
	}
	for _, args := range [][]string{
		{"update-ref", "refs/ocaptain/head", "HEAD"}, {"checkout", "-q", "--detach"}, {"branch", "-D", board.Voyage.Branch},
	} {
		if _, err := gitOutput(ctx, d.Workspace(), args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := cloneInto(ctx, d, board.Voyage, dir+"3"); err != nil {
		t.Errorf("the branch was deleted: %v", err)
	}
}

func TestRepoName(t *testing.T) {
	for repo, want := range map[string]string{
		"acme/kite": "kite", "https://example.org/x/kite.git": "kite", "git@example.org:kite.git": "kite", "/src/kite/": "kite",
		"none": "voyage", "": "voyage", "/": "voyage", "nonsense": "voyage",
	} {
		if got := repoName(fleet.Voyage{Repo: repo}); got != want {
			t.Errorf("%q: %q, want %q", repo, got, want)
		}
	}
}
