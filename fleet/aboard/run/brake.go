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

// brakeEvery is how often the cost of the agent is compared with what it may be. That reads two small files where there is a bound.
const brakeEvery = time.Second

// startBrake interrupts the agent when it has cost what it may while helm is away, if that is to be at once. It ends with the runner.
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

// brake interrupts the agent when that is due now.
func (r *runner) brake(ctx context.Context) {
	a, over := r.overspent(ctx)
	if !over || !a.Stop {
		return
	}
	agent := &halt.Agent{Home: r.home, Agent: r.agent, Book: r.book, Waits: func() bool {
		return !r.agent.Turns && !shipdir.WindowNamed(r.home, proto.StateWorking)
	}}
	_, _ = agent.Pause(ctx, proto.Overspent, "interrupted, as it cost as much as it may while helm is away") // else it is tried again
}

// overspent reports whether helm is away and the agent has cost as much as it may until helm is back.
func (r *runner) overspent(ctx context.Context) (a proto.Allowance, over bool) {
	if shipdir.ReadJSON(r.home.Allowance(), &a) != nil || r.cost() < a.USD {
		return a, false
	}
	return a, !shipdir.Serves(ctx, r.home)
}

// cost is what the agent has cost on this ship, as helm is told it.
func (r *runner) cost() float64 {
	if r.agent.Turns {
		return readMeter(r.home).Usage.CostUSD
	}
	return transcript.Cost(r.home)
}

// awaitAllowance waits as long as the agent may begin nothing. It returns when the runner is
// stopped.
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
