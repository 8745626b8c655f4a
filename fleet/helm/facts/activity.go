package facts

import (
	"time"

	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// RestGrace is how long an agent has been idle when it counts as resting.
const RestGrace = 5 * time.Second

// Activity says what an agent does at one moment.
type Activity struct {
	Known     resolve.Known
	Talks     bool // it takes messages while it works
	Connected bool // helm reaches its ship
	Waits     int  // number of its calls that wait until there is work
	Mail      int  // messages on their way to it
}

func (a Activity) state() proto.State { return a.Known.State.State }

func (a Activity) isIdle() bool {
	return a.state() == proto.StateIdle || a.state() == proto.StateResting
}

// lives reports whether the agent runs.
func (a Activity) lives() bool { return a.Known.Exit == nil && a.Known.Pulse.Agent }

// Finished reports whether the agent has ended, and its runner does not start it again.
func (a Activity) Finished() bool { return a.Known.Exit != nil && a.Known.Exit.Done }

// Rests reports whether a living agent neither works nor waits for work.
func (a Activity) Rests(now time.Time) bool {
	return a.Talks && a.lives() && a.isIdle() && a.Waits == 0 && now.Sub(a.Known.StateAt) >= RestGrace
}

// Done reports whether the agent has ended, or has been idle for a while.
func (a Activity) Done(now time.Time) bool {
	return a.Finished() || a.isIdle() && now.Sub(a.Known.StateAt) >= RestGrace
}

// Reached reports whether the agent lives and could be told something.
func (a Activity) Reached() bool { return a.Talks && a.Connected && a.lives() }

// SoonFree reports whether the agent works or is idle, and so may soon wait to be told something.
func (a Activity) SoonFree() bool {
	return a.Connected && (a.isIdle() || a.state() == proto.StateWorking || a.state() == proto.StateStarting)
}

// Free reports whether the agent waits for a message.
func (a Activity) Free() bool {
	if !a.Connected || a.Mail > 0 {
		return false
	}
	return a.Waits > 0 || a.Talks && a.lives() && (a.isIdle() || a.state() == proto.StateStarting)
}
