package run

import (
	"context"
	"time"

	"ocaptain/fleet/aboard/halt"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/transcript"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// brakeEvery is how often the runner compares the agent's cost with the allowance. With an allowance, that reads two small files.
const brakeEvery = time.Second

// startBrake interrupts the agent once it has spent its allowance while helm is away, if the allowance says so. It stops with the
// runner.
func (r *runner) startBrake(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for retry.Sleep(ctx, brakeEvery) == nil {
			r.brake(ctx)
		}
	}()
	r.undo = append(r.undo, func() {
		cancel()
		<-done
	})
}

// brake interrupts the agent if it has to stop now.
func (r *runner) brake(ctx context.Context) {
	a, over := r.overspent(ctx)
	if !over || !a.Stop {
		return
	}
	agent := &halt.Agent{Home: r.home, Agent: r.agent, Book: r.book, Waits: func() bool {
		return !r.agent.Turns && !shipdir.WindowNamed(r.home, proto.StateWorking)
	}}
	_, _ = agent.Pause(ctx, proto.Overspent, "interrupted, as it cost as much as it may while helm is away") // after an error, the next round tries again
}

// overspent reports whether helm is away and the agent has spent what it may spend until helm is back.
func (r *runner) overspent(ctx context.Context) (a proto.Allowance, over bool) {
	if shipdir.ReadJSON(r.home.Allowance(), &a) != nil || r.cost() < a.USD {
		return a, false
	}
	return a, !shipdir.Serves(ctx, r.home)
}

// cost returns what the agent has cost on this ship in US dollars, as it is reported to helm.
func (r *runner) cost() float64 {
	if r.agent.Turns {
		return readMeter(r.home).Usage.CostUSD
	}
	return transcript.Cost(r.home)
}

// awaitAllowance waits while the agent may begin nothing. It returns early when the runner is stopped.
func (r *runner) awaitAllowance(ctx context.Context) {
	told := false
	for !r.stopped() {
		if _, over := r.overspent(ctx); !over {
			return
		}
		if !told {
			r.book.Log("note", "it cost as much as it may while helm is away, and begins nothing until helm is back", "")
		}
		told = true
		if retry.Sleep(ctx, brakeEvery) != nil {
			return
		}
	}
}
