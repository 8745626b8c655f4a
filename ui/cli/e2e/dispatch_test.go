package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
)

// awkward is a command of every character that something on its way could take for its own.
const awkward = `/fix "it" 'now' $HOME ${HOME} $(touch ~/pwned) ` + "`touch ~/pwned`" + ` \n \\ !! !x # ; & | > < * ? [a] {b} ~ % ^ = @ - --help
	a tab, and blanks at the end: ö ß 日本語 e` + "\u0301 \U0001f469\u200d\U0001f680 \u202e reversed \u202c" + ` done
'; touch ~/pwned; echo '

  two blanks lead  `

// history is what "pool history" tells.
func (c *captain) history(name string) (all []fleet.DispatchResult) {
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

// handy is a brain that does whatever it is told by writing a file with the shell, and says that it is done.
func handy(r claudetest.Request) claudetest.Reply {
	for _, p := range r.Fresh() {
		if p.Type == "tool_result" {
			return claudetest.Say("It is done.")
		}
	}
	return claudetest.Use("Bash", map[string]any{"command": "echo done >>work; git add work; git commit -qm 'By the agent'; echo more >>work", "description": "Do it"})
}

// TestDispatchClaude dispatches commands to the real Claude Code: each arrives as it was written and is proven by its prompt
// event, the turn is the work, and every work begins at the newest commit and ends on a branch of its own.
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
	// Its prompt makes blanks of tabs, and loses what leads and ends; then it is told again, as JSON.
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
		if r.State != fleet.DispatchDone || r.Worker != "kite-1" || r.Said != "It is done." || r.Changed != 1 || r.Usage.Tokens == 0 {
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
