package fleet

import (
	"time"
)

// SyncLive is the Sync of a voyage in which hub and ships share one tree. In any other voyage each ship has a tree of its
// own.
const SyncLive = "live"

// TreeState says how far a ship's tree equals the hub's, in a voyage with a shared tree.
type TreeState string

// The states of a ship's tree.
const (
	TreeSame    TreeState = "in step"
	TreeMoving  TreeState = "syncing"    // changes are being transferred
	TreeAway    TreeState = "not synced" // changes cannot be transferred now; Why says why
	TreePaused  TreeState = "paused"     // the captain or a guard has paused the transfer
	TreeEmptied TreeState = "halted"     // one side has lost all files; nothing is deleted on the other side until the captain agrees
)

// SharedTree is the state of a ship's copy of the shared tree.
type SharedTree struct {
	State TreeState `json:"state"`
	Since time.Time `json:"since"`
	Why   string    `json:"why,omitempty"`
	// Conflicts are paths that both hub and ship have changed, and that each side keeps as they are. MoreConflicts counts
	// conflicts that are not listed.
	Conflicts     []string  `json:"conflicts,omitempty"`
	MoreConflicts int       `json:"moreConflicts,omitempty"`
	ConflictSince time.Time `json:"conflictSince,omitzero"`
	// Problems are paths that cannot be transferred, each with its reason.
	Problems     []TreeProblem `json:"problems,omitempty"`
	MoreProblems int           `json:"moreProblems,omitempty"`
	ProblemSince time.Time     `json:"problemSince,omitzero"`
}

// TreeProblem is a path that cannot be transferred.
type TreeProblem struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// CountConflicts returns how many paths both hub and ship have changed.
func (t *SharedTree) CountConflicts() int { return len(t.Conflicts) + t.MoreConflicts }

// CountProblems returns how many paths cannot be transferred.
func (t *SharedTree) CountProblems() int { return len(t.Problems) + t.MoreProblems }

// Follow sets since when the state, the conflicts and the problems exist, from the state before.
func (t *SharedTree) Follow(was SharedTree, now time.Time) {
	t.Since, t.ConflictSince, t.ProblemSince = now, was.ConflictSince, was.ProblemSince
	if t.State == was.State {
		t.Since = was.Since
	}
	keep(&t.ConflictSince, t.CountConflicts() > 0, now)
	keep(&t.ProblemSince, t.CountProblems() > 0, now)
}

// keep sets since to now when a condition becomes true, and to zero when it is false.
func keep(since *time.Time, is bool, now time.Time) {
	switch {
	case !is:
		*since = time.Time{}
	case since.IsZero():
		*since = now
	}
}

// ConflictsText names the first of the files that both hub and ship have changed.
func (t *SharedTree) ConflictsText() string { return firstFew(t.Conflicts, t.MoreConflicts) }
