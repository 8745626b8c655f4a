package reader

import "fmt"

// course is what the journal, as far as it was read, says about a task.
type course struct {
	done     bool
	holds    Event // the present or last claim
	handed   Event // what was handed in for review
	inReview bool
	approved bool
}

// Order checks that no task was claimed before all tasks that block it were completed, that each task was completed by the ship
// that held it, and that work that was handed in was approved before it was completed.
func (v Voyage) Order(events []Event) (wrong []string) {
	all := map[string]*course{}
	at := func(id string) *course {
		if all[id] == nil {
			all[id] = &course{}
		}
		return all[id]
	}
	for _, e := range events {
		id := e.Data.Task
		if e.Kind == claimed && !e.Restated {
			for _, b := range v.task(id).After {
				if !at(b).done {
					wrong = append(wrong, fmt.Sprintf("task %s was claimed before task %s was completed", id, b))
				}
			}
		}
		if id == "" {
			continue
		}
		if !e.Restated {
			wrong = append(wrong, at(id).judge(e)...)
		}
		at(id).take(e)
	}
	return wrong
}

func (p Plan) task(id string) Task {
	for _, t := range p.Tasks {
		if t.ID == id {
			return t
		}
	}
	return Task{}
}

// judge says what is wrong with the next event of a task.
func (c *course) judge(e Event) (wrong []string) {
	id := e.Data.Task
	bad := func(format string, args ...any) {
		wrong = append(wrong, "task "+id+" was "+fmt.Sprintf(format, args...))
	}
	by := fmt.Sprintf("by %s with epoch %d, and is claimed by %q with %d", e.Data.Owner, e.Data.Epoch, c.holds.Data.Owner, c.holds.Data.Epoch)
	switch e.Kind {
	case claimed:
		if c.done {
			bad("claimed after it was completed")
		}
		if c.approved {
			bad("claimed after it was approved")
		}
	case handedIn:
		if c.done {
			bad("handed in after it was completed")
		}
		if c.inReview {
			bad("handed in twice, the second time with commit %.10s", e.Data.Commit)
		}
		if !c.holds.isSameClaim(e) {
			bad("handed in %s", by)
		}
	case checked:
		if !c.inReview || c.handed.Data.Commit != e.Data.Commit {
			bad("checked with commit %.10s, which is not in review", e.Data.Commit)
		}
	case approved:
		if !c.inReview {
			bad("approved, and nothing is in review")
		}
		if !c.holds.isSameClaim(e) {
			bad("approved %s", by)
		}
	case completed:
		switch {
		case c.inReview && !c.approved:
			bad("completed, and what was handed in is not approved")
		case c.inReview && !c.handed.isSameClaim(e):
			bad("completed by %s with epoch %d, and was handed in by %q with %d", e.Data.Owner, e.Data.Epoch, c.handed.Data.Owner, c.handed.Data.Epoch)
		case !c.inReview && !c.holds.isSameClaim(e):
			bad("completed %s", by)
		}
	}
	return wrong
}

// take applies an event of a task.
func (c *course) take(e Event) {
	switch e.Kind {
	case claimed:
		c.holds = e
	case handedIn:
		c.handed, c.inReview, c.approved, c.holds = e, true, false, Event{}
	case approved:
		c.approved, c.holds = true, Event{}
	case requeued:
		if e.Data.Back {
			c.inReview, c.approved = false, false
		}
	case completed:
		c.done, c.inReview, c.approved = true, false, false
	}
}

// isSameClaim reports whether two events belong to the same claim.
func (e Event) isSameClaim(other Event) bool {
	return e.Data.Owner == other.Data.Owner && e.Data.Epoch == other.Data.Epoch
}
