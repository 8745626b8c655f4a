// Package firstpage draws the screen before the first voyage: what the captain can do, and what is missing for it.
package firstpage

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/pane"
)

// firstSteps are what a captain without a voyage can do.
var firstSteps = [][2]string{
	{"ocaptain demo", "see a whole voyage on this machine, without any account"},
	{"ocaptain plan make GOAL", "have Claude Code write a plan for what you want"},
	{"ocaptain start", "say what you want: a planner and workers bring it to a branch"},
	{"ocaptain sail PLAN", "sail a plan; here, s does that"},
	{"ocaptain dispatch", "give a worker something to do; here, p does that"},
	{"ocaptain help", "all commands; here, ? shows every key and : every action"},
}

// Draw draws the screen before the first voyage. verdict says what is missing on this machine, "" while that is not known.
func Draw(verdict string, width, height int) []string {
	if verdict == "" {
		verdict = "what is missing on this machine"
	}
	steps := append(firstSteps[:len(firstSteps):len(firstSteps)], [2]string{"ocaptain doctor", clean.Line(verdict)})
	names, most := 0, 0
	for _, s := range steps {
		names = max(names, ansi.StringWidth(s[0]))
	}
	lines := []string{"no voyage yet", ""}
	for _, s := range steps {
		line := ansi.Truncate(fmt.Sprintf("%-*s  %s", names, s[0], s[1]), max(1, width-4), "…")
		most = max(most, ansi.StringWidth(line))
		lines = append(lines, line)
	}
	for i := range lines[2:] { // all lines get one width, as each is centred by itself
		lines[2+i] += strings.Repeat(" ", most-ansi.StringWidth(lines[2+i]))
	}
	return pane.Message(width, height, pane.Empty, lines...)
}
