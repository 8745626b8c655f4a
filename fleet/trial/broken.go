package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/loopback"
)

// yes is the answer of a working hook that grants the claim.
const yes = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"taskId":"1","status":"in_progress"}}}`

// breakages are ways in which a hook's program can break, as shell scripts; "" is a missing program.
var breakages = map[string]string{
	"is missing":        "",
	"is killed":         "kill -9 $$",
	"fails":             "exit 1",
	"answers nonsense":  "echo '{\"hookSpecificOutput\":'",
	"answers nothing":   "exit 0",
	"hangs":             "kill -STOP $$",
	"says yes in prose": "echo allow",
	"says yes, fails":   "echo '" + yes + "'; exit 1",
	"decides not":       "echo '" + yes + "'",
}

// brokenHooks tries Claude Code with hooks whose programs break.
type brokenHooks struct {
	dir   string
	order Order
}

func (b brokenHooks) clauses() []clause {
	return []clause{{"a hook that is missing, crashes, hangs or answers nonsense lets nothing through", Must, b.try}}
}

func (b brokenHooks) try(ctx context.Context) string {
	var mu sync.Mutex
	var wrong []string
	var all sync.WaitGroup
	slots := make(chan struct{}, 3)
	for how, script := range breakages {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			mu.Lock()
			enough := len(wrong) > 0
			mu.Unlock()
			if enough {
				return // a version that hangs here would use up all the time of the trial
			}
			if why := b.tryOne(ctx, script); why != "" {
				mu.Lock()
				defer mu.Unlock()
				wrong = append(wrong, "one that "+how+": "+why)
			}
		})
	}
	all.Wait()
	return strings.Join(wrong, "; ")
}

// tryOne lets Claude Code try to claim the only task.
func (b brokenHooks) tryOne(ctx context.Context, script string) string {
	s, err := newLife(b.dir, b.order, nil, loopback.Worker)
	if err != nil {
		return err.Error()
	}
	defer s.close()
	settings, err := s.breakHooks(script)
	if err != nil {
		return err.Error()
	}
	list := shipdir.ListDir(string(s.home), "list")
	file := filepath.Join(list, "1.json")
	const task = `{"id":"1","subject":"One","description":"RUN: echo done > log.txt","status":"pending","blocks":[],"blockedBy":[]}`
	if err := errors.Join(os.MkdirAll(list, 0o755), os.WriteFile(file, []byte(task), 0o644)); err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.order.Program, "-p", "--dangerously-skip-permissions", "--settings", settings, "Work.")
	cmd.Dir, cmd.WaitDelay = s.work(), time.Second
	cmd.Env = append(os.Environ(), "HOME="+string(s.home), "ANTHROPIC_BASE_URL="+s.api.URL, "ANTHROPIC_API_KEY="+key, "CLAUDE_CODE_MAX_RETRIES=1", "IS_SANDBOX=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("it did not work: %s: %s", err, short(string(out)))
	}
	tried := false
	for _, c := range s.conversation().Calls() {
		if c.Tool != "TaskUpdate" {
			continue
		}
		tried = true
		if c.OK() {
			return "the claim went through"
		}
	}
	switch raw, err := os.ReadFile(file); {
	case !tried:
		return "the task was not even tried"
	case err != nil || string(raw) != task || s.has("log.txt", ""):
		return "the task was taken"
	}
	return ""
}

// breakHooks writes the settings for a ship's agent whose hooks run that script, and returns the path of the
// settings.
func (s *stage) breakHooks(script string) (file string, err error) {
	hook := filepath.Join(string(s.home), "hook")
	if script != "" {
		text := "#!/bin/sh\ncase $3 in " + agent.HookClaim + "|" + agent.HookDone + ") ;; *) exit 0 ;; esac\n" + script + "\n"
		if err := os.WriteFile(hook, []byte(text), 0o755); err != nil {
			return "", err
		}
	}
	a, err := agent.Lookup("claude")
	if err != nil {
		return "", err
	}
	set := agent.Setup{Home: string(s.home), Ocaptain: hook, List: "list", Workspace: s.work(), Root: os.Geteuid() == 0}
	if err := a.Prepare(set); err != nil {
		return "", err
	}
	file = filepath.Join(string(s.home), ".ocaptain", "claude-settings.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	// Claude Code kills a gate that hangs after a long time; the trial kills it sooner.
	kill := fmt.Sprintf("timeout -s KILL %d", int(agent.HookLimits(agent.HookClaim).Kill/time.Second))
	hasty := strings.ReplaceAll(string(raw), kill, "timeout -s KILL 1")
	if hasty == string(raw) {
		return "", errors.New("nothing kills a gate that hangs")
	}
	return file, os.WriteFile(file, []byte(hasty), 0o600)
}
