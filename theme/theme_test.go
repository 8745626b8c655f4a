package theme

import (
	"image/color"
	"slices"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Glyph and word distinguish every state from every other without colour.
func TestStatesDifferWithoutColour(t *testing.T) {
	sets := map[string][]State{
		"task": {
			Task(fleet.TaskOnHold), Task(fleet.TaskWorking), Task(fleet.TaskInReview), Task(fleet.TaskReady), Task(fleet.TaskBlocked),
			Task(fleet.TaskDelayed), Task(fleet.TaskDone),
		},
		"review": {Review(fleet.StepWaits), Review(fleet.StepReviewing), Review(fleet.StepMerging), Review(fleet.StepHeld)},
		"phase": {
			PhaseState(fleet.Fitting), PhaseState(fleet.Sailing), PhaseState(fleet.Verifying), PhaseState(fleet.Complete),
			PhaseState(fleet.VerifyFailed), PhaseState(fleet.Sinking), PhaseState(fleet.Sunk),
		},
	}
	for _, w := range []fleet.Word{
		fleet.Unreachable, fleet.Provision, fleet.Leaving, fleet.Exited, fleet.Errored, fleet.Limited, fleet.Waiting,
		fleet.Working, fleet.Stalled, fleet.Idle, fleet.Done, fleet.Unknown,
	} {
		sets["status"] = append(sets["status"], Status(w))
	}
	for name, set := range sets {
		glyphs, words := map[string]bool{}, map[string]bool{}
		for _, s := range set {
			if glyphs[s.Glyph] || words[s.Word] {
				t.Errorf("%s: %s %s is not the only one", name, s.Glyph, s.Word)
			}
			glyphs[s.Glyph], words[s.Word] = true, true
			if w := ansi.StringWidth(s.Glyph); w != 1 {
				t.Errorf("%s: glyph %q is %d cells wide", name, s.Glyph, w)
			}
		}
	}
}

func TestUnknownWordKeepsItsName(t *testing.T) {
	if s := Status("becalmed"); s.Word != "becalmed" || s.Glyph != "?" {
		t.Errorf("got %+v", s)
	}
	if s := Status(""); s.Word != "unknown" {
		t.Errorf("got %+v", s)
	}
}

func TestShipKeepsItsColour(t *testing.T) {
	if first, again := ShipStyle("ship-1"), ShipStyle("ship-1"); first.Render("x") != again.Render("x") {
		t.Error("a ship changed its colour")
	}
	seen := map[string]bool{}
	for _, name := range []string{"ship-0", "ship-1", "ship-2", "ship-3", "ship-4"} {
		seen[ShipStyle(name).Render("x")] = true
	}
	if len(seen) < 3 {
		t.Errorf("five ships share %d colours", len(seen))
	}
}

func TestProfile(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		env      []string
		want     colorprofile.Profile
	}{
		{"terminal", true, []string{"TERM=xterm-256color"}, colorprofile.ANSI},
		{"pipe", false, []string{"TERM=xterm-256color"}, colorprofile.NoTTY},
		{"dumb", true, []string{"TERM=dumb"}, colorprofile.NoTTY},
		{"no color", true, []string{"TERM=xterm", "NO_COLOR=yes"}, colorprofile.ASCII},
		{"empty no color", true, []string{"TERM=xterm", "NO_COLOR="}, colorprofile.ANSI},
		{"forced", false, []string{"CLICOLOR_FORCE=1"}, colorprofile.ANSI},
		{"not forced", false, []string{"TERM=xterm", "CLICOLOR_FORCE=0"}, colorprofile.NoTTY},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := profile(tt.terminal, tt.env); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestAmberIsForNeeds checks that no theme uses amber for anything but what needs the captain.
func TestAmberIsForNeeds(t *testing.T) {
	for name, p := range palettes {
		others := append([]color.Color{p.text, p.dim, p.border, p.accent, p.working, p.good, p.bad, p.selected, p.selectedElse, p.hit, p.onHit}, p.ships...)
		if p.needs != nil && slices.Contains(others, p.needs) {
			t.Errorf("%s has the colour of needs twice", name)
		}
	}
	for _, w := range []fleet.Word{fleet.Unreachable, fleet.Exited, fleet.Errored, fleet.Limited, fleet.Waiting, fleet.Stalled, fleet.Idle} {
		is := Status(w)
		if needs := is.Needing(); needs.Glyph == is.Glyph || needs.Word != is.Word || needs.Style.Render("x") == is.Style.Render("x") {
			t.Errorf("%s that needs the captain looks like one that does not", w)
		}
	}
}

// The look of a stuck voyage differs from that of a voyage under way.
func TestBoardState(t *testing.T) {
	b := fleet.Board{Phase: fleet.Sailing, Tasks: []tasks.State{{Task: tasks.Task{ID: "1", Status: tasks.Pending}}}}
	if got := BoardState(&b); got.Word != "sailing" {
		t.Errorf("it is %q", got.Word)
	}
	b.Tasks[0].OnHold = true
	if got := BoardState(&b); got.Word != "stuck" || got.Glyph != "▲" {
		t.Errorf("it is %q %q", got.Glyph, got.Word)
	}
}

func TestIsDumb(t *testing.T) {
	for _, c := range []struct {
		environ []string
		dumb    bool
	}{
		{nil, true},
		{[]string{"TERM="}, true},
		{[]string{"TERM=dumb", "COLORTERM=truecolor"}, true},
		{[]string{"TERM=xterm-256color"}, false},
	} {
		if got := IsDumb(c.environ); got != c.dumb {
			t.Errorf("%q: %v", c.environ, got)
		}
	}
}
