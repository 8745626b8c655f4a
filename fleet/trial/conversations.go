package trial

import (
	"context"
	"strings"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// conversations tries Claude Code with a conversation of its own for each task.
type conversations struct {
	dir   string
	order Order
}

func (c conversations) clauses() []clause {
	return []clause{{"each task begins with a conversation of its own", Must, c.try}}
}

func (c conversations) try(ctx context.Context) string {
	l, err := newLife(c.dir, c.order, map[string]string{"ANTHROPIC_API_KEY": key}, loopback.Worker, job("1", "echo one >> log.txt"), job("2", "echo two >> log.txt"))
	if err != nil {
		return err.Error()
	}
	defer l.close()
	var is proto.Ship
	if err := shipdir.ReadJSON(l.home.Ship(), &is); err != nil {
		return err.Error()
	}
	is.Conversation = agent.PerTask
	if err := shipdir.WriteJSON(l.home.Ship(), is); err != nil {
		return err.Error()
	}
	if err := l.open(ctx); err != nil {
		return err.Error()
	}
	done := func() bool { return l.helm.Status("1") == tasks.Completed && l.helm.Status("2") == tasks.Completed }
	if l.until(ctx, 2*patience, done) != nil {
		return "the tasks are not done; " + l.screen(ctx)
	}
	all := l.api.Sessions()
	switch starts := standin.Told[proto.AgentStarted](l.helm, proto.KindAgentStarted); {
	case len(all) != 2 || len(starts) != 2 || starts[1].Session != all[1].ID:
		return "it has one conversation for both"
	case !strings.Contains(strings.Join(all[1].Last.Prompts(), "\n"), "this is a new conversation"):
		return "the second conversation does not begin with a word about the first"
	}
	return ""
}
