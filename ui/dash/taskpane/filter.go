package taskpane

import (
	"regexp"
	"strings"
	"unicode"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// filter says which tasks to show.
type filter struct {
	ready    bool
	unDone   bool
	text     string
	inverse  bool
	pattern  *regexp.Regexp // nil when text is a plain text
	plain    string
	anyCase  bool // the text has no capital letter
	verdicts []verdict
}

// verdict is the result of the text filter for a task, with the searched text. It is valid until a field that the text is made of changes.
type verdict struct {
	subject, owner string
	text, lower    string
	known, match   bool
}

// longestFilter bounds the text of a filter, and longestText the searched text of a task.
const (
	longestFilter = 1000
	longestText   = 1 << 10
)

// ReadyOnly shows only tasks that could be claimed now, or all tasks.
func (p *Pane) ReadyOnly(on bool) {
	p.filter.ready = on
	p.arrange()
}

// IsReadyOnly reports whether only ready tasks are shown.
func (p *Pane) IsReadyOnly() bool { return p.filter.ready }

// HideCompleted hides completed tasks, or shows them again.
func (p *Pane) HideCompleted(on bool) {
	p.filter.unDone = on
	p.arrange()
}

// IsHideCompleted reports whether completed tasks are hidden.
func (p *Pane) IsHideCompleted() bool { return p.filter.unDone }

// SetFilter shows only tasks whose id, subject, ship, group or, in a pool, whole command match, or with a leading !
// only the others; "" shows all. The text is a regular expression; case matters if it has a capital letter. For an
// invalid expression, SetFilter searches for the plain text and returns an error that says what is wrong.
func (p *Pane) SetFilter(text string) error {
	err := p.filter.set(text)
	p.arrange()
	return err
}

// Filter returns the text of the filter.
func (p *Pane) Filter() string { return p.filter.text }

// ClearFilters hides the blockers of a task if they are shown, and otherwise shows all tasks. It reports
// whether it changed anything.
func (p *Pane) ClearFilters() bool {
	if p.ShowsBlockers() {
		p.HideBlockers()
		return true
	}
	had := p.filter.on()
	p.filter = filter{}
	p.arrange()
	return had
}

// NextHit goes n tasks down, or up for a negative n, as only hits are shown.
func (p *Pane) NextHit(n int) { p.MoveBy(n) }

func (f *filter) set(text string) (err error) {
	text = words.FitWidth(clean.Line(text), longestFilter)
	f.text = text
	for i := range f.verdicts {
		f.verdicts[i].known = false
	}
	text, f.inverse = strings.CutPrefix(text, "!")
	f.anyCase = !strings.ContainsFunc(text, unicode.IsUpper)
	f.pattern = nil
	if regexp.QuoteMeta(text) != text {
		f.pattern, err = regexp.Compile(text) // text and searched text are in lower case
	}
	f.plain = text
	return err
}

func (f *filter) forget() { f.verdicts = nil }

// on reports whether any filter is set.
func (f *filter) on() bool { return f.ready || f.unDone || f.grepping() }

func (f *filter) grepping() bool { return f.text != "" && f.text != "!" }

// words describes the filters.
func (f *filter) words() string {
	var all []string
	if f.ready {
		all = append(all, "ready only")
	}
	if f.unDone {
		all = append(all, "completed hidden")
	}
	if f.grepping() {
		all = append(all, "/"+words.FitWidth(f.text, 24))
	}
	return strings.Join(all, " · ")
}

// shown returns a function that reports whether a task of p passes the filters.
func (f *filter) shown(p *Pane) func(int32) bool {
	if f.grepping() && len(f.verdicts) != len(p.All) {
		f.verdicts = make([]verdict, len(p.All))
	}
	grepping := f.grepping()
	return func(i int32) bool {
		switch {
		case f.ready && p.Standings[i] != fleet.TaskReady, f.unDone && p.Standings[i].IsOver():
			return false
		}
		return !grepping || f.judge(&p.All[i], &f.verdicts[i])
	}
}

// judge applies the text filter to a task, unless v already holds the result.
func (f *filter) judge(t *tasks.State, v *verdict) bool {
	if v.text == "" || v.subject != t.Subject || v.owner != t.Owner {
		subject := t.Subject[:min(len(t.Subject), longestText)]
		text := t.ID + " " + clean.Line(subject) + " " + t.Owner + " " + t.Group()
		if t.Dispatch().Key != "" {
			text += " " + clean.Line(t.Description[:min(len(t.Description), longestText)])
		}
		*v = verdict{subject: t.Subject, owner: t.Owner, text: text, lower: strings.ToLower(text)}
	}
	if v.known {
		return v.match
	}
	text := v.text
	if f.anyCase {
		text = v.lower
	}
	if f.pattern != nil {
		v.match = f.pattern.MatchString(text) != f.inverse
	} else {
		v.match = strings.Contains(text, f.plain) != f.inverse
	}
	v.known = true
	return v.match
}
