//go:build long

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proctest"
)

// TestPlanIsMade has the real Claude Code make plans for a local repository, a remote one, and a fresh one, and sails
// one of them.
func TestPlanIsMade(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, planner(true, true))
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("project/src/main.go", "package main\n")
	repo := filepath.Join(c.home, "project")
	c.git(repo, "init", "-q")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")
	before := c.git(repo, "status", "--porcelain", "--ignored")

	for _, tt := range []struct{ repo, dir, want string }{
		{"./project", "project/plans/login", "../.."},
		{"./project", "login", repo},
		{"file://" + repo, "far", "file://" + repo},
		{"", "none", ""},
	} {
		args := []string{"plan", "make", "add a login", "--dir", tt.dir}
		if tt.repo != "" {
			args = append(args, "--repo", tt.repo)
		}
		out := c.ocaptain(args...)
		for _, want := range []string{"looks for **/*", "writes tasks/2.json", "1 error and 0 warnings, which are sent back", "level 2", "critical path", "ocaptain sail " + tt.dir} {
			if !strings.Contains(out, want) {
				t.Errorf("%v: nothing says %q:\n%s", args, want, out)
			}
		}
		plan, defects := planfile.Open(filepath.Join(c.home, tt.dir))
		if len(defects) > 0 || plan.Repo.Name != tt.want || len(plan.Tasks) != 2 {
			t.Errorf("%v: %+v, %v", args, plan.Repo, defects)
		}
	}
	if after := c.git(repo, "status", "--porcelain", "--ignored"); after != before+"?? plans/" {
		t.Errorf("the repository has %q, had %q", after, before)
	}
	if out, code := c.try("plan", "make", "add a login", "--dir", "login"); code != 4 || !strings.Contains(out, "--force") {
		t.Errorf("a plan that is there: exit %d\n%s", code, out)
	}
	if out := c.ocaptain("plan", "make", "add a login", "--dir", "login", "--force"); !strings.Contains(out, "The plan that was there is now in login.") {
		t.Errorf("by force:\n%s", out)
	}
	if out, code := c.try("plan", "make", "add a login", "--agent", "script"); code != 2 || !strings.Contains(out, "--agent claude") {
		t.Errorf("an agent without a model: exit %d\n%s", code, out)
	}
	if out, code := c.try("plan", "make", "x", "--repo", "./nowhere"); code != 3 {
		t.Errorf("no repository: exit %d\n%s", code, out)
	}
}

// TestPlanIsInterrupted presses ctrl-c while the agent thinks.
func TestPlanIsInterrupted(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 10)
	plan := planner(false, false)
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		reply := plan(r)
		if r.Step() == 2 {
			begun <- struct{}{}
			reply.After = time.Hour
		}
		return reply
	})
	room := t.TempDir()
	c := newCaptain(t, append(claudeEnv(t, api), "TMPDIR="+room)...)
	cmd := exec.CommandContext(t.Context(), c.program, "plan", "make", "a login", "--repo", "none")
	cmd.Env, cmd.Dir = c.env, c.home
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("exit %d\n%s", code, out.String())
	}
	if left, _ := os.ReadDir(filepath.Join(c.home, "plans")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if left := proctest.With(c.home); len(left) > 0 {
		t.Errorf("processes left: %s", left)
	}
	if left, _ := filepath.Glob(filepath.Join(room, "ocaptain-plan-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestPlanStaysWrong has a plan made by an agent that corrects nothing.
func TestPlanStaysWrong(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, planner(true, false))
	c := newCaptain(t, claudeEnv(t, api)...)
	out, code := c.try("plan", "make", "Add a Login!", "--tries", "1")
	if code != 1 || !strings.Contains(out, "wait for each other") || !strings.Contains(out, "plans/add-a-login.draft") {
		t.Errorf("exit %d\n%s", code, out)
	}
	out, code = c.try("plan", "check", "plans/add-a-login.draft", "--json")
	var checked struct{ Errors int }
	if err := json.Unmarshal([]byte(out[:strings.LastIndex(out, "}")+1]), &checked); code != 2 || err != nil || checked.Errors != 1 {
		t.Errorf("the draft: exit %d, %v\n%s", code, err, out)
	}
}
