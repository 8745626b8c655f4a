package planmake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/sync/bounded"
	"ocaptain/ui/words"
)

// maxLine bounds a line of the agent's output, which may hold a whole file.
const maxLine = 64 << 20

// maxRefusals is how often the service may refuse the login before the agent is ended. The agent
// itself would retry for minutes; after the first refusal it may have renewed its login.
const maxRefusals = 2

// run gives the agent a prompt and reports what it does until its turn ends. A run that ended at
// its limit of turns counts too: its files are as good.
func (o Order) run(ctx context.Context, draft string, session *string, prompt string, report func(string)) (*agent.End, error) {
	limit, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	argv := o.Agent.Headless.Plan(agent.Planning{Program: o.Program, Draft: draft, Model: o.Model, Session: *session, Turns: turns})
	cmd := exec.CommandContext(limit, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = o.Source, o.Env, strings.NewReader(prompt)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that ending the group leaves no process
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	said := bounded.NewEnd(4096)
	cmd.Stderr = said
	var end *agent.End
	var refused *agent.Failure // why asking the service again is useless
	refusals, key := 0, o.Agent.Key(o.variable)
	out := &lines{each: func(line []byte) {
		e := o.Agent.Headless.Read(line)
		if e.Session != "" {
			*session = e.Session
		}
		for _, u := range e.Uses {
			report(o.describeUse(draft, u))
		}
		if text := words.FirstLine(e.Text); text != "" {
			report("“" + words.FitWidth(text, 200) + "”")
		}
		if e.Retry != nil {
			failure := o.Agent.Diagnose(&e.Retry.Failure, "", key)
			if !e.Retry.Final() {
				refusals = 0
			} else if refusals++; refusals >= maxRefusals {
				refused = failure
				cancel()
				return
			}
			report(fmt.Sprintf("%s; it asks again in %s (%d of %d)", failure.Text, words.Duration(e.Retry.In), e.Retry.N, e.Retry.Of))
		}
		if e.End != nil {
			end = e.End
		}
	}}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Agent.Name, err)
	}
	_ = cmd.Wait() // the last event says more than the exit code
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	switch {
	case ctx.Err() != nil:
		return end, ctx.Err()
	case refused != nil:
		return end, refused
	case out.broken:
		return end, fmt.Errorf("%s printed a line of more than %d bytes", o.Agent.Name, maxLine)
	case errors.Is(limit.Err(), context.DeadlineExceeded):
		return end, fmt.Errorf("%s was not done after %s", o.Agent.Name, words.Age(patient))
	case end != nil && end.TurnsOut:
		return end, nil
	}
	if trouble := o.Agent.Diagnose(end, said.String(), key); trouble != nil {
		return end, trouble
	}
	return end, nil
}

// variable returns the value of a variable in the agent's environment.
func (o Order) variable(name string) (value string) {
	for _, kv := range o.Env {
		if v, is := strings.CutPrefix(kv, name+"="); is {
			value = v // the last value counts
		}
	}
	return value
}

// describeUse says in words what a tool call does.
func (o Order) describeUse(draft string, u agent.Use) string {
	verb := map[string]string{"Read": "reads", "Write": "writes", "Edit": "edits", "Glob": "looks for", "Grep": "searches for"}[u.Tool]
	if verb == "" {
		verb = "uses " + u.Tool
	}
	on := u.On
	for _, dir := range []string{draft, o.Source} {
		if rel, err := filepath.Rel(dir, on); err == nil && filepath.IsAbs(on) && filepath.IsLocal(rel) {
			on = rel
			break
		}
	}
	return strings.TrimSpace(verb + " " + on)
}

// lines passes on written text line by line.
type lines struct {
	each   func([]byte)
	part   []byte // an unfinished line
	broken bool   // a line was too long
}

func (l *lines) Write(p []byte) (int, error) {
	l.part = append(l.part, p...)
	for {
		line, rest, whole := bytes.Cut(l.part, []byte("\n"))
		if !whole {
			break
		}
		l.each(line)
		l.part = rest
	}
	if len(l.part) > maxLine {
		l.broken = true
		return 0, errors.New("line too long")
	}
	return len(p), nil
}
