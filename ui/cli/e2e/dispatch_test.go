package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
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
func handy(r loopback.Request) loopback.Reply {
	for _, p := range r.Fresh() {
		if p.Type == "tool_result" {
			return loopback.Say("It is done.")
		}
	}
	return loopback.Use("Bash", map[string]any{"command": "echo done >>work; git add work; git commit -qm 'By the agent'; echo more >>work", "description": "Do it"})
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

// TestDispatchTurns dispatches to an agent that takes turns, whose command gets there as it was written, and to one in a terminal,
// which says itself that it is done.
func TestDispatchTurns(t *testing.T) {
	t.Parallel()
	const turn = `#!/bin/bash
cat >prompt
printf '{"type":"say","text":"It is done."}\n'
`
	const terminal = `#!/bin/bash
stty -echo
while IFS= read -r line; do
	printf '%s\n' "$line" >>prompt
	case $line in "When that is done: "*) ocaptain task complete 1 --summary "It is done." ;; esac
done
`
	for name, tt := range map[string]struct{ program, lines string }{
		"turns":    {turn, "    command: [coder]\n    prompt: stdin\n    output: jsonl\n"},
		"terminal": {terminal, "    command: [coder, \"{prompt}\"]\n    terminal: true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCaptain(t)
			c.ownProgram("mine", tt.program, tt.lines)
			repo := c.freshRepository("kite")
			c.ocaptain("dispatch", "--repo", repo, "--agent", "mine", "--command", awkward, "--wait")
			is := c.history("kite")[0]
			if is.State != fleet.DispatchDone || is.Said != "It is done." {
				t.Errorf("%+v", is)
			}
			if got := c.git(c.voyages()[0].Workspace(), "show", is.Branch+":prompt"); !strings.Contains(got, awkward) {
				t.Errorf("it was told\n%q, want\n%q", got, awkward)
			}
		})
	}
}

// killedDispatches dispatches commands at once to so many workers while helm is killed again and again: each runs once and is
// on a branch of its own.
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
		if r.State != fleet.DispatchDone || r.Branch == "" || c.git(d.Workspace(), "rev-parse", r.Branch) != r.Commit {
			t.Errorf("%+v", r)
		}
	}
}

func TestDispatchKilled(t *testing.T) {
	t.Parallel()
	killedDispatches(t, 3, 12)
}

// TestDispatchPush has the work of a dispatch pushed to the repository when it is done, and nothing when it fails or changes nothing.
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

// TestDispatchPushAgain has a pool that counts from 1 again push beside the work of the sunk pool, and a refused push repeated.
func TestDispatchPushAgain(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	repo := c.freshRepository("kite")
	for _, name := range []string{"dispatch/kite-1-1", "dispatch/kite-1-1 is pushed to " + repo + " as dispatch/kite-1-1-2"} {
		out, code := c.try("dispatch", "--repo", repo, "--agent", "script", "--command", "date +%N >work", "--push")
		if code != 0 || !strings.Contains(out, name) {
			t.Errorf("%d, %q", code, out)
		}
		c.ocaptain("sink", "--all", "-f")
	}
	hook := filepath.Join(repo, ".git", "hooks", "pre-receive")
	c.write("kite/.git/hooks/pre-receive", "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	out, code := c.try("dispatch", "--repo", repo, "--agent", "script", "--command", "echo third >work", "--push")
	if code != 4 || !strings.Contains(out, "hook declined") || !strings.Contains(out, "ocaptain push 1 --voyage voyage-") {
		t.Errorf("refused: %d, %q", code, out)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	c.ocaptain("push", "1", "--voyage", "kite", "--as", "third")
	if is := c.git(repo, "show", "third:work"); is != "third" {
		t.Errorf("it was pushed as %q", is)
	}
	if out, code := c.try("push", "1", "--voyage", "kite", "--as", "dispatch/kite-1-1"); code != 4 || !strings.Contains(out, "has other work") || !strings.Contains(out, "--as NAME") {
		t.Errorf("a name that is taken: %d, %q", code, out)
	}
}

// TestOrchestrator has the captain's own Claude Code dispatch by the skill of that name: it gets the skill with what was asked,
// and what it runs then is a dispatch.
func TestOrchestrator(t *testing.T) {
	t.Parallel()
	command := "echo flies >kite.txt"
	c := newCaptain(t) // the login is his own Claude's, not one of workers
	repo := c.freshRepository("kite")
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		for _, p := range r.Fresh() {
			if p.Type == "tool_result" {
				return loopback.Say("The worker says: " + p.Text)
			}
		}
		told := strings.Join(r.Prompts(), "\n")
		if !strings.Contains(told, "# Dispatching work to workers") || !strings.Contains(told, "--command \""+command+"\"") {
			return loopback.Say("I do not know how.")
		}
		return loopback.Use("Bash", map[string]any{"description": "Dispatch", "command": fmt.Sprintf("ocaptain dispatch --repo %s --agent script --command %q --wait --json", repo, command)})
	})
	c.ocaptain("skills", "install")
	bin := filepath.Join(c.home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(c.program, filepath.Join(bin, "ocaptain")); err != nil {
		t.Fatal(err)
	}
	ask := exec.CommandContext(t.Context(), claudetest.Binary(t), "-p", "--dangerously-skip-permissions", "/orchestrator --repo "+repo+" --command \""+command+"\"")
	ask.Dir = c.home
	ask.Env = append(append(append([]string{}, c.env...), claudeEnv(t, api)...), "PATH="+bin+":"+os.Getenv("PATH"), "IS_SANDBOX=1")
	out, err := ask.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "The worker says: ") {
		t.Fatalf("it says %s, %v", out, err)
	}
	if is := c.history("kite"); len(is) != 1 || is[0].State != fleet.DispatchDone || c.git(c.voyages()[0].Workspace(), "show", is[0].Branch+":kite.txt") != "flies" {
		t.Errorf("there are %+v", is)
	}
}

