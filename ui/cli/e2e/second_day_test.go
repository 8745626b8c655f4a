package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
)

// aboardAll makes an empty file in the homes of all ships.
func (c *captain) aboardAll(d fleet.Dir, name string) {
	c.Helper()
	homes, err := filepath.Glob(filepath.Join(c.hub.State, "ships", d.ID()+"-*", "home"))
	if err != nil || len(homes) == 0 {
		c.Fatal(homes, err)
	}
	for _, home := range homes {
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o600); err != nil {
			c.Fatal(err)
		}
	}
}

// TestSecondDay changes a plan under way, with helm killed in between, reverts and takes work, and archives, finds and repeats the voyage.
func TestSecondDay(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script")
	repo := c.freshRepository("kite")
	wait := "until [ -e ~/go ]; do sleep .1; done; "
	d := c.sail(c.plan("words", repo, "#!/bin/sh\ncat \"$HOME/voyage/workspace/four\"\n", []job{
		{id: "1", subject: "First page", run: wait + "echo $(date +%N) >one"},
		{id: "2", subject: "Second page", run: "echo 2 >two"},
		{id: "3", subject: "Third page", run: "echo 3 >three", after: []string{"1"}},
		{id: "4", subject: "Fourth page", run: "cat two && echo 4 >four", after: []string{"3"}},
	}), "-n", "1", "--agent", "script")
	task := func(b fleet.Board, id string) (is tasks.State) { // the board may be older than the task
		for _, s := range b.Tasks {
			if s.ID == id {
				is = s
			}
		}
		return is
	}
	c.until(d, "the first is worked on", func(b fleet.Board) bool { return task(b, "1").Owner != "" })
	c.ocaptain("hold", "4", "--reason", "not yet")
	c.ocaptain("edit", "3", "--priority", "P0", "--subject", "Last page", "--after", "2")
	if out, code := c.try("edit", "2", "--after", "4"); code == 0 || !strings.Contains(out, "wait for each other") {
		t.Errorf("a circle: %d %s", code, out)
	}
	if err := syscall.Kill(c.helm(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.ocaptain("add", "Fifth page\nMore of it.", "--after", "3", "--run", "echo 5 >five")
	if out := c.ocaptain("tasks"); !strings.Contains(out, "Last page") || !strings.Contains(out, "Fifth page") {
		t.Errorf("tasks are\n%s", out)
	}
	c.aboardAll(d, "go")
	c.until(d, "all but what is held is done", func(b fleet.Board) bool { return task(b, "5").Commit != "" && task(b, "3").Commit != "" })
	if out := c.ocaptain("needs"); strings.Contains(out, "on hold") {
		t.Errorf("the captain's own hold is a need:\n%s", out)
	}
	c.ocaptain("release", "4")
	b := c.complete(d)
	was := task(b, "1").Commit

	c.ocaptain("revert", "1", "--why", "another colour", "--force")
	b = c.until(d, "it is done again", func(b fleet.Board) bool {
		return b.Phase == fleet.Complete && task(b, "1").Commit != "" && task(b, "1").Commit != was
	})
	if out := c.ocaptain("take", "--dir", repo); !strings.Contains(out, "undo it with: git branch -D") {
		t.Errorf("take: %s", out)
	}
	if head := c.git(repo, "rev-parse", b.Voyage.Branch); head != b.Head {
		t.Errorf("the branch is at %s, that of the voyage at %s", head, b.Head)
	}
	c.ocaptain("sink", "--force")

	file := filepath.Join(c.home, "words.tar.gz")
	c.ocaptain("voyages", "archive", d.ID(), "--file", file, "--rm", "--force")
	if _, err := os.Stat(string(d)); !os.IsNotExist(err) {
		t.Error(err)
	}
	c.ocaptain("voyages", "restore", file)
	if out := c.ocaptain("voyages", "--search", "last page"); !strings.Contains(out, d.ID()) || !strings.Contains(out, "complete") {
		t.Errorf("voyages are\n%s", out)
	}
	if out := c.ocaptain("diff", "3", "--voyage", d.ID()); !strings.Contains(out, "three") {
		t.Errorf("the diff of 3 is\n%s", out)
	}
	c.ocaptain("plan", "from", d.ID(), filepath.Join(c.home, "again"))
	if out := c.ocaptain("plan", "check", filepath.Join(c.home, "again")); !strings.Contains(out, "5 tasks") {
		t.Errorf("the plan: %s", out)
	}
	c.ocaptain("voyages", "rm", d.ID(), "--force")
	if out := c.ocaptain("voyages", "--all"); strings.Contains(out, d.ID()) {
		t.Errorf("voyages are\n%s", out)
	}
}

// TestAnswer answers a need by its id, as a script run by notify does. An answer to a need that is over is refused.
func TestAnswer(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script")
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--command", "test -e ~/mended && echo 1 >one", "--provider", "local")
	d := c.voyages()[0]
	c.until(d, "it has failed", func(b fleet.Board) bool { return len(b.Tasks) == 1 && b.Tasks[0].OnHold })
	var needs []need.Need
	if err := json.Unmarshal([]byte(c.ocaptain("needs", "--json")), &needs); err != nil || len(needs) != 1 || len(needs[0].Key) != 8 || strings.Join(needs[0].Choices, " ") != "yes TEXT" {
		t.Fatalf("%+v, %v", needs, err)
	}
	c.aboardAll(d, "mended")
	c.ocaptain("answer", needs[0].Key, "yes")
	c.until(d, "it is done", func(b fleet.Board) bool { return b.Tasks[0].Commit != "" })
	if out, code := c.try("answer", needs[0].Key, "yes"); code == 0 || !strings.Contains(out, "it is over") {
		t.Errorf("%d %s", code, out)
	}
}
