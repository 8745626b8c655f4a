package theme

import (
	"charm.land/lipgloss/v2"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// State is how a state looks: a glyph one cell wide, a word, and a style for both.
type State struct {
	Glyph string
	Word  string
	Style lipgloss.Style
}

// String returns glyph and word in the state's style.
func (s State) String() string { return s.Style.Render(s.Glyph + " " + s.Word) }

// Needing is the look of a state that needs the captain.
func (s State) Needing() State { return State{"▲", s.Word, Needs} }

// Status is the look of a ship's status when it does not need the captain. A word that is not known looks like unknown
// and keeps its name.
func Status(w fleet.Word) State {
	switch w {
	case fleet.Unreachable:
		return State{"⊘", string(w), Bad}
	case fleet.Provision:
		return State{"◌", string(w), Dim}
	case fleet.Leaving:
		return State{"▽", string(w), Dim}
	case fleet.Exited:
		return State{"■", string(w), Bad}
	case fleet.Errored:
		return State{"✗", string(w), Bad}
	case fleet.Limited:
		return State{"◔", string(w), Dim}
	case fleet.Waiting:
		return State{"△", string(w), Dim}
	case fleet.Working:
		return State{"●", string(w), Working}
	case fleet.Stalled:
		return State{"◍", string(w), Bad}
	case fleet.Idle:
		return State{"○", string(w), Dim}
	case fleet.Done:
		return State{"✓", string(w), Good}
	case fleet.Unknown, "":
		return State{"?", string(fleet.Unknown), Dim}
	}
	return State{"?", string(w), Dim}
}

// TaskState is the look of a task; blocked tells whether a pending one waits for others.
func TaskState(s tasks.Status, blocked bool) State {
	switch {
	case s == tasks.Completed:
		return State{"✓", "completed", Good}
	case s == tasks.InProgress:
		return State{"●", "in progress", Working}
	case blocked:
		return State{"◇", "blocked", Dim}
	}
	return State{"○", "ready", Plain}
}

// BoardState is the look of a voyage: its phase, or that it is stuck.
func BoardState(b *fleet.Board) State {
	if b.IsStuck() {
		return State{Word: "stuck"}.Needing()
	}
	return PhaseState(b.Phase)
}

// PhaseState is the look of a voyage's phase.
func PhaseState(p fleet.Phase) State {
	switch p {
	case fleet.Fitting:
		return State{"◌", string(p), Dim}
	case fleet.Sailing:
		return State{"●", string(p), Working}
	case fleet.Verifying:
		return State{"◐", string(p), Working}
	case fleet.Complete:
		return State{"✓", string(p), Good}
	case fleet.VerifyFailed:
		return State{"✗", string(p), Bad}
	case fleet.Sinking:
		return State{"▽", string(p), Dim}
	case fleet.Sunk:
		return State{"▼", string(p), Dim}
	}
	return State{"?", "unknown", Dim}
}

// DispatchState is the look of a dispatch.
func DispatchState(state string) State {
	switch state {
	case fleet.DispatchRunning:
		return State{"●", state, Working}
	case fleet.DispatchDone:
		return State{"✓", state, Good}
	case fleet.DispatchFailed:
		return State{"✗", state, Bad}
	}
	return State{"○", state, Dim}
}
