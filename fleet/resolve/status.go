// Package resolve decides the status of a ship from everything that is known of it. It does no I/O.
package resolve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/proto"
)

// taskless is how long an agent may work without a task before the status says so.
const taskless = 30 * time.Second

// launching is how long it may take until a new ship's runner is seen for the first time.
const launching = 15 * time.Second

// Known is everything that a status is resolved from.
type Known struct {
	Ship fleet.Ship

	// Provisioning.
	Awaits string        // who must answer before the current step can continue
	Quiet  time.Duration // the time without a sign of progress until the last look

	Link
	Service
	Fault
	Work

	// Processes, from the last pulse; PulseAt is zero before the first.
	Pulse   proto.Pulse
	PulseAt time.Time

	// The last reports of the runner and the agent; zero times mean never.
	Exit    *proto.AgentExited // the last exit, nil after a new start
	ExitAt  time.Time
	State   proto.AgentState
	StateAt time.Time // when the state began
	EventAt time.Time // the newest event of any kind
	ActAt   time.Time // the newest sign that it did something; words alone do not count

	// AwakeAt is since when the hub has been awake; it could hear nothing before.
	AwakeAt time.Time

	AllDone bool   // nothing is left to do in this voyage
	Paused  string // why ships may begin nothing now, "" when they may
}

// Link is the connection to a ship.
type Link struct {
	Connected bool
	LinkSince time.Time // when the current state of the connection began
	LinkError string    // why there is no connection
	Full      string    // why its machine was stopped, if it exceeded its limit of the captain's disk
	Silent    string    // why ocaptain is not running on it although it is connected
	SilentAt  time.Time // since when
}

// Service is what helm does about an agent that a limit or the service has stopped.
type Service struct {
	TryAt time.Time // when helm tells a ship that met a limit to go on
	TryBy string    // another ship that tries first, and is doing so
	Tries int       // failed tries in a row
}

// Fault is what is wrong with a ship or its agent.
type Fault struct {
	Trouble   string    // what is wrong with the ship itself, so that it takes no tasks for now
	TroubleAt time.Time // since when
	Ignored   int       // how often helm named ready tasks and it claimed none, once that is too often
	LeftAlone bool      // it has ended several turns while it held its task, and helm no longer sends it back
}

// Work is what a ship has to do.
type Work struct {
	Held    string // the task that the ship holds
	HeldAt  time.Time
	FreeAt  time.Time // since when it has held no task; zero while it holds one, and when unknown
	Ready   string    // a task that it could claim, and does not claim although its agent works
	ReadyAt time.Time // since when there is such a task
	Asks    string    // what the captain has to decide about its task
	AsksAt  time.Time // since when
	Veto    string    // why its last attempt to complete that task was refused
}

func status(w fleet.Word, reason string, since, seen time.Time, source string) fleet.Status {
	return fleet.Status{Word: w, Reason: reason, Since: since, SeenAt: seen, Source: source}
}

