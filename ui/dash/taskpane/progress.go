package taskpane

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// progress draws how many tasks are completed, as a bar and in words. It does not guess how long
// the rest takes.
func (p *Pane) progress(width int) string {
	n, all := p.Tally, p.Tally.Total()
	text := fmt.Sprintf("%d of %d done", n.Over(), all)
	if n[fleet.TaskWorking] > 0 {
		text += fmt.Sprintf(" · %d working", n[fleet.TaskWorking])
	}
	if n[fleet.TaskInReview] > 0 {
		text += fmt.Sprintf(" · %d in review", n[fleet.TaskInReview])
	}
	text += fmt.Sprintf(" · %d%%", n.Over()*100/all)
	bar := min(40, width-ansi.StringWidth(text)-4)
	if bar < 8 {
		return " " + theme.Dim.Render(words.FitWidth(text, width-1))
	}
	begun := n[fleet.TaskWorking] + n[fleet.TaskInReview]
	full := bar * n.Over() / all
	under := bar*(n.Over()+begun)/all - full
	if begun > 0 && under == 0 && full < bar {
		under = 1
	}
	return " " + theme.Good.Render(strings.Repeat("█", full)) + theme.Working.Render(strings.Repeat("▓", under)) +
		theme.Track.Render(strings.Repeat("░", bar-full-under)) + "  " + theme.Dim.Render(text)
}
