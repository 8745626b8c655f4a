package beads

import (
	"strings"
	"time"

	"ocaptain/tasks"
)

// Wish is what people did to an issue that the tasks do not say.
type Wish struct {
	Issue string
	Task  string // that it is about, "" for a new one
	Close bool   // they closed it
	Why   string // the reason of that
	Edit  tasks.Edit
}

// Wishes lists what people did to the issues of a session, or beside them, since it began: new issues that are open, others that they
// closed, and other titles and texts. base is the file as it was then.
func (s Session) Wishes(f, base *File, all []*tasks.State, now time.Time) []Wish {
	issueOf := map[string]*tasks.State{}
	for _, t := range all {
		issueOf[s.id(t)] = t
	}
	var wishes []Wish
	for _, i := range f.Issues() {
		t, m := issueOf[i.ID], i.mark()
		switch {
		case t == nil:
			if m == nil && base.raw(i.ID) == nil && i.Status == Open && i.isWork() && !i.DeferUntil.After(now) {
				wishes = append(wishes, s.added(i, issueOf))
			}
		case t.Status == tasks.Completed:
		case i.Status == Closed && (m == nil || m.Status != Closed):
			wishes = append(wishes, Wish{Issue: i.ID, Task: t.ID, Close: true, Why: i.CloseReason})
		case m != nil && m.Words != hash([3]string{i.Title, i.Description, i.Acceptance}) && m.Words == hash((&writer{Session: s, task: t}).texts()) && base.raw(i.ID) == nil:
			wishes = append(wishes, Wish{Issue: i.ID, Task: t.ID, Edit: tasks.Edit{Task: t.ID, Subject: i.Title, Description: i.text()}})
		}
	}
	return wishes
}

// added is the wish for a new task. It waits for the tasks that its issue depends on.
func (s Session) added(i *Issue, issueOf map[string]*tasks.State) Wish {
	e := tasks.Edit{Subject: i.Title, Description: i.text()}
	for _, id := range i.dependsOn(blocks) {
		if t := issueOf[id]; t != nil {
			e.BlockedBy = append(e.BlockedBy, t.ID)
		}
	}
	return Wish{Issue: i.ID, Edit: e}
}

// text is what the description of its task is.
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
