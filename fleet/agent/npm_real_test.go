//go:build long

package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks/eventually"
)

// TestNPMPackages installs each agent from npm as a ship does, and checks what the agent's Go file relies on: its
// version, its flags, and its behaviour without an account. It prints the results as a table. TestNPMAgents of
// ui/cli/e2e tests what needs a model.
func TestNPMPackages(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(cache, "ocaptain", "agents")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	table := []string{fmt.Sprintf("%-9s %-32s %-6s %-8s %s", "agent", "version", "flags", "no key", "what it says without a key")}
	for _, tt := range []struct {
		agent Agent
		help  []string
	}{
		{codex, []string{"exec", "--help"}},
		{codex, []string{"exec", "resume", "--help"}},
		{gemini, []string{"--help"}},
		{opencode, []string{"run", "--help"}},
		{copilot, []string{"--help"}},
		{amp, []string{"--help"}},
		{amp, []string{"threads", "continue", "--help"}},
	} {
		tried[tt.agent.Name] = true
		home := t.TempDir()
		p, err := tt.agent.Program("x86_64")
		if err != nil {
			t.Fatal(err)
		}
		run := func(limit time.Duration, stdin string, argv ...string) (string, error) {
			ctx := eventually.Brief(t, limit)
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.WaitDelay = time.Second
			cmd.Dir = home
			cmd.Stdin = strings.NewReader(stdin)
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OCAPTAIN_AGENTS=" + shared, "NO_COLOR=1"}
			out, err := cmd.CombinedOutput()
			if ctx.Err() != nil {
				err = context.DeadlineExceeded
			}
			return string(out), err
		}
		program, err := p.Get(t.Context(), shared, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		version, err := run(time.Minute, "", program, "--version")
		if err != nil || tt.agent.Check(version) != nil {
			t.Errorf("%s: version: %v\n%s", tt.agent.Name, err, version)
		}
		help, err := run(time.Minute, "", append([]string{program}, tt.help...)...)
		if err != nil {
			t.Errorf("%s: help: %v\n%s", tt.agent.Name, err, help)
		}
		set := Setup{Home: home, Session: "0cb916db-26aa-40f2-86b5-1ba81b225fd2", Model: "m", Resume: len(tt.help) > 2 || tt.help[0] == "threads"}
		flags := "there"
		for _, arg := range tt.agent.Command(set).Args {
			flag, _, _ := strings.Cut(arg, "=")
			if strings.HasPrefix(flag, "--") && !strings.Contains(help, flag) {
				flags = "no " + flag
				t.Errorf("%s: its help does not tell of %s", tt.agent.Name, flag)
			}
		}
		row := []any{tt.agent.Name, strings.Fields(version + " ?")[0], flags, "", ""}
		for _, w := range strings.Fields(version) {
			if someVersion().MatchString(w) {
				row[1] = w
				break
			}
		}
		if !set.Resume {
			if err := tt.agent.Prepare(set); err != nil {
				t.Fatal(err)
			}
			set.Model = ""
			c := tt.agent.Command(set)
			out, err := run(90*time.Second, "hello", append([]string{program}, c.Args[1:]...)...)
			var exit *exec.ExitError
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				row[3] = "waits"
			case errors.As(err, &exit) && agentlog.NeedsKey(out):
				row[3] = fmt.Sprintf("exit %d", exit.ExitCode())
			case errors.As(err, &exit):
				row[3] = fmt.Sprintf("exit %d?", exit.ExitCode())
			default:
				row[3] = "exit 0!"
				t.Errorf("%s: a turn without a key ended well:\n%s", tt.agent.Name, out)
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			row[4] = fmt.Sprintf("%.110s", lines[len(lines)-1])
			for _, l := range lines {
				if agentlog.NeedsKey(l) {
					row[4] = fmt.Sprintf("%.110s", l)
					break
				}
			}
		} else {
			row[0] = tt.agent.Name + "…"
		}
		table = append(table, fmt.Sprintf("%-9s %-32s %-6s %-8s %s", row...))
	}
	for _, a := range all {
		if a.Turns && !tried[a.Name] {
			t.Errorf("no case of this test installs %s: add one with the arguments of its help", a.Name)
		}
	}
	t.Log("\n" + strings.Join(table, "\n"))
}