// TestWorkersAreApart has a worker listen at all its addresses, and another try to reach it there, at loopback and in its files.
func TestWorkersAreApart(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	repo := c.freshRepository("kite")
	const listen = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => 34567, Listen => 5) or die; open(F, ">up"); close(F); $SIG{ALRM} = sub { exit }; alarm 60; while ($s->accept) { open(F, ">reached"); close(F) }' & pid=$!
until test -e up; do sleep 0.3; done
perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => 34567, Timeout => 5)' && echo "reached itself" >itself
rm -f reached up; ip -4 -o addr 2>/dev/null | sed 's/.* inet //; s,/.*,,' >addresses; echo ~ >home; until test -e ~/end; do sleep 0.3; done; ls >seen; kill $pid`
	send := func(command string) {
		c.ocaptain("dispatch", "--repo", repo, "--agent", "script", "--max", "2", "--detach", "--command", command)
	}
	send(listen)
	d := c.voyages()[0]
	b := c.until(d, "the first listens", func(b fleet.Board) bool {
		return len(b.Ships) > 0 && b.Ships[0].Task == "1" && b.Ships[0].Changed > 1
	})
	home := filepath.Join(c.hub.State, "ships", b.Ships[0].Machine.Name, "home")
	raw, err := os.ReadFile(filepath.Join(home, "voyage", "workspace", "addresses"))
	if err != nil {
		t.Fatal(err)
	}
	send(`for at in 127.0.0.1 ` + strings.Join(strings.Fields(string(raw)), " ") + `; do perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => 34567, Timeout => 3)' "$at" && echo "connected to $at" >>found; done
ls -d ` + home + `/voyage 2>/dev/null && echo "saw its files" >>found; echo tried >tried`)
	c.until(d, "the second has tried", func(b fleet.Board) bool { _, _, done := b.CountTasks(); return done == 1 })
	if err := os.WriteFile(filepath.Join(home, "end"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.until(d, "both are done", func(b fleet.Board) bool { _, _, done := b.CountTasks(); return done == 2 })
	all := c.history("kite")
	show := func(i int, file string) string {
		out, _ := exec.Command("git", "-C", d.Workspace(), "show", all[i].Branch+":"+file).Output()
		return strings.TrimSpace(string(out))
	}
	if all[0].Worker == all[1].Worker || show(0, "itself") != "reached itself" || show(1, "tried") != "tried" {
		t.Errorf("nothing was tried: %+v, %q", all, show(0, "seen"))
	}
	if found := show(1, "found"); found != "" || strings.Contains(show(0, "seen"), "reached") {
		t.Errorf("the second worker %q, the first has %q", found, show(0, "seen"))
	}
}