// Status returns a ship's status. The dashboard and the commands both use it. It does no I/O.
func Status(now time.Time, k Known) fleet.Status {
	switch k.Ship.Phase {
	case fleet.Planned, fleet.Provisioning:
		return status(fleet.Provision, joinText(fitting(k), k.Paused), latest(k.Ship.Created, k.Ship.StepAt), now, "provision")
	case fleet.Failed:
		why := k.Ship.Error
		if k.Ship.Stays != "" {
			why += "; its machine may still be there; " + fleet.UntilGone + ": " + k.Ship.Stays
		}
		return status(fleet.Errored, why, k.Ship.Created, now, "provision").Needing(fleet.NeedFailed)
	case fleet.Going:
		return status(fleet.Leaving, k.Ship.Error, k.Ship.Created, now, "provision")
	}
	seen := latest(k.PulseAt, k.EventAt)
	if !k.Connected {
		if k.LinkSince.IsZero() {
			return status(fleet.Unknown, "not connected yet", time.Time{}, seen, "link")
		}
		if k.Full != "" {
			return status(fleet.Unreachable, k.Full, k.LinkSince, seen, "provider").Needing(fleet.NeedFull)
		}
		return status(fleet.Unreachable, k.LinkError, k.LinkSince, seen, "link").Needing(fleet.NeedUnreachable)
	}
	if k.Silent != "" {
		return status(fleet.Errored, "ocaptain does not run on it: "+k.Silent, k.SilentAt, seen, "link").Needing(fleet.NeedFailed)
	}
	if k.Exit != nil && (k.Exit.Final || k.Exit.Code != 0) {
		switch {
		case k.Exit.Final && k.Exit.Code == 0 && k.AllDone:
			return status(fleet.Done, "", k.ExitAt, seen, "runner")
		case k.Exit.Done && k.Held == "":
			return status(fleet.Idle, "", k.ExitAt, seen, "runner")
		case k.Exit.Final:
			return status(fleet.Exited, exitText(*k.Exit), k.ExitAt, seen, "runner").Needing(fleet.NeedExited)
		default:
			return status(fleet.Errored, exitText(*k.Exit)+", starting again", k.ExitAt, seen, "runner")
		}
	}
	// A pulse that is older than the newest event says nothing about a runner that was started since.
	if gone := !k.PulseAt.IsZero() && !k.Pulse.Runner && !k.PulseAt.Before(k.EventAt); gone {
		if k.EventAt.IsZero() && now.Sub(k.LinkSince) < launching {
			return status(fleet.Provision, "launching", k.LinkSince, seen, "link")
		}
		return status(fleet.Exited, "the runner is gone", k.PulseAt, seen, "link")
	}
	if k.Pulse.Screen != "" && silent(now, k) {
		return status(fleet.Waiting, k.Pulse.Screen, k.StateAt, seen, "screen").Needing(fleet.NeedAnswer)
	}
	if k.Trouble != "" && k.Held == "" && !k.AllDone {
		return status(fleet.Errored, k.Trouble+"; it takes no tasks for now", k.TroubleAt, seen, "tasks").Needing(fleet.NeedFailed)
	}
	if k.Asks != "" {
		return status(fleet.Waiting, k.Asks, k.AsksAt, seen, "tasks")
	}
	switch k.State.State {
	case proto.StateFailed:
		if k.State.Trouble == string(agentlog.TroubleFull) {
			return status(fleet.Errored, k.State.Why, k.StateAt, seen, "agent").Needing(fleet.NeedConversation)
		}
		return status(fleet.Errored, k.State.Why, k.StateAt, seen, "agent").Needing(fleet.NeedFailed)
	case proto.StateLimited:
		if k.AllDone && k.Held == "" { // it is not retried
			return status(fleet.Done, "", k.StateAt, seen, "agent")
		}
		return status(fleet.Limited, limited(now, k), k.StateAt, seen, "agent")
	case proto.StateWaiting:
		if k.Paused != "" && (k.State.Why == proto.Interrupted || k.State.Why == proto.Overspent) {
			return status(fleet.Idle, k.Paused, k.StateAt, seen, "tasks")
		}
		is := status(fleet.Waiting, k.State.Why, k.StateAt, seen, "agent")
		switch {
		case k.State.Trouble == string(agentlog.TroublePerson):
			return is.Needing(fleet.NeedLogin)
		case k.State.Why == proto.Interrupted:
			return is.Needing(fleet.NeedInterrupted)
		case k.State.Why == proto.Overspent: // helm lets it go on
			return is
		}
		return is.Needing(fleet.NeedAnswer)
	case proto.StateStarting:
		if now.Sub(latest(k.StateAt, k.AwakeAt)) > fleet.StallAfter {
			return status(fleet.Stalled, "it starts, and has done nothing since", k.StateAt, seen, "agent").Needing(fleet.NeedStalled)
		}
		return status(fleet.Working, "starting", k.StateAt, seen, "agent")
	case proto.StateWorking:
		return working(now, k, seen)
	case proto.StateResting:
		if k.AllDone {
			return status(fleet.Done, "", k.StateAt, seen, "agent")
		}
		if k.Paused != "" {
			return status(fleet.Idle, k.Paused, k.StateAt, seen, "tasks")
		}
		return status(fleet.Idle, "", k.StateAt, seen, "agent")
	case proto.StateIdle:
		if k.Paused != "" && !k.AllDone {
			return status(fleet.Idle, k.Paused, k.StateAt, seen, "tasks")
		}
		if k.Held != "" && k.HeldAt.After(k.StateAt) {
			return status(fleet.Working, "", k.HeldAt, seen, "tasks") // granted; its tree is being prepared
		}
		if k.Held != "" && k.LeftAlone {
			return status(fleet.Stalled, "its turns end while it holds task "+k.Held+", and it is not sent back any more", k.StateAt, seen, "agent").Needing(fleet.NeedLeftAlone)
		}
		if k.Held != "" && now.Sub(latest(latest(k.EventAt, k.HeldAt), k.AwakeAt)) > fleet.StallAfter {
			return status(fleet.Stalled, "its turn ended while it holds task "+k.Held, k.StateAt, seen, "agent").Needing(fleet.NeedStalled)
		}
		if k.AllDone {
			return status(fleet.Done, "", k.StateAt, seen, "agent")
		}
		if k.Ignored > 0 {
			return status(fleet.Idle, fmt.Sprintf("told of ready tasks %d times, and has claimed none", k.Ignored), k.StateAt, seen, "agent").Needing(fleet.NeedLeftAlone)
		}
		return status(fleet.Idle, "", k.StateAt, seen, "agent")
	}
	return status(fleet.Unknown, "the agent has not reported yet", k.LinkSince, seen, "agent")
}

