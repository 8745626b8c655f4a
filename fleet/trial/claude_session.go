package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

func (l life) compacted(ctx context.Context) string {
	if !l.ends(ctx, proto.StateIdle) {
		return "the end of its turn is not told; " + l.screen(ctx)
	}
	if err := l.add(ctx, job("6", "echo six >> log.txt")); err != nil {
		return err.Error()
	}
	if l.until(ctx, patience, func() bool { return l.update("6", tasks.InProgress).OK() }) != nil || !l.ends(ctx, proto.StateIdle) {
		return "it did not take up a task; " + l.screen(ctx)
	}
	l.helm.Change(func() { l.rests = true })
	if !l.ends(ctx, proto.StateResting) {
		return "it does not rest; " + l.screen(ctx)
	}
	logged := func() bool {
		return slices.ContainsFunc(standin.Told[proto.Log](l.helm, proto.KindLog), func(g proto.Log) bool { return g.Text == "the session was compacted" })
	}
	if err := l.tmux(ctx, "send-keys", "-t", "ship", "-l", "/compact").Run(); err != nil {
		return err.Error()
	}
	if l.until(ctx, patience, func() bool { return strings.Contains(l.screen(ctx), "/compact") }) != nil {
		return "it takes no command; " + l.screen(ctx)
	}
	if err := l.tmux(ctx, "send-keys", "-t", "ship", "Enter").Run(); err != nil {
		return err.Error()
	}
	if l.until(ctx, 2*patience, logged) != nil {
		return "its hook does not tell of it; " + l.screen(ctx)
	}
	if err := l.tell(ctx, goOn+", please."); err != nil {
		return err.Error()
	}
	if l.until(ctx, patience, func() bool { return l.helm.Status("6") == tasks.Completed }) != nil {
		return "it did not go on; " + l.screen(ctx)
	}
	for _, m := range l.conversation().Messages {
		for _, p := range m.Parts {
			if strings.Contains(p.Text, "You hold task 6") {
				return ""
			}
		}
	}
	return "the model is not told"
}

func (l life) resumed(ctx context.Context) string {
	if !l.ends(ctx, proto.StateResting) {
		return "it does not rest; " + l.screen(ctx)
	}
	l.helm.Change(func() { l.rests = false })
	var r shipdir.Running
	if err := shipdir.ReadJSON(l.home.Run(), &r); err != nil {
		return err.Error()
	}
	if err := r.Agent.Signal(syscall.SIGKILL); err != nil {
		return "it could not be killed: " + err.Error()
	}
	if err := l.add(ctx, job("7", "echo seven >> log.txt")); err != nil {
		return err.Error()
	}
	if l.until(ctx, 2*patience, func() bool { return l.helm.Status("7") == tasks.Completed }) != nil {
		return "it did not go on; " + l.screen(ctx)
	}
	starts := standin.Told[proto.AgentStarted](l.helm, proto.KindAgentStarted)
	if last := starts[len(starts)-1]; len(starts) < 2 || !last.Resumed || last.Session != starts[0].Session || !l.remembers() {
		return "it began anew"
	}
	return ""
}

// remembers reports whether the resumed conversation still has what was said before.
func (l life) remembers() bool {
	return slices.ContainsFunc(l.conversation().Prompts(), func(p string) bool { return strings.Contains(p, goOn) })
}

func (l life) transcribed(ctx context.Context) string {
	want := map[string]string{"say": "I end my turn", "tool": "Bash echo five", "result": ""}
	lacking := func() (kinds []string) {
		all := standin.Told[proto.Log](l.helm, proto.KindLog)
		for kind, text := range want {
			if !slices.ContainsFunc(all, func(g proto.Log) bool { return g.Kind == kind && strings.Contains(g.Text, text) }) {
				kinds = append(kinds, kind)
			}
		}
		return kinds
	}
	if l.until(ctx, patience, func() bool { return len(lacking()) == 0 }) != nil {
		return "the log lacks what it does of the kinds " + strings.Join(lacking(), ", ")
	}
	return ""
}

func (l life) counted(ctx context.Context) string {
	var served loopback.Served
	var usage proto.Usage
	var sum agentlog.Tokens
	equal := func() bool {
		served, usage, sum = loopback.Served{}, proto.Usage{}, agentlog.Tokens{}
		for _, s := range l.api.Sessions() {
			served = s.Said
		}
		if all := standin.Told[proto.Usage](l.helm, proto.KindUsage); len(all) > 0 {
			usage = all[len(all)-1]
		}
		for _, m := range usage.Models {
			sum = sum.Add(m)
		}
		return usage.Messages == served.Answers && sum == agentlog.Tokens{
			Input: int64(served.Input), Output: int64(served.Output), CacheRead: int64(served.CacheRead), CacheWrite: int64(served.CacheWrite),
		}
	}
	switch {
	case l.until(ctx, patience, equal) != nil:
		return fmt.Sprintf("%d answers with %d tokens are counted of %d with %d", usage.Messages, sum.Output, served.Answers, served.Output)
	case usage.CostUSD <= 0:
		return "it does not tell its cost"
	case usage.Conversation.Tokens <= 0 || usage.Conversation.Window <= 0:
		return "it does not tell how long its conversation is"
	}
	return ""
}

func (l life) troubled(ctx context.Context) string {
	if !l.ends(ctx, proto.StateIdle) {
		return "the end of its turn is not told; " + l.screen(ctx)
	}
	for _, t := range troubles {
		before := len(l.states())
		if err := l.tell(ctx, trouble+" "+t.reason); err != nil {
			return err.Error()
		}
		known := func() bool {
			return slices.ContainsFunc(l.states()[before:], func(s proto.AgentState) bool { return s.Trouble == string(t.want) && s.Why != "" })
		}
		if l.until(ctx, patience, known) != nil {
			return fmt.Sprintf("of %s it tells: %s %s", t.reason, l.state().State, l.state().Why)
		}
	}
	return ""
}
