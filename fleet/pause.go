package fleet

import (
	"fmt"
	"strings"
	"time"
)

// Pause keeps the ships of a voyage from beginning anything, because the captain said so. Agents end their turns and wait; completed work is
// still merged.
type Pause struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"` // when the pause ends by itself; zero for never
	Now   time.Time `json:"now,omitzero"`   // when agents had to be interrupted; zero when they may end their turns
}

// IsOver reports whether the pause has ended by itself.
func (p *Pause) IsOver(now time.Time) bool { return !p.Until.IsZero() && !now.Before(p.Until) }

// Budget is what a voyage may cost in US dollars, and what its agents report that they have cost. It does not include
// machines.
type Budget struct {
	Max   float64   `json:"max,omitempty"` // 0 for no limit
	Spent float64   `json:"spent,omitempty"`
	Since time.Time `json:"since,omitzero"` // when it was first nearly spent
	Full  time.Time `json:"full,omitzero"`  // when it was first spent
}

// nearBudget is the fraction of a budget at which helm tells the captain.
const nearBudget = 0.8

// IsReached reports whether the budget is spent, so that agents begin nothing more.
func (b Budget) IsReached() bool { return b.Max > 0 && b.Spent >= b.Max }

// IsNear reports whether the captain should raise the budget soon.
func (b Budget) IsNear() bool { return b.Max > 0 && b.Spent >= nearBudget*b.Max }

func (b Budget) String() string {
	if b.Max == 0 {
		return fmt.Sprintf("$%.2f of any sum", b.Spent)
	}
	return fmt.Sprintf("$%.2f of $%.2f", b.Spent, b.Max)
}

// Rate is what the agents of a ship have cost within the last hour in US dollars, if that reaches the limit.
type Rate struct {
	Max   float64   `json:"max,omitempty"`
	Spent float64   `json:"spent,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"` // when the rate falls below the limit again; zero when it is below
}

// IsReached reports whether the ship begins nothing more for now.
func (r Rate) IsReached() bool { return !r.Until.IsZero() }

func (r Rate) String() string {
	if !r.IsReached() {
		return ""
	}
	return fmt.Sprintf("paused until %s, as its agent cost $%.2f within an hour, and may cost $%.2f", r.Until.Local().Format("15:04"), r.Spent, r.Max)
}

// Paused says why ships begin nothing, "" when they may: because of the captain's pause p, nil for none, or of a spent
// budget.
func Paused(now time.Time, p *Pause, b Budget) string {
	var why []string
	if p != nil && !p.IsOver(now) {
		text := "paused by you"
		if !p.Until.IsZero() {
			text += " until " + p.Until.Local().Format("2006-01-02 15:04")
		}
		why = append(why, text)
	}
	if b.IsReached() {
		why = append(why, "paused, as its budget is spent: "+b.String())
	}
	return strings.Join(why, "; ")
}

// Paused says why the voyage's ships begin nothing, "" when they may.
func (b *Board) Paused(now time.Time) string { return Paused(now, b.Pause, b.Budget) }

// PausedSince returns since when the voyage's ships have begun nothing, the zero time when they may.
func (b *Board) PausedSince(now time.Time) (since time.Time) {
	if p := b.Pause; p != nil && !p.IsOver(now) {
		since = p.Since
	}
	if full := b.Budget.Full; b.Budget.IsReached() && (since.IsZero() || full.Before(since)) {
		since = full
	}
	return since
}
