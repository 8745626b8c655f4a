//go:build long

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/tailnet/tailnettest"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/cli"
)

// TestInterruptedSail presses ctrl-c while ships are provisioned, before the first step and at each step of ships on this
// machine. Nothing of the ships may be left; newCaptain's end looks for processes and directories.
func TestInterruptedSail(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	plan := c.plan("never", "", "#!/bin/bash\n", smallPlan(1, 2, "true"))
	local := slices.DeleteFunc(provision.StepNames(), func(step string) bool { return step == "tailnet" || step == "probe" })
	for _, step := range append([]string{""}, local...) {
		c.interrupted(step, "local", "sail", plan, "-n", "2", "--agent", "script", "--detach")
		if left := proctest.With(filepath.Join(c.hub.State, "ships")); len(left) > 0 {
			t.Errorf("at %q: processes left: %s", step, left)
		}
	}
}

// TestInterruptedSailExedev presses ctrl-c at every step that a ship can have: the ships are at exe.dev, join a tailnet
// and prove their login. Neither exe.dev nor the tailnet has anything of them when the command ends.
func TestInterruptedSailExedev(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	api := claudetest.Start(t, loopback.Worker)
	agents := filepath.Join(claudetest.Binary(t), "..", "..")
	env := maps.Clone(tailnettest.Env)
	env["OCAPTAIN_AGENTS"] = agents // Claude Code is there already
	c, fake, _ := atExe(t, exedevtest.Config{Env: env, Shared: []string{agents}}, append(claudeEnv(t, api), l.env...)...)
	c.scan.agentsGet("ANTHROPIC_AUTH_TOKEN")
	plan := c.plan("never", "", "#!/bin/bash\n", smallPlan(1, 2, "true"))
	for _, step := range provision.StepNames() {
		c.interrupted(step, "exedev", "sail", plan, "-n", "2", "--agent", "claude", "--detach")
		if left := fake.Machines(); len(left)+len(l.api.Devices())+len(l.api.Keys()) > 0 {
			t.Errorf("at %q: machines left: %q; devices: %+v; keys: %+v", step, left, l.api.Devices(), l.api.Keys())
		}
		if left := proctest.With(fake.Root()); len(left) > 0 {
			t.Errorf("at %q: processes left: %s", step, left)
		}
	}
}

// interrupted interrupts a sail when a ship begins a step, or for "" when the command begins. It tries again when the interrupt
// came too late.
func (c *captain) interrupted(step, provider string, sail ...string) {
	c.Helper()
	for !c.interruptedOnce(step, append(sail, "--provider", provider)) {
		c.ocaptain("sink", "--all", "-f")
	}
	for _, d := range c.voyages() {
		f, err := fleet.LoadFleet(d)
		if err != nil || f.Phase != fleet.Sunk || len(f.Ships) > 0 {
			c.Errorf("at %q: %s is %s with %d ships, %v", step, d.ID(), f.Phase, len(f.Ships), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(c.hub.Voyages, ".fitting*")); len(left) > 0 {
		c.Errorf("at %q: %s is left", step, left)
	}
	if out, code := c.try("sweep", "--provider", provider); code != 0 || !strings.Contains(out, "Every machine of this install has its voyage.") {
		c.Errorf("at %q: sweep: exit %d\n%s", step, code, out)
	}
}

// interruptedOnce reports whether the interrupt came before the voyage sailed.
func (c *captain) interruptedOnce(step string, args []string) bool {
	c.Helper()
	before := c.voyages()
	cmd := exec.Command(c.program, args...)
	cmd.Env, cmd.Dir = c.env, c.home
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	for step != "" && !c.begins(step, before) {
		select {
		case <-ended:
			c.Fatalf("no ship goes through %s: %s\n%s", step, cmd.ProcessState, out.String())
		case <-eventually.Later(time.Millisecond):
		}
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	<-ended
	code := cmd.ProcessState.ExitCode()
	if killed := step == "" && code == -1; code != 0 && code != cli.Interrupted && !killed {
		c.Errorf("at %q: exit %d\n%s", step, code, out.String())
	}
	return code != 0
}

// begins reports whether the log of a ship of a new voyage has the beginning of a step.
func (c *captain) begins(step string, before []fleet.Dir) bool {
	for _, d := range c.voyages() {
		if slices.Contains(before, d) {
			continue
		}
		logs, _ := filepath.Glob(filepath.Join(d.LogsDir(), "*.jsonl"))
		for _, name := range logs {
			raw, _ := os.ReadFile(name)
			for line := range strings.Lines(string(raw)) {
				var l fleet.LogLine
				var f fleet.FitStep
				if json.Unmarshal([]byte(line), &l) == nil && l.IsProvisioning() && json.Unmarshal(l.Data, &f) == nil && f.Step == step && f.State == provision.Start {
					return true
				}
			}
		}
	}
	return false
}
