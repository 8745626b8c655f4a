package agentpane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/need"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// columns holds the widths of the columns in cells; 0 leaves a column out.
type columns struct {
	name, word, from, what, turn, old, age int
}

// columns distributes the width: the activity of a ship gets the rest, and less important columns are left out first.
func (p *Pane) columns(width int) columns {
	c := columns{name: 6, word: 9, age: 6}
	for i := range p.ships {
		c.word = max(c.word, 2+len(theme.Status(p.ships[i].Status.Word).Word))
		c.name = max(c.name, min(16, ansi.StringWidth(p.ships[i].Name)))
	}
	rest := width - 4 - c.name - 1 // mark, role and spaces take 4 and 1
	if rest < c.word+1+8+c.age {
		c.age = 0
	}
	if rest < c.word+1+6 {
		c.word = max(1, min(c.word, rest))
	}
	switch known, bounded := p.knowsTurns(); {
	case known && rest-c.word-1-c.age >= 34:
		c.turn = 6
	case bounded && rest-cutWord-1-6 >= 10: // the remaining turns matter more than the end of a status and its age
		c.word, c.turn, c.age = min(c.word, cutWord), 6, 0
	}
	if fleet.FromSeveral(p.crew) && rest-c.word-1-c.turn-c.age >= 40 {
		c.from = 9
	}
	if rest-c.word-1-c.from-c.turn-c.age >= 50 && slices.ContainsFunc(p.ships, func(s fleet.ShipView) bool { return s.Costs }) {
		c.old = 11
	}
	c.what = max(0, rest-c.word-1-c.from-c.turn-c.old-c.age)
	return c
}

// cutWord is the width of a status in a narrow pane that also shows remaining turns.
const cutWord = 10

// knowsTurns reports whether the turns of any ship are known, and whether they are limited.
func (p *Pane) knowsTurns() (known, bounded bool) {
	for i := range p.ships {
		if s := &p.ships[i]; s.Turn > 0 {
			known, bounded = true, bounded || s.MaxTurns > 0
		}
	}
	return known, bounded
}

// drawRow draws a ship.
func (p *Pane) drawRow(s *fleet.ShipView, c columns, width int, selected, focused bool) string {
	mark := " "
	if p.marked[s.Name] {
		mark = theme.Marked.Render("▌")
	}
	name := clean.Line(s.Name)
	state := theme.Status(s.Status.Word)
	switch {
	case isCoordinator(s):
		state = ofHelm
		state.Style = theme.Dim
	case p.needs.HasStatus(s):
		state = state.Needing()
	case p.stale:
		state.Style = theme.Dim
	}
	var b strings.Builder
	b.WriteString(mark)
	b.WriteString(theme.Dim.Render(roleLetter(s.Role)) + " ")
	b.WriteString(pane.Fit(theme.ShipStyle(s.Name).Render(words.FitWidth(name, c.name)), c.name) + " ")
	b.WriteString(pane.Fit(state.String(), c.word) + " ")
	if c.from > 0 {
		b.WriteString(pane.Fit(theme.Dim.Render(words.FitWidth(clean.Line(s.Provider), c.from-1)), c.from))
	}
	if c.what > 0 {
		b.WriteString(pane.Fit(p.summary(s, c.what), c.what))
	}
	if c.turn > 0 {
		turn := ""
		if s.Turn > 0 {
			if turn = words.Turns(s); s.MaxTurns == 0 {
				turn = "t" + turn
			}
		}
		b.WriteString(theme.Dim.Render(fmt.Sprintf("%*s", c.turn, words.FitWidth(turn, c.turn-1))))
	}
	if c.old > 0 {
		old := ""
		if age := words.ShipAge(p.now, s); s.Costs && age != "" {
			old = age + " old"
		}
		b.WriteString(theme.Dim.Render(fmt.Sprintf("%*s", c.old, old)))
	}
	if c.age > 0 {
		b.WriteString(theme.Dim.Render(fmt.Sprintf("%*s", c.age, p.statusAge(s))))
	}
	line := pane.Fit(b.String(), width)
	if selected {
		line = pane.Highlight(line, focused)
	}
	return line
}

// roomy is the width from which the activity is shortened for the columns behind it.
const roomy = 40

// fullConversation is the percentage of the model's window from which a conversation is shown as long.
const fullConversation = 80

