package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/dispatch"
)

// awkward is a command with every character that some program on its way could interpret.
const awkward = `/fix "it" 'now' $HOME ${HOME} $(touch ~/pwned) ` + "`touch ~/pwned`" + ` \n \\ !! !x # ; & | > < * ? [a] {b} ~ % ^ = @ - --help
	a tab, and blanks at the end: ö ß 日本語 e` + "\u0301 \U0001f469\u200d\U0001f680 \u202e reversed \u202c" + ` done
'; touch ~/pwned; echo '

  two blanks lead  `

// history returns the output of "pool history".
func (c *captain) history(name string) (all []dispatch.Result) {
	c.Helper()
	if err := json.Unmarshal([]byte(c.ocaptain("pool", "history", name, "--json")), &all); err != nil {
		c.Fatal(err)
	}
	return all
}

// freshRepository makes a repository with one commit.
func (c *captain) freshRepository(name string) string {
	c.write(name+"/README.md", "begin\n")
	repo := filepath.Join(c.home, name)
	c.git(repo, "init", "-q", "-b", "main")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")
	return repo
}

// handy is a brain that answers each command by writing a file with the shell, and then says that it is done.
func handy(r loopback.Request) loopback.Reply {
	for _, p := range r.Fresh() {
		if p.Type == "tool_result" {
			return loopback.Say("It is done.")
		}
	}
	return loopback.Use("Bash", map[string]any{"command": "echo done >>work; git add work; git commit -qm 'By the agent'; echo more >>work", "description": "Do it"})
}

// TestDispatchClaude dispatches commands to the real Claude Code: each arrives as it was written, which its prompt event
// proves; the turn is the work; and each work begins at the newest commit and ends on a branch of its own.
func TestDispatchClaude(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, handy)
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("kite")
	out := c.ocaptain("dispatch", "--repo", repo, "--command", awkward, "--wait")
	if !strings.Contains(out, "dispatch/kite-1-1") {
		t.Errorf("it says %q", out)
	}
	heard := func(text string) (n int) {
		for _, s := range api.Sessions() {
			for _, m := range s.Last.Messages {
				for _, p := range m.Parts {
					n += strings.Count(p.Text, text)
				}
			}
		}
		return n
	}
	// The prompt turns tabs into blanks, and loses leading and trailing blanks; then helm sends the command again, as
	// JSON.
	exact, _ := json.Marshal(awkward)
	if heard(awkward) != 1 && heard(string(exact)) != 1 {
		for _, s := range api.Sessions() {
			t.Logf("%q", s.Last.Prompts())
		}
		t.Error("the command did not arrive as it was written")
	}
	c.write("kite/second", "newer\n")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "newer")
	c.ocaptain("dispatch", "--repo", repo, "--command", "do it again", "--wait")
	all := c.history("kite-1")
	if len(all) != 2 {
		t.Fatalf("there are %+v", all)
	}
	for i, r := range all {
		if r.State != dispatch.Done || r.Worker != "kite-1" || r.Said != "It is done." || r.Changed != 1 || r.Usage.Tokens == 0 {
			t.Errorf("dispatch %d: %+v", i+1, r)
		}
	}
	d := c.voyages()[0]
	work := d.Workspace()
	if is := c.git(work, "show", all[1].Branch+":second"); is != "newer" {
		t.Errorf("the second began at %q", is)
	}
	for _, r := range all {
		if is := c.git(work, "show", r.Branch+":work"); is != "done\nmore" {
			t.Errorf("%s has %q", r.Branch, is)
		}
	}
	if got := c.git(repo, "log", "--format=%s", "main"); got != "newer\nbegin" {
		t.Errorf("the captain's branch is %q", got)
	}
	if names := c.aboard(t, d, "kite-1", "list-windows", "-t", "=kite-dev", "-F", "#{window_index} #{window_name}"); names != "0 shell\n1 agent:completed" {
		t.Errorf("its windows are %q", names)
	}
}

// killedDispatches dispatches n commands at once to so many workers while helm is killed again and again: each runs once and
// is on a branch of its own.
func killedDispatches(t *testing.T, workers, n int) {
	c := newCaptain(t)
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--agent", "script", "--max", fmt.Sprint(workers), "--command", "echo x >>~/ran-0; echo 0 >0", "--wait")
	var all sync.WaitGroup
	for i := 1; i < n; i++ {
		all.Go(func() {
			command := fmt.Sprintf("echo x >>~/ran-%d; sleep 1; echo %d >%d", i, i, i)
			c.ocaptain("dispatch", "--repo", repo, "--max", fmt.Sprint(workers), "--command", command, "--detach")
		})
	}
	d := c.voyages()[0]
	done := func(b fleet.Board) (n int) {
		_, _, n = b.CountTasks()
		return n
	}
	for _, after := range []int{1, n / 3, 2 * n / 3} {
		c.until(d, fmt.Sprint(after, " are done"), func(b fleet.Board) bool { return done(b) >= after })
		if pid := c.helm(); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		c.ocaptain("pool", "status") // starts the next
	}
	all.Wait()
	b := c.until(d, "all are done", func(b fleet.Board) bool { return done(b) == n })
	if len(b.Ships) > workers {
		t.Errorf("there are %d workers", len(b.Ships))
	}
	for i := range n {
		ran := ""
		for _, s := range b.Ships {
			raw, _ := os.ReadFile(filepath.Join(c.hub.State, "ships", s.Machine.Name, "home", fmt.Sprint("ran-", i)))
			ran += string(raw)
		}
		if ran != "x\n" {
			t.Errorf("command %d ran %d times", i, len(ran)/2)
		}
	}
	for _, r := range c.history("kite") {
		if r.State != dispatch.Done || r.Branch == "" || c.git(d.Workspace(), "rev-parse", r.Branch) != r.Commit {
			t.Errorf("%+v", r)
		}
	}
}

// TestDispatchPush pushes the work of a dispatch to the repository when the dispatch is done, and pushes nothing when it fails or
// changes nothing.
func TestDispatchPush(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	repo := c.freshRepository("kite")
	push := func(command string) (string, int) {
		return c.try("dispatch", "--repo", repo, "--agent", "script", "--command", command, "--push")
	}
	if out, code := push("echo one >one"); code != 0 || !strings.Contains(out, "dispatch/kite-1-1 is pushed to "+repo) {
		t.Errorf("%d, %q", code, out)
	}
	if is := c.git(repo, "show", "dispatch/kite-1-1:one"); is != "one" {
		t.Errorf("it was pushed as %q", is)
	}
	if out, code := push("false"); code != 1 || strings.Contains(out, "pushed") {
		t.Errorf("of a failure: %d, %q", code, out)
	}
	if out, code := push("true"); code != 1 || !strings.Contains(out, "nothing to push") {
		t.Errorf("of nothing: %d, %q", code, out)
	}
	if refs := c.git(repo, "for-each-ref", "--format=%(refname:short)"); refs != "dispatch/kite-1-1\nmain" {
		t.Errorf("the repository has %q", refs)
	}
	if out, code := c.try("wait", "kite"); code != 2 || !strings.Contains(out, "pool kite is never done") {
		t.Errorf("a pool is waited for: %d, %q", code, out)
	}
	if out, code := c.try("dispatch", "--repo", repo, "--command", "true", "--pr"); code != 2 || !strings.Contains(out, "not on GitHub") {
		t.Errorf("a pull request: %d, %q", code, out)
	}
}