// silent reports whether the agent's screen may show something that no hook reports: before its session has begun,
// and after an error has ended its turn.
func silent(now time.Time, k Known) bool {
	switch k.State.State {
	case proto.StateStarting:
		return now.Sub(k.StateAt) > 5*time.Second
	case proto.StateFailed, proto.StateLimited:
		return true
	}
	return false
}

// working returns the status of an agent that reports that it works. Text that the agent writes does not count as a
// sign of work.
func working(now time.Time, k Known, seen time.Time) fleet.Status {
	act := k.ActAt
	if act.IsZero() {
		act = k.EventAt
	}
	if act = latest(act, k.HeldAt); now.Sub(latest(act, k.AwakeAt)) > fleet.StallAfter {
		why := "no sign of work for " + now.Sub(act).Round(time.Minute).String()
		if now.Sub(k.EventAt) < time.Minute {
			why = "it talks, and has done nothing for " + now.Sub(act).Round(time.Minute).String()
		}
		return status(fleet.Stalled, why, act, seen, "agent").Needing(fleet.NeedStalled)
	}
	if k.Ready != "" && now.Sub(latest(k.ReadyAt, k.AwakeAt)) > fleet.StallAfter {
		return status(fleet.Stalled, "it works without a task, and does not claim task "+k.Ready, k.ReadyAt, seen, "tasks").Needing(fleet.NeedStalled)
	}
	var about []string
	free := now.Sub(latest(k.FreeAt, k.StateAt))
	if k.Held == "" && k.State.Why == "" && free > taskless {
		about = append(about, "without a task for "+timeLeft(free))
	}
	about = append(about, k.Veto, k.State.Why, k.Pulse.Retry)
	return status(fleet.Working, joinText(about...), latest(k.HeldAt, k.StateAt), seen, "agent")
}

// joinText joins the texts that are not empty.
func joinText(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " · ")
}

func exitText(e proto.AgentExited) string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Signal != "" {
		how = "killed by " + e.Signal
	}
	if e.Reason != "" {
		if e.Code < 0 && e.Signal == "" {
			return e.Reason // no process ended; the runner gave up
		}
		return e.Reason + " (" + how + ")"
	}
	return how
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
