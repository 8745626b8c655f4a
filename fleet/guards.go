package fleet

import (
	"fmt"
	"strings"
	"time"
)

// Guards keep a captain from an unexpected bill, and agents from giving each other orders. A voyage's guards are fixed when it sails.
// Helm enforces them by its own clock.
//
// Ages are counted by the calendar, since a machine costs while the hub sleeps, too. Idle time counts only while helm can see the
// ship, so neither a laptop's sleep nor a lost connection makes a ship idle. A calendar that jumps makes no ship old: see
// [Guards.AsOf], also for its limits.
type Guards struct {
	// MaxAge is the age past which helm warns of a voyage or a ship, 0 for never.
	MaxAge time.Duration `json:"max_age,omitempty"`
	// SinkOld makes helm give ships older than MaxAge no new tasks, and sink them once their work is home.
	SinkOld bool `json:"sink_old,omitempty"`
	// IdleWarning is how long a ship that costs money may be idle with nothing to claim before helm warns, 0 for never.
	IdleWarning time.Duration `json:"idle_warning,omitempty"`
	// SinkVerified makes helm sink the ships of a voyage once it is verified.
	SinkVerified bool `json:"sink_verified,omitempty"`
	// MaxCost is a sum in US dollars, 0 for any: once the voyage's agents report that they have cost as much, they begin nothing more. The
	// captain can change it later.
	MaxCost float64 `json:"max_cost,omitempty"`
	// StopAtMaxCost makes helm interrupt agents when MaxCost is reached; otherwise they end their turns.
	StopAtMaxCost bool `json:"stop_at_max_cost,omitempty"`
	// MaxRate is a sum in US dollars, 0 for any: when a ship's agents report that they have cost as much within an hour, they begin
	// nothing more for a while.
	MaxRate float64 `json:"max_rate,omitempty"`
	// Steering says what happens to work that changes files which steer agents: one of flag, ask, deny; "" means flag.
	Steering string `json:"steering,omitempty"`
	// Prices are US dollars per hour of a ship, by provider, as the captain set them.
	Prices map[string]float64 `json:"prices,omitempty"`
}

// AgeAt returns for how long the ship's machine has existed or been requested, by the calendar.
func (s *Ship) AgeAt(now time.Time) time.Duration { return ageSince(now, s.Created) }

func ageSince(now, since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(0, now.Round(0).Sub(since.Round(0))) // drop the monotonic clock, which stands still while the hub sleeps
}

func (g Guards) isTooOld(now, since time.Time) bool {
	return g.MaxAge > 0 && ageSince(now, since) > g.MaxAge
}

// TooOldForTasks reports whether a ship is too old to be given a task.
func (g Guards) TooOldForTasks(now time.Time, s *Ship) bool {
	return g.SinkOld && g.isTooOld(now, s.Created)
}

// Looked records that helm sees the ship with status is. seen is the time since the last look in which helm could see
// it; acted says that there was any sign of work in that time.
func (s *Ship) Looked(now time.Time, seen time.Duration, is Word, acted bool) {
	switch {
	case is == Working || acted:
		s.Worked, s.Idle = now.Round(0), 0
	case is == Unreachable, is == Unknown, is == Provision:
	default:
		s.Idle += max(0, seen)
	}
}

// Watched is what the guards judge: a ship, and what is known of it.
type Watched struct {
	ID        string // the id of the voyage
	Ship      *Ship
	Status    Word
	Voyage    Phase
	Holds     bool // the ship holds a task
	Unmerged       // as far as helm has looked
	Claimable bool // there is a task that the ship could claim now
	Costs     bool // somebody pays for its machine
}

// Judgement is what the guards decide about a ship.
type Judgement struct {
	// Why says why the captain should look at what the ship costs, "" when he need not. The text changes only when the
	// reason does.
	Why string
	// Sink says why the ship should be sunk, "" when it should not. The caller must look at its tree first: a ship with
	// unmerged work is left to the captain.
	Sink string
}

// JudgeShip decides what to do about a ship. It does no I/O.
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
	case !g.SinkOld || w.Voyage == Verifying: // verify.sh may be running on the ship
		sink = ""
	}
	switch {
	case s.Phase == Going && s.Again:
		return Judgement{} // the captain has asked for a new machine for the ship
	case s.Phase == Going:
		return Judgement{Sink: sink} // the captain sees anyway that the ship is being sunk
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
		if w.Changed == 0 { // ocaptain diff shows only the tree
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

// JudgeVoyage says why the captain should look at a voyage with that many ships, "" when he need not.
func (g Guards) JudgeVoyage(now time.Time, v *Voyage, ships int) string {
	if ships == 0 || !g.isTooOld(now, v.CreatedAt) {
		return ""
	}
	return "the voyage is older than " + FormatSpan(g.MaxAge) + " and has ships out"
}

// Bill is what ships cost in US dollars, by the prices that the captain has set. All fields are 0 if he has set none.
type Bill struct {
	Hour  float64 `json:"hour"`  // of the ships that have machines now
	SoFar float64 `json:"soFar"` // including ships that are gone
}

// AddUp returns the bill for the ships of a voyage.
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

// Interval returns how often helm has to look, so that no guard acts much later than the captain chose.
func (g Guards) Interval() time.Duration {
	every := 5 * time.Second
	for _, d := range []time.Duration{g.MaxAge, g.IdleWarning} {
		if d > 0 {
			every = min(every, d/4)
		}
	}
	return max(every, 200*time.Millisecond)
}

// FormatSpan writes a duration as a captain would: 8h, 1h30m.
func FormatSpan(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}
