package theme

import (
	"charm.land/lipgloss/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
)

// State is the look of a state: a glyph one cell wide, a word, and a style for both.
type State struct {
	Glyph string
	Word  string
	Style lipgloss.Style
}

// String returns glyph and word in the state's style.
func (s State) String() string { return s.Style.Render(s.Glyph + " " + s.Word) }

// Needing returns the look of the state for something that needs the captain.
func (s State) Needing() State { return State{"▲", s.Word, Needs} }

// Status returns the look of a ship's status that does not need the captain. An unknown word gets the look of
// unknown, with that word.
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

// Task returns the look of a task's standing, such as ready or in progress.
func Task(s fleet.Standing) State {
	switch word := s.String(); s {
	case fleet.TaskOnHold:
		return State{Word: word}.Needing()
	case fleet.TaskWorking:
		return State{"●", word, Working}
	case fleet.TaskInReview:
		return State{"◐", word, Working}
	case fleet.TaskBlocked:
		return State{"◇", word, Dim}
	case fleet.TaskDelayed:
		return State{"◔", word, Dim}
	case fleet.TaskDone:
		return State{"✓", word, Good}
	case fleet.TaskCancelled:
		return State{"✗", word, Dim}
	default:
		return State{"○", word, Plain}
	}
}

// Review returns the look of a step of reviewing work.
func Review(s fleet.ReviewStep) State {
	switch s {
	case fleet.StepReviewing:
		return State{"◐", string(s), Working}
	case fleet.StepMerging:
		return State{"●", string(s), Working}
	case fleet.StepHeld:
		return State{Word: string(s)}.Needing()
	}
	return State{"○", string(s), Dim}
}

// BoardState returns the look of a voyage: that of its phase, or stuck.
func BoardState(b *fleet.Board) State {
	if b.IsStuck() {
		return State{Word: "stuck"}.Needing()
	}
	if b.Phase == fleet.Sailing && b.Paused(b.At) != "" {
		return State{"‖", "paused", Dim}
	}
	return PhaseState(b.Phase)
}

// PhaseState returns the look of a voyage's phase.
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

// DispatchState returns the look of a dispatch.
func DispatchState(state string) State {
	switch state {
	case dispatch.Running:
		return State{"●", state, Working}
	case dispatch.Done:
		return State{"✓", state, Good}
	case dispatch.Failed:
		return State{"✗", state, Bad}
	}
	return State{"○", state, Dim}
}
