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

// maxLine bounds a line of the agent's output; what it read of a file is in one.
const maxLine = 64 << 20

// maxRefusals is how often the service refuses the login before the agent is ended. It would ask for
// minutes; a login of its own it may have renewed after the first refusal.
const maxRefusals = 2

// run gives the agent a prompt and reports what it does until it ends its turn. A run that
// was ended for its number of turns is as good as one that ended by itself: its files count.
func (o Order) run(ctx context.Context, draft string, session *string, prompt string, report func(string)) (*agent.End, error) {
	limit, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	argv := o.Agent.Headless.Plan(agent.Planning{Program: o.Program, Draft: draft, Model: o.Model, Session: *session, Turns: turns})
	cmd := exec.CommandContext(limit, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = o.Source, o.Env, strings.NewReader(prompt)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that nothing of it is left
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	said := bounded.NewEnd(4096)
	cmd.Stderr = said
	var end *agent.End
	var refused *agent.Failure // when asking the service again is in vain
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
	_ = cmd.Wait() // its exit code says less than its last event
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

// variable is the value that a variable has for the agent.
func (o Order) variable(name string) (value string) {
	for _, kv := range o.Env {
		if v, is := strings.CutPrefix(kv, name+"="); is {
			value = v // the last one counts
		}
	}
	return value
}

// describeUse says in words what a call of a tool does.
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

// lines hands on what is written to it line by line.
type lines struct {
	each   func([]byte)
	part   []byte // a line that has not ended
	broken bool   // one was too long
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
