package fleet

import (
	"fmt"
	"strings"
	"time"
)

// Guards keep a captain from a bill that he did not expect, and from agents that give each other orders. A voyage's guards are settled
// when it sails. Helm carries them out, and its clock tells all times.
//
// Age is counted by the calendar: a machine costs while the hub sleeps, too. Rest counts only as far as helm has seen it, so neither a
// laptop's sleep nor a lost connection makes a ship idle. A calendar that jumps makes no ship old: see [Guards.By], also for its
// limits.
type Guards struct {
	// MaxAge is the age past which helm warns of a voyage or a ship, 0 for never.
	MaxAge time.Duration `json:"max_age,omitempty"`
	// SinkOld makes helm give older ships no new tasks, and sink them once their work is home.
	SinkOld bool `json:"sink_old,omitempty"`
	// IdleWarning is how long a ship that costs may rest with nothing to claim before helm warns, 0
	// for never.
	IdleWarning time.Duration `json:"idle_warning,omitempty"`
	// SinkVerified sinks the ships of a voyage that is verified.
	SinkVerified bool `json:"sink_verified,omitempty"`
	// MaxCost is what the agents of the voyage may cost in US dollars, by what they say, before they begin nothing more, 0 for any sum. The
	// captain can change it later.
	MaxCost float64 `json:"max_cost,omitempty"`
	// StopAtMaxCost interrupts agents when MaxCost is reached; else they end their turns.
	StopAtMaxCost bool `json:"stop_at_max_cost,omitempty"`
	// MaxRate is what the agents of a ship may cost within an hour in US dollars, by what they say, before they begin nothing more for a
	// while, 0 for any sum.
	MaxRate float64 `json:"max_rate,omitempty"`
	// Steering is what is done with work that changes files which steer agents: one of flag, ask, deny, "" for flag.
	Steering string `json:"steering,omitempty"`
	// Prices are the captain's own figures: US dollars for an hour of a ship, by provider.
	Prices map[string]float64 `json:"prices,omitempty"`
}

// AgeAt is how long ago the ship's machine was asked for, by the calendar.
func (s *Ship) AgeAt(now time.Time) time.Duration { return ageSince(now, s.Created) }

func ageSince(now, since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(0, now.Round(0).Sub(since.Round(0))) // without the clock that stands still while the hub sleeps
}

func (g Guards) isTooOld(now, since time.Time) bool {
	return g.MaxAge > 0 && ageSince(now, since) > g.MaxAge
}

// TooOldForTasks reports whether a ship is too old to be given a task.
func (g Guards) TooOldForTasks(now time.Time, s *Ship) bool {
	return g.SinkOld && g.isTooOld(now, s.Created)
}

// Looked takes down what helm has seen of a ship after so much time in which it could see it.
// The agent has acted if there was a sign of work since the last look, however short.
func (s *Ship) Looked(now time.Time, seen time.Duration, is Word, acted bool) {
	switch {
	case is == Working || acted:
		s.Worked, s.Idle = now.Round(0), 0
	case is == Unreachable, is == Unknown, is == Provision:
	default:
		s.Idle += max(0, seen)
	}
}

// Watched is what the guards look at: a ship, and what is known of it.
type Watched struct {
	ID        string // of the voyage
	Ship      *Ship
	Status    Word
	Voyage    Phase
	Holds     bool // a task
	Unmerged       // as far as it was looked
	Claimable bool // there is something that it could claim now
	Costs     bool // somebody is charged for it
}

// Judgement is what follows for a ship.
type Judgement struct {
	// Why says why the captain should look at what the ship costs, "" when he need not. It is
	// the same as long as the reason is.
	Why string
	// Sink says why the ship should be sunk, "" when it should not. Its tree must be looked at
	// before: a ship with work that is not merged is left to the captain.
	Sink string
}

// JudgeShip decides what is to be done about a ship. It depends on nothing but its arguments.
func (g Guards) JudgeShip(now time.Time, w Watched) Judgement {
	s := w.Ship
	old := g.isTooOld(now, s.Created)
	why := ""
	if old {
		why = "older than " + FormatSpan(g.MaxAge)
	}
	sink := why
	switch {
	case g.SinkVerified && w.Voyage == Complete:
		sink = "the voyage is verified"
	case !g.SinkOld || w.Voyage == Verifying: // verify.sh may run on it
		sink = ""
	}
	switch {
	case s.Phase == Going && s.Again:
		return Judgement{} // the captain wants another machine for it
	case s.Phase == Going:
		return Judgement{Sink: sink} // the captain sees that it is being sunk
	case s.Phase != Afloat:
		return Judgement{}
	case sink == "":
	case w.Status == Unreachable:
		return Judgement{Why: sink + ", and not sunk: it cannot be reached, so what it holds is not known"}
	case w.Status == Unknown, w.Status == Provision:
		return Judgement{Why: why}
	case w.Holds && old:
		return Judgement{Why: why + ": it is sunk when its task is done"}
	case w.Holds, w.Status == Working:
		return Judgement{Why: why}
	case !w.IsNone():
		look := fmt.Sprintf("diff %s --voyage %s", s.Name, w.ID)
		if w.Changed == 0 { // it shows the tree alone
			look = fmt.Sprintf("shell %s %s", w.ID, s.Name)
		}
		return Judgement{Sink: sink, Why: sink + fmt.Sprintf(", and not sunk, as %s %s not merged: look with ocaptain %s, then ocaptain ship rm %s --voyage %s", w.ListText(), w.Verb(), look, s.Name, w.ID)}
	default:
		return Judgement{Why: why, Sink: sink}
	}
	rests := (w.Status == Idle || w.Status == Done) && !w.Holds && !w.Claimable
	if why == "" && rests && g.IdleWarning > 0 && s.Idle >= g.IdleWarning && w.Costs {
		why = "costs, and has rested for more than " + FormatSpan(g.IdleWarning) + " with nothing to claim"
	}
	return Judgement{Why: why}
}

// JudgeVoyage says why the captain should look at a voyage with so many ships, "" when he
// need not.
func (g Guards) JudgeVoyage(now time.Time, v *Voyage, ships int) string {
	if ships == 0 || !g.isTooOld(now, v.CreatedAt) {
		return ""
	}
	return "the voyage is older than " + FormatSpan(g.MaxAge) + " and has ships out"
}

// Bill is what ships cost by the captain's own figures, in US dollars. All is 0 where he has
// set no price.
type Bill struct {
	Hour  float64 `json:"hour"`  // of the ships that are out
	SoFar float64 `json:"soFar"` // of gone ships, too
}

// AddUp adds up what the ships of a voyage cost.
func (g Guards) AddUp(now time.Time, f *Fleet) Bill {
	var b Bill
	for provider, lasted := range f.Gone {
		b.SoFar += g.Prices[provider] * lasted.Hours()
	}
	for _, s := range f.Ships {
		if s.IsOut() {
			b.Hour += g.Prices[s.Provider]
			b.SoFar += g.Prices[s.Provider] * s.AgeAt(now).Hours()
		}
	}
	return b
}

// Interval is how often helm looks, so that nothing is told much later than it was chosen.
func (g Guards) Interval() time.Duration {
	every := 5 * time.Second
	for _, d := range []time.Duration{g.MaxAge, g.IdleWarning} {
		if d > 0 {
			every = min(every, d/4)
		}
	}
	return max(every, 200*time.Millisecond)
}

// FormatSpan writes a duration as it was chosen: 8h, 1h30m.
func FormatSpan(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}
