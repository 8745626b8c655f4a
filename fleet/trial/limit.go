package trial

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
)

// subscription tries Claude Code with the token of a subscription that is used up.
type subscription struct {
	dir   string
	order Order
}

func (s subscription) clauses() []clause {
	return []clause{{"a usage limit is recognised, with its reset", Comfort, s.limited}}
}

func (s subscription) limited(ctx context.Context) string {
	reset := time.Now().Add(3 * time.Hour).Truncate(time.Minute)
	l, err := newLife(s.dir, s.order, map[string]string{"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-trial-0123456789"}, usedUp(reset))
	if err != nil {
		return err.Error()
	}
	defer l.close()
	if err := l.open(ctx); err != nil {
		return err.Error()
	}
	known := func(t proto.AgentState) bool {
		return t.Trouble == string(agentlog.TroubleUsage) && t.Until.Sub(reset).Abs() <= time.Hour // the agent says the hour, or the minute
	}
	if l.until(ctx, 2*patience, func() bool { return slices.ContainsFunc(l.states(), known) }) != nil {
		return fmt.Sprintf("it tells: %s %s; %s", l.state().State, l.state().Why, l.screen(ctx))
	}
	return ""
}

// usedUp refuses every request, as the service does for an account that has reached its limit.
func usedUp(reset time.Time) loopback.Brain {
	reply := loopback.Fail(http.StatusTooManyRequests, "rate_limit_error", "This request would exceed your account's rate limit")
	reply.Error.Header = http.Header{
		"anthropic-ratelimit-unified-status":               {"rejected"},
		"anthropic-ratelimit-unified-reset":                {fmt.Sprint(reset.Unix())},
		"anthropic-ratelimit-unified-representative-claim": {"five_hour"},
	}
	return func(loopback.Request) loopback.Reply { return reply }
}