// summary returns the ship's needs beside its status, and its activity or trouble; for a worker also how long it has
// committed nothing.
func (p *Pane) summary(s *fleet.ShipView, width int) string {
	var parts []string
	for _, n := range p.needs.Of(s.Name) {
		if !attention.IsOfStatus(n, s) {
			parts = append(parts, theme.Needs.Render(clean.Line("▲ "+need.SaysOf(n.Kind)+": "+n.Why)))
		}
	}
	if s.Draining {
		parts = append(parts, theme.Title.Render("drained"))
	}
	if full := s.Conversation.Percent(); full >= fullConversation {
		parts = append(parts, theme.Warn.Style.Render(fmt.Sprintf("conversation %d %% full", full)))
	}
	note := ""
	if s.Task != "" && !s.Committed.IsZero() {
		note = theme.Dim.Render("no commit for " + words.Age(p.now.Sub(s.Committed)))
	}
	if does := p.activity(s); ansi.StringWidth(does) > 0 {
		if room := width - ansi.StringWidth(note) - 3; note != "" && len(parts) == 0 && width >= roomy {
			does = ansi.Truncate(does, room, "…")
		}
		parts = append(parts, does)
	}
	if next := p.next[s.Name]; next != "" && s.Task == "" {
		parts = append(parts, theme.Plain.Render("begins "+next))
	}
	if note != "" {
		parts = append(parts, note)
	}
	return strings.Join(parts, theme.Dim.Render(" · "))
}

// activity returns what a ship does or what is wrong with it.
func (p *Pane) activity(s *fleet.ShipView) string {
	reason := clean.Line(s.Status.Reason)
	if isCoordinator(s) {
		return theme.Plain.Render(reason)
	}
	switch s.Status.Word {
	case fleet.Working:
		if s.Task != "" {
			id := theme.Dim.Render(fmt.Sprintf("%*s", p.ids, clean.Line(s.Task))) + " "
			if reason != "" {
				return id + theme.Plain.Render(reason) + theme.Dim.Render(" · "+p.subjects[s.Task])
			}
			return id + theme.Plain.Render(p.subjects[s.Task])
		}
		return theme.Dim.Render(reason)
	case fleet.Provision:
		text := reason
		if n := len(s.Steps); n > 0 && s.Phase == fleet.Provisioning {
			text = fmt.Sprintf("%s, %s done", reason, words.Counted(n, "step"))
		}
		return theme.Dim.Render(text)
	case fleet.Idle, fleet.Done:
		text := reason
		if text == "" && s.Completed > 0 {
			text = words.Counted(s.Completed, "task") + " done"
		}
		return theme.Dim.Render(text)
	case fleet.Unknown:
		return theme.Dim.Render(reason)
	}
	return theme.Plain.Render(reason)
}

// statusAge returns how long the ship has had its status; after two minutes without a sign of the ship, how long ago
// it was seen.
func (p *Pane) statusAge(s *fleet.ShipView) string {
	since := s.Status.Since
	if since.IsZero() || p.now.IsZero() {
		return ""
	}
	return words.Age(p.now.Sub(since))
}

// searchText returns a row without style, for the filter.
func (p *Pane) searchText(s *fleet.ShipView) string {
	return strings.Join([]string{s.Name, s.Role, string(s.Status.Word), s.Status.Reason, s.Guard, s.Task, p.subjects[s.Task], s.Agent, s.Provider}, " ")
}

// roleLetter returns the letter of a role: C coordinator, P planner, W worker, V validator; ? for a name that is no
// word.
func roleLetter(name string) string {
	if name == "" {
		return "W"
	}
	if c := name[0] &^ 0x20; c >= 'A' && c <= 'Z' {
		return string(c)
	}
	return "?"
}

// Counts says how many ships are active and how many work.
func Counts(ships []fleet.ShipView) string {
	active, working := 0, 0
	for i := range ships {
		switch ships[i].Status.Word {
		case fleet.Working:
			active++
			working++
		case fleet.Waiting, fleet.Limited, fleet.Stalled, fleet.Idle, fleet.Done:
			active++
		}
	}
	return fmt.Sprintf("%d active, %d working", active, working)
}

// ShowsSeconds reports whether an age in the pane is shown in seconds.
func (p *Pane) ShowsSeconds(now time.Time) bool {
	for i := range p.ships {
		if s := p.ships[i].Status.Since; !s.IsZero() && now.Sub(s) < time.Minute {
			return true
		}
	}
	return false
}
