//go:build long

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/tasks/eventually"
)

// TestNeedsOnScreen causes needs: the screen shows each as soon as helm can know it, and the list of needs prints a
// command that helps with it. At the end the voyage completes.
func TestNeedsOnScreen(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sail(c.plan("needy", "", "#!/bin/bash\necho 2 tests failed; exit 1\n", []job{
		{id: "1", subject: "Log in", run: "test -e ~/key || { echo no key >&2; exit 3; }; echo 1 >one"},
		{id: "2", subject: "Log out", run: gated("")},
		{id: "3", subject: "Log in again", run: "echo 3 >three", after: []string{"1"}},
	}), "-n", "2", "--agent", "script")
	w := newDesk(t, c, 120, 40, d.ID())

	hold := c.needed(w, "task 1 is on hold: ", fleet.NeedHold)
	if !strings.Contains(hold.Why, "no key") || strings.Join(hold.Waiting, " ") != "3" {
		t.Errorf("it is %+v", hold)
	}
	if out := c.ocaptain("tasks", d.ID()); !strings.Contains(out, "on hold") {
		t.Errorf("tasks:\n%s", out)
	}

	stranger := `{"id":"9","subject":"Mine","description":"","status":"pending","blocks":[],"blockedBy":[]}`
	if err := os.WriteFile(filepath.Join(d.TasksDir(), "9.json"), []byte(stranger), 0o600); err != nil {
		t.Fatal(err)
	}
	proposal := c.needed(w, "task 9 proposes: a task file", fleet.NeedProposal)
	proposal.Command = strings.Replace(proposal.Command, "task accept", "task reject", 1)
	c.helped(w, proposal)

	mine := filepath.Join(d.TasksDir(), "mine.json")
	if err := os.WriteFile(mine, []byte("no task\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.needed(w, "the voyage has damaged files: ", fleet.NeedRecords)
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	w.see("no damaged file", hasNot("damaged files"))

	resolved := c.merges(d)
	c.release(t, d, "2")
	c.needed(w, "the hub cannot merge", fleet.NeedRepository)
	resolved()
	w.see("that nothing can go on", all(top("stuck"), has("▲ 1 needs you")))

	c.ocaptain("ship", "rm", "ship-0", "--force", "--voyage", d.ID())
	c.ocaptain("ship", "rm", "ship-1", "--force", "--voyage", d.ID())
	c.helped(w, c.needed(w, "the voyage lacks ships: 2 tasks are open", fleet.NeedShips))

	// A file that git ignores is in the way of the file that task 1 makes.
	for file, text := range map[string]string{"one": "mine\n", ".git/info/exclude": "one\n"} {
		path := filepath.Join(d.Workspace(), file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	keys, _ := filepath.Glob(filepath.Join(c.hub.State, "ships", d.ID()+"-*", "home"))
	for _, home := range keys {
		if err := os.WriteFile(filepath.Join(home, "key"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.helped(w, hold)
	c.needed(w, "ship-2, task 1 waits for your files: ", fleet.NeedInTheWay)
	if err := os.Remove(filepath.Join(d.Workspace(), "one")); err != nil {
		t.Fatal(err)
	}
	fails := c.needed(w, "the voyage failed to verify: 2 tests failed", fleet.NeedVerify)
	if err := os.WriteFile(d.VerifyFile(), []byte(passes), 0o700); err != nil {
		t.Fatal(err)
	}
	fails.Command += " --accept"
	c.helped(w, fails)
	w.see("the end", top("complete"))
	if out, code := c.try("wait", d.ID()); code != 0 {
		t.Errorf("wait ends with %d:\n%s", code, out)
	}
	w.leave(t)
}

// needed waits until a need is on the screen, and returns the need as the command line prints it.
func (c *captain) needed(w *desk, text string, kind fleet.NeedKind) (need need.Need) {
	c.Helper()
	w.see("that "+text, has("▲ "+text))
	at := time.Now()
	for _, n := range c.needs() {
		if n.Kind == kind {
			if !n.Since.IsZero() {
				c.Logf("%s: on the screen %s after it was so", kind, at.Sub(n.Since).Round(time.Millisecond))
			}
			return n
		}
	}
	c.Fatalf("the command line does not know of %q", text)
	return need
}

// helped runs the command that a need suggests, and waits until the need is off the screen.
func (c *captain) helped(w *desk, n need.Need) {
	c.Helper()
	c.ocaptain(strings.Fields(n.Command)[1:]...)
	w.see("no more that "+n.String(), hasNot("▲ "+n.Who()+" "+n.Says()))
	eventually.Holds(c, "the command line does not list it", func() bool {
		for _, is := range c.needs() {
			if is.Kind == n.Kind {
				return false
			}
		}
		return true
	})
}

func (c *captain) needs() (all []need.Need) {
	c.Helper()
	if err := json.Unmarshal([]byte(c.ocaptain("needs", "--json")), &all); err != nil {
		c.Fatal(err)
	}
	return all
}

// merges puts the workspace in the middle of a merge of the captain's; resolved aborts the merge.
func (c *captain) merges(d fleet.Dir) (resolved func()) {
	c.Helper()
	branch := c.git(d.Workspace(), "rev-parse", "--abbrev-ref", "HEAD")
	c.git(d.Workspace(), "switch", "-q", "-c", "aside")
	commit := func(text string) {
		if err := os.WriteFile(filepath.Join(d.Workspace(), "his.txt"), []byte(text), 0o644); err != nil {
			c.Fatal(err)
		}
		c.git(d.Workspace(), "add", "his.txt")
		c.git(d.Workspace(), "-c", "user.name=C", "-c", "user.email=c@c", "commit", "-q", "-m", text)
	}
	commit("aside\n")
	c.git(d.Workspace(), "switch", "-q", branch)
	commit("here\n")
	if err := exec.Command("git", "-C", d.Workspace(), "merge", "aside").Run(); err == nil {
		c.Fatal("the merge does not conflict")
	}
	return func() { c.git(d.Workspace(), "merge", "--abort") }
}
