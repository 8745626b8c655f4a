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

// filter says which tasks are shown.
type filter struct {
	ready    bool
	unDone   bool
	text     string
	inverse  bool
	pattern  *regexp.Regexp // nil when text has nothing to be interpreted
	plain    string
	anyCase  bool // there is no capital letter in what is looked for
	verdicts []verdict
}

// verdict is what the text filter says of a task, and the text that it looks at, as long
// as what the text is made of stays.
type verdict struct {
	subject, owner string
	text, lower    string
	known, match   bool
}

// longestFilter bounds the text of a filter, and longestText what of a task is looked at.
const (
	longestFilter = 1000
	longestText   = 1 << 10
)

// ReadyOnly shows only tasks that could be claimed now, or all.
func (p *Pane) ReadyOnly(on bool) {
	p.filter.ready = on
	p.arrange()
}

// IsReadyOnly reports whether only ready tasks are shown.
func (p *Pane) IsReadyOnly() bool { return p.filter.ready }

// HideCompleted hides what is completed, or shows it again.
func (p *Pane) HideCompleted(on bool) {
	p.filter.unDone = on
	p.arrange()
}

// IsHideCompleted reports whether completed tasks are hidden.
func (p *Pane) IsHideCompleted() bool { return p.filter.unDone }

// SetFilter shows only tasks whose id, subject, ship, group or, in a pool, whole command match, or with ! before the
// text those that do not; "" shows all. The text is a regular expression whose case
// matters when it has a capital letter. One that is wrong is looked for as it stands, and
// the error says what is wrong.
func (p *Pane) SetFilter(text string) error {
	err := p.filter.set(text)
	p.arrange()
	return err
}

// Filter returns the text of SetFilter.
func (p *Pane) Filter() string { return p.filter.text }

// ClearFilters goes back from what a task waits for, else it shows all tasks. It reports whether either was so.
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

// NextHit goes to the next task, or with a negative n to an earlier one: only hits are shown.
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
		f.pattern, err = regexp.Compile(text) // of small letters, when looked for in a text of small letters
	}
	f.plain = text
	return err
}

func (f *filter) forget() { f.verdicts = nil }

// on reports whether anything is filtered.
func (f *filter) on() bool { return f.ready || f.unDone || f.grepping() }

func (f *filter) grepping() bool { return f.text != "" && f.text != "!" }

// words says what is filtered.
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

// shown returns the judge of the tasks of p.
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

// judge applies the text filter, unless it has judged that text before.
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
