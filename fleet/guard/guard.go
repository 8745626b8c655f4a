// Package guard judges a voyage's ships by its guards. It uses no locks, files or clock.
package guard

import (
	"fmt"
	"time"

	"ocaptain/fleet"
)

func isTooOld(g fleet.Guards, now, since time.Time) bool {
	return g.MaxAge > 0 && fleet.Age(now, since) > g.MaxAge
}

// TooOldForTasks reports whether a ship is too old to be given a task.
func TooOldForTasks(g fleet.Guards, now time.Time, s *fleet.Ship) bool {
	return g.SinkOld && isTooOld(g, now, s.Created)
}

// Watched is a ship with the facts that the guards judge.
type Watched struct {
	ID             string // the id of the voyage
	Ship           *fleet.Ship
	Status         fleet.Word
	Voyage         fleet.Phase
	Holds          bool // the ship holds a task
	fleet.Unmerged      // as far as helm has looked
	Claimable      bool // there is a task that the ship could claim now
	Costs          bool // somebody pays for its machine
}

// Judgement is what the guards decide about a ship.
type Judgement struct {
	// Why returns why the captain should check the ship's cost, "" if he need not. The text changes only when the
	// reason does.
	Why string
	// Sink says why the ship should be sunk, "" when it should not. The caller must look at its tree first: a ship with
	// unmerged work is left to the captain.
	Sink string
}

// JudgeShip decides what to do about a ship. It does no I/O.
func JudgeShip(g fleet.Guards, now time.Time, w Watched) Judgement {
	s := w.Ship
	old := isTooOld(g, now, s.Created)
	why := ""
	if old {
		why = "older than " + fleet.FormatSpan(g.MaxAge)
	}
	sink := why
	switch {
	case g.SinkVerified && w.Voyage == fleet.Complete:
		sink = "the voyage is verified"
	case !g.SinkOld || w.Voyage == fleet.Verifying: // verify.sh may be running on the ship
		sink = ""
	}
	switch {
	case s.Phase == fleet.Going && s.Again:
		return Judgement{} // the captain has asked for a new machine for the ship
	case s.Phase == fleet.Going:
		return Judgement{Sink: sink} // the captain sees anyway that the ship is being sunk
	case s.Phase != fleet.Afloat:
		return Judgement{}
	case sink == "":
	case w.Status == fleet.Unreachable:
		return Judgement{Why: sink + ", and not sunk: it cannot be reached, so what it holds is not known"}
	case w.Status == fleet.Unknown, w.Status == fleet.Provision:
		return Judgement{Why: why}
	case w.Holds && old:
		return Judgement{Why: why + ": it is sunk when its task is done"}
	case w.Holds, w.Status == fleet.Working:
		return Judgement{Why: why}
	case !w.IsNone():
		look := fmt.Sprintf("diff %s --voyage %s", s.Name, w.ID)
		if w.Changed == 0 { // ocaptain diff shows only the tree
			look = fmt.Sprintf("shell %s %s", w.ID, s.Name)
		}
		return Judgement{Sink: sink, Why: sink + fmt.Sprintf(", and not sunk, as %s %s not merged: look with ocaptain %s, then ocaptain ship rm %s --voyage %s", w.ListText(), w.Verb(), look, s.Name, w.ID)}
	default:
		return Judgement{Why: why, Sink: sink}
	}
	rests := (w.Status == fleet.Idle || w.Status == fleet.Done) && !w.Holds && !w.Claimable
	if why == "" && rests && g.IdleWarning > 0 && s.Idle >= g.IdleWarning && w.Costs {
		why = "costs, and has rested for more than " + fleet.FormatSpan(g.IdleWarning) + " with nothing to claim"
	}
	return Judgement{Why: why}
}

// JudgeVoyage says why the captain should look at a voyage with that many ships, "" when he need not.
func JudgeVoyage(g fleet.Guards, now time.Time, v *fleet.Voyage, ships int) string {
	if ships == 0 || !isTooOld(g, now, v.CreatedAt) {
		return ""
	}
	return "the voyage is older than " + fleet.FormatSpan(g.MaxAge) + " and has ships out"
}

// Interval returns how often helm has to look, so that no guard acts much later than the captain chose.
func Interval(g fleet.Guards) time.Duration {
	every := 5 * time.Second
	for _, d := range []time.Duration{g.MaxAge, g.IdleWarning} {
		if d > 0 {
			every = min(every, d/4)
		}
	}
	return max(every, 200*time.Millisecond)
}
