package need

import (
	"fmt"
	"time"

	"ocaptain/fleet"
)

// trees finds ships whose tree differs from the shared tree.
func (s *sight) trees() (all []Need) {
	for i := range s.Ships {
		if is := &s.Ships[i]; is.Phase == fleet.Afloat {
			if why, since, now := treeTrouble(&is.Tree); why != "" {
				all = append(all, Need{Ships: []string{is.Name}, Task: is.Task, Why: why, Since: since, now: now})
			}
		}
	}
	return all
}

// treeTrouble returns why a tree needs the captain, "" if it does not, and since when. now says that the trouble
// cannot pass by itself.
func treeTrouble(t *fleet.SharedTree) (why string, since time.Time, now bool) {
	switch {
	case t.State == fleet.TreeEmptied:
		return t.Why + " on one side; the other keeps them, and nothing travels", t.Since, true
	case t.CountConflicts() > 0:
		return fmt.Sprintf("%s, changed on both sides: %s", fleet.Counted(t.CountConflicts(), "file clashes", "files clash"), t.ConflictsText()), t.ConflictSince, false
	case t.CountProblems() > 0:
		p := t.Problems[0]
		return fmt.Sprintf("%s: %s (%s)", fleet.Counted(t.CountProblems(), "file does not travel", "files do not travel"), p.Path, p.Why), t.ProblemSince, false
	case t.State == fleet.TreeAway || t.State == fleet.TreePaused:
		return "not kept the same: " + t.Why, t.Since, false
	}
	return "", time.Time{}, false
}
