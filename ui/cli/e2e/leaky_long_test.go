//go:build long

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// TestLeakyAgent sails with an agent that prints its key, a check and a verification that print the ship's secrets,
// and a captain who sets every token, some of them wrong. No secret may be found anywhere: newCaptain's scan looks.
func TestLeakyAgent(t *testing.T) {
	t.Parallel()
	const key = "coder-key-4b1d5e77c0ffee"
	c := newCaptain(t, append(canaries(), "CODER_KEY="+key)...)
	c.scan.add(newSecret("CODER_KEY", key, true))
	c.scan.agentsGet("CODER_KEY")
	script, err := json.Marshal(leakyAgent)
	if err != nil {
		t.Fatal(err)
	}
	c.write(".config/ocaptain/config.yaml", "agents:\n  leaky:\n    command: [coder]\n    prompt: stdin\n    output: jsonl\n    env: [CODER_KEY]\n"+
		"    version: [test, -x, .ocaptain/bin/coder]\n"+
		`    install: [sh, -c, 'printf "%s" "$1" >~/.ocaptain/bin/coder && chmod +x ~/.ocaptain/bin/coder', install, `+string(script)+"]\n")

	const password = "pass-word-in-an-address-91"
	c.scan.add(newSecret("the password of an address", password, false))
	for _, args := range [][]string{
		{"sail", "--detach", c.plan("far", "https://ada:"+password+"@127.0.0.1:9/ship.git", passes, smallPlan(1, 1, "true")), "--agent", "script"},
		{"plan", "check", filepath.Join(c.home, "far")},
		{"sail", "--detach", c.plan("near", "", passes, smallPlan(1, 1, "true")), "--agent", "script", "--provider", "sprites"},
		{"sail", "--detach", filepath.Join(c.home, "near"), "--agent", "script", "--provider", "exedev"},
		{"doctor", "--provider", "sprites"},
		{"doctor", "--agent", "nobody"},
	} {
		if out, code := c.try(args...); code == 0 {
			t.Errorf("ocaptain %s: %s", strings.Join(args, " "), out)
		}
	}
	// The captain may keep secrets in files of their own.
	if err := os.RemoveAll(filepath.Join(c.home, "far")); err != nil {
		t.Fatal(err)
	}

	// A check can't find the agent's home, but the agent has left its key, encoded, in a file.
	const secrets = `! test -e "$(cat .git/objects/info/alternates)/../../../../.ocaptain/secrets.json" && tr A-Za-z N-ZA-Mn-za-m <file-1`
	tell := job{id: "1", subject: "Tell all", run: "true", verify: secrets + "; test -e checked"}
	d := c.sail(c.plan("leaky", "", "#!/bin/bash\nset -e\n"+secrets+"\n", []job{tell}), "-n", "1", "--agent", "leaky")
	board := c.complete(d)
	logs := c.ocaptain("logs", d.ID(), "-n", "200")
	for _, want := range []string{"my key is [secret]", "no JSON: [secret]"} {
		if !strings.Contains(logs, want) {
			t.Errorf("the logs do not tell %q:\n%s", want, logs)
		}
	}
	if !strings.Contains(board.Verify.Output, "[secret]") {
		t.Errorf("the verification has printed nothing: %s", board.Verify.Output)
	}
	for _, args := range [][]string{{"status"}, {"tasks", "--json"}, {"diff"}, {"status", "--json"}} {
		c.ocaptain(args...)
	}
	c.scan.text("a commit", []byte(c.git(d.Workspace(), "log", "-p", "--all")))
	k := newDesk(t, c, 78, 40, d.ID()) // the screen has room for one pane: the agent's terminal may show its own key
	k.see("the voyage", has("complete"))
	k.enter("3")
	k.see("the logs", has("[secret]"))
	k.enter("q")
	k.exit()
	c.ocaptain("sink", d.ID(), "-f")
	if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
		t.Errorf("%+v, %v", f, err)
	}
}
