package launch

import (
	"context"
	"crypto/rand"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/redislog"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// examining is the time limit for examining a Redis.
const examining = time.Minute

// checkRedis makes the session keep its tasks in a Redis, unless the address is "". It returns a problem when the Redis cannot
// hold them.
func (y Yard) checkRedis(ctx context.Context, o *Order, address string, lease time.Duration) *problem.Problem {
	if address == "" {
		return nil
	}
	c, err := config.Load(config.Sources{Dir: y.Hub.Config, Cwd: y.Cwd, Environ: y.Environ})
	if err != nil {
		return &problem.Problem{Kind: problem.Usage, Err: err}
	}
	password, _ := c.Variable("REDIS_PASSWORD")
	ctx, cancel := context.WithTimeout(ctx, examining)
	defer cancel()
	health, err := redislog.Examine(ctx, address, password)
	if err != nil {
		return problem.New(problem.Failed, problem.None, "start that Redis, or leave --redis and redis.url out to keep the tasks on this machine alone\nif it wants a password: REDIS_PASSWORD=…\nto look closer: ocaptain doctor --redis "+clean.Line(address), "redis.url: %w", err)
	}
	for _, d := range health.Defects {
		o.Borrowed = append(o.Borrowed, problem.Defect{What: "Redis at " + clean.Line(address) + ": " + d.What, Fix: d.Fix})
	}
	o.shared = &fleet.Shared{URL: address, Session: o.id, Remote: o.Work.Remote(ctx), Lease: lease, Reviewed: o.Validators > 0}
	o.admission = fleet.Admission{Password: password, Secret: rand.Text(), Token: o.Work.Token}
	if o.shared.Remote == "" {
		o.Borrowed = append(o.Borrowed, problem.Defect{What: "only this machine has the repository, and other hubs can bring no ships", Fix: "for that: --repo URL, or a remote with: git remote add origin URL"})
	}
	return nil
}
