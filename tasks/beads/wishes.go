package beads

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ocaptain/tasks"
)

// Wish is a change that people made to an issue and that the tasks do not have yet.
type Wish struct {
	Issue    string
	Task     string // the task of the issue, "" for a new task
	Close    bool   // people closed the issue
	Why      string // the close reason
	Reopened bool   // people reopened the issue, which asks for a new task
	Edit     tasks.Edit
}

// Wishes returns what people changed in the file since the session began: new, reopened and closed issues, and new titles, texts,
// priorities and labels. base is the file at the session's start.
func (s Session) Wishes(f, base *File, all []*tasks.State, now time.Time) []Wish {
	current := s.current(all)
	var wishes []Wish
	for _, i := range f.Issues() {
		t, m := current[i.ID], s.mark(i)
		open := i.Status == Open && i.isWork() && !i.DeferUntil.After(now)
		switch {
		case t == nil:
			was := base.Issue(i.ID)
			reopened := was != nil && was.Status == Closed
			if open && (reopened || m == nil && base.raw(i.ID) == nil) {
				wishes = append(wishes, Wish{Issue: i.ID, Reopened: reopened, Edit: s.added(i, current)})
			}
		case t.Status == tasks.Completed:
			if open && m != nil && m.Status == Closed {
				wishes = append(wishes, Wish{Issue: i.ID, Task: t.ID, Reopened: true, Edit: s.added(i, current)})
			}
		case i.Status == Closed && (m == nil || m.Status != Closed || m.Task != t.ID):
			wishes = append(wishes, Wish{Issue: i.ID, Task: t.ID, Close: true, Why: i.CloseReason})
		default:
			if e := s.changed(i, t, base.raw(i.ID) == nil); e.Subject != "" || len(e.Metadata()) > 0 {
				wishes = append(wishes, Wish{Issue: i.ID, Task: t.ID, Edit: e})
			}
		}
	}
	return wishes
}

// changed returns what people changed in an open issue. If the issue is older than the session, its text may have
// differed from the task from the start.
func (s Session) changed(i *Issue, t *tasks.State, ours bool) tasks.Edit {
	e := tasks.Edit{Task: t.ID}
	m := s.mark(i)
	if ours && m != nil && i.words() != cmp.Or(m.Shown, m.Words) && m.Words == hash((&writer{Session: s, task: t}).texts()) {
		e.Subject, e.Description = i.Title, i.text()
	}
	if i.Priority != t.Priority() {
		e.Priority = &i.Priority
	}
	if labels := i.labels(); !sameWords(labels, t.Labels()) {
		e.Labels = &labels
	}
	return e
}

// sameWords reports whether a and b have the same words, in any order.
func sameWords(a, b []string) bool {
	sorted := func(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }
	return slices.Equal(sorted(a), sorted(b))
}

// added returns the request for a new task. The task waits for the tasks of the issues that the issue depends on.
func (s Session) added(i *Issue, current map[string]*tasks.State) tasks.Edit {
	labels := i.labels()
	e := tasks.Edit{Subject: i.Title, Description: i.text(), Priority: &i.Priority}
	if len(labels) > 0 {
		e.Labels = &labels
	}
	for _, id := range i.dependsOn(blocks) {
		if t := current[id]; t != nil {
			e.BlockedBy = append(e.BlockedBy, t.ID)
		}
	}
	return e
}

// text returns the description for the task that is made from the issue.
func (i *Issue) text() string {
	text := i.Description
	for _, more := range [][2]string{{"Design", i.Design}, {"Notes", i.Notes}} {
		if more[1] != "" {
			text += "\n\n" + more[0] + ": " + more[1]
		}
	}
	if i.Acceptance != "" {
		text += tasks.AcceptedWhen(i.Acceptance)
	}
	return strings.TrimSpace(text)
}
