//go:build long

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/dispatch"
)

func TestFiftyDispatchesKilled(t *testing.T) {
	t.Parallel()
	killedDispatches(t, 10, 50)
}

// TestDispatchTurns dispatches to an agent that works in turns, which gets the command as it was written, and to an agent in a
// terminal, which reports itself that it is done.
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
			if is.State != dispatch.Done || is.Said != "It is done." {
				t.Errorf("%+v", is)
			}
			if got := c.git(c.voyages()[0].Workspace(), "show", is.Branch+":prompt"); !strings.Contains(got, awkward) {
				t.Errorf("it was told\n%q, want\n%q", got, awkward)
			}
		})
	}
}

func TestDispatchKilled(t *testing.T) {
	t.Parallel()
	killedDispatches(t, 3, 12)
}

// TestWorkersAreApart has a worker listen at all its addresses, and another worker try to reach it there, at loopback and in its
// files.
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

// TestOrchestrator has the captain's own Claude Code dispatch with the skill of that name: it gets the skill with the captain's
// request, and the command that it runs then is a dispatch.
func TestOrchestrator(t *testing.T) {
	t.Parallel()
	command := "echo flies >kite.txt"
	c := newCaptain(t) // the login is for the captain's own Claude Code, not for workers
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
	if is := c.history("kite"); len(is) != 1 || is[0].State != dispatch.Done || c.git(c.voyages()[0].Workspace(), "show", is[0].Branch+":kite.txt") != "flies" {
		t.Errorf("there are %+v", is)
	}
}

// TestDispatchPushAgain has a pool that counts from 1 again push beside the work of the sunk pool, and repeats a refused push.
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
