package fleet

import (
	"time"
)

// SyncLive is the way of a voyage whose hub and ships have one tree. Any other has none: each ship has a tree of its own.
const SyncLive = "live"

// TreeState is how a ship's tree and the hub's are kept the same, where a voyage has one tree.
type TreeState string

// The states of a ship's tree.
const (
	TreeSame    TreeState = "in step"
	TreeMoving  TreeState = "syncing"    // changes are on their way
	TreeAway    TreeState = "not synced" // it cannot be, now: Why says so
	TreePaused  TreeState = "paused"     // the captain, or a guard, has it so
	TreeEmptied TreeState = "halted"     // all of one side went away, and nothing is deleted on the other before the captain agrees
)

// SharedTree is what is known of a ship's part of the tree that hub and ships share.
type SharedTree struct {
	State TreeState `json:"state"`
	Since time.Time `json:"since"`
	Why   string    `json:"why,omitempty"`
	// Conflicts are paths that hub and ship have changed, each keeping its own, and More how many are not listed.
	Conflicts     []string  `json:"conflicts,omitempty"`
	MoreConflicts int       `json:"moreConflicts,omitempty"`
	ConflictSince time.Time `json:"conflictSince,omitzero"`
	// Problems are paths that do not travel, with the reason.
	Problems     []TreeProblem `json:"problems,omitempty"`
	MoreProblems int           `json:"moreProblems,omitempty"`
	ProblemSince time.Time     `json:"problemSince,omitzero"`
}

// TreeProblem is a path that does not travel.
type TreeProblem struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// CountConflicts is how many paths hub and ship have changed.
func (t *SharedTree) CountConflicts() int { return len(t.Conflicts) + t.MoreConflicts }

// CountProblems is how many paths do not travel.
func (t *SharedTree) CountProblems() int { return len(t.Problems) + t.MoreProblems }

// Follow takes over what was known before: since when it is so.
func (t *SharedTree) Follow(was SharedTree, now time.Time) {
	t.Since, t.ConflictSince, t.ProblemSince = now, was.ConflictSince, was.ProblemSince
	if t.State == was.State {
		t.Since = was.Since
	}
	keep(&t.ConflictSince, t.CountConflicts() > 0, now)
	keep(&t.ProblemSince, t.CountProblems() > 0, now)
}

// keep is since when something is so.
func keep(since *time.Time, is bool, now time.Time) {
	switch {
	case !is:
		*since = time.Time{}
	case since.IsZero():
		*since = now
	}
}

// ConflictsText names the first of the files that hub and ship have changed.
func (t *SharedTree) ConflictsText() string { return firstFew(t.Conflicts, t.MoreConflicts) }
