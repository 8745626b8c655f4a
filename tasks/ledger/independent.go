package ledger

import "cmp"

// Independent is a set of changes that were all judged by the same state, before any of them is carried out. When they are carried out in the
// order of Compare, the rules would decide each of them again.
//
// Only claims and completions are independent of others, and only if no two have the same owner, task or group. Any other change is alone in
// its set.
type Independent struct {
	ledger    *Ledger
	alone     bool
	completes bool
	owners    map[string]bool
	tasks     map[*Entry]bool
	groups    map[*group]bool
}

// Independent opens an empty set. Until it is closed, the ledger must not be changed, and there is no other set.
func (l *Ledger) Independent() *Independent {
	l.together = &Independent{ledger: l, owners: map[string]bool{}, tasks: map[*Entry]bool{}, groups: map[*group]bool{}}
	return l.together
}

// Add adds a change, and reports false if the change depends on another change of the set. Until the set is closed, a claim of another owner does not
// choose a task that the set claims, or a task in the same group.
func (in *Independent) Add(c *Change) bool {
	e := in.ledger.Entries[c.Task]
	switch {
	case in.alone:
		return false
	case e == nil || c.Kind != claimed && c.Kind != Completed:
		in.alone = len(in.tasks) == 0
		return in.alone
	case in.owners[c.Owner] || in.tasks[e] || e.group != nil && in.groups[e.group]:
		return false
	}
	in.owners[c.Owner], in.tasks[e] = true, true
	if e.group != nil {
		in.groups[e.group] = true
	}
	if c.Kind == Completed {
		in.completes = true
		return true
	}
	e.aside = true
	if e.group != nil && e.State.HandIn == nil {
		e.group.setAside(true)
	}
	return true
}

func (g *group) setAside(aside bool) {
	for _, e := range g.members {
		e.aside = aside
	}
}

// Completes reports whether a completion is in the set. It may allow what the rules do not allow before it.
func (in *Independent) Completes() bool { return in.completes }

// Close closes the set.
func (in *Independent) Close() {
	for e := range in.tasks {
		e.aside = false
	}
	for g := range in.groups {
		g.setAside(false)
	}
	in.ledger.together = nil
}

// isAside reports whether another owner claims the task in the open set.
func (l *Ledger) isAside(e *Entry, owner string) bool { return e.aside && !l.together.owners[owner] }

// Compare orders the changes of a set: claims come before completions, since these may make a better task ready than a claim has chosen.
func (c *Change) Compare(other *Change) int {
	rank := map[string]int{claimed: -1}
	return cmp.Compare(rank[c.Kind], rank[other.Kind])
}
