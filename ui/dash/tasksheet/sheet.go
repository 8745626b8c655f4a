package tasksheet

import (
	"fmt"
	"strings"

	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskstory"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// sheet is the rows of a detail before its patch, section by section.
type sheet struct {
	p     *standing.Tasks
	i     int32
	width int
	rows  []string
}

// The bounds of sections, in rows.
const (
	maxText       = 200
	maxDependents = 50
	maxFacts      = 30
	// maxSuggestions limits the suggestions of a reviewer.
	maxSuggestions = 8
)

func (s *sheet) write(data *taskstory.DetailData) {
	t := &s.p.All[s.i]
	s.rows = append(s.rows, s.p.Headline(s.i, s.width), "")
	if s.p.IsPool() {
		s.dispatch(t, data)
		s.history(data)
		s.commits(data)
		s.patch(data)
		return
	}
	s.facts(t)
	s.description(t)
	s.blockers(t)
	s.dependents()
	s.history(data)
	s.commits(data)
	s.patch(data)
}

func (s *sheet) description(t *tasks.State) {
	text := strings.TrimSpace(t.Description)
	if text == "" || text == strings.TrimSpace(t.Subject) {
		return
	}
	s.section("Description", "")
	s.wrapped(text, 3)
}

// blockers says what keeps the task from being ready, to the root causes.
func (s *sheet) blockers(t *tasks.State) {
	if t.Status != tasks.Pending || s.p.Standings[s.i] == fleet.TaskInReview { // the status of work in review says everything
		return
	}
	s.section("Why it waits", "")
	for _, row := range s.p.CauseRows(s.i, s.p.Causes(t.ID), s.width-1) {
		s.rows = append(s.rows, " "+row)
	}
}

// dependents lists the tasks that wait for this task.
func (s *sheet) dependents() {
	list := s.p.Order.After[s.i]
	if len(list) == 0 {
		return
	}
	s.section("What waits for it", words.Counted(len(list), "task"))
	for n, j := range list {
		if n == maxDependents {
			s.dim(fmt.Sprintf("+ %d more", len(list)-n))
			return
		}
		t := &s.p.All[j]
		look := theme.Task(s.p.Standings[j])
		head := "   " + look.Style.Render(look.Glyph) + " " + theme.Dim.Render(words.FitWidth(pane.Line(t.ID), 16)) + "  "
		tail := "  " + look.Style.Render(look.Word)
		room := max(8, s.width-ansi.StringWidth(head)-ansi.StringWidth(tail)-2)
		s.rows = append(s.rows, head+theme.Plain.Render(words.FitWidth(standing.Subject(t), room))+tail)
	}
}
