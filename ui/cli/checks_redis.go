package cli

import (
	"context"
	"fmt"
	"time"

	"ocaptain/tasks/redislog"
	"ocaptain/ui/cli/config"
)

// slowRedis is a round trip to Redis that is too slow for hubs: each change of a task takes one.
const slowRedis = 50 * time.Millisecond

// redisFindings checks a Redis in which hubs are to share the tasks of sessions.
func redisFindings(ctx context.Context, address string, c config.Config) []finding {
	if address == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	f := finding{What: "redis", Need: "sessions that several hubs share", State: healthy, Required: true}
	password, _ := c.Variable("REDIS_PASSWORD")
	health, err := redislog.Examine(ctx, address, password)
	if err != nil {
		f.Found, f.State, f.Fix = err.Error(), missing, "start it, look at the address, or set REDIS_PASSWORD where it wants a password"
		return []finding{f}
	}
	f.Found = fmt.Sprintf("Redis %s, which answers in %s", health.Version, health.Latency.Round(10*time.Microsecond))
	if health.Latency > slowRedis {
		f.State, f.Fix = doubt, "use a Redis that is nearer: each claim and completion waits for it"
	}
	all := []finding{f}
	for _, d := range health.Defects {
		all = append(all, finding{What: "redis", Found: d.What, Need: f.Need, State: doubt, Fix: d.Fix})
	}
	return all
}
