// Package sync is the contract for moving work between the hub and the machines that do it. It knows directories and
// commits, never tasks or ships.
//
// Importers that also need the standard package sync import one of the two under another name.
package sync

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Remote is the connection to the machine that has a remote tree. Tree runs "ocaptain aboard tree" there with the
// given arguments and standard streams. It returns an error when the machine cannot be reached or the command fails,
// with what the command printed. Cancelling ctx ends the command.
type Remote interface {
	Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error
}

// Work is a branch on the hub that remote trees check out and merge into. Only the hub writes the branch, and the
// captain, who may edit and commit in its working directory at any time.
//
// What a remote sends may be hostile. An implementation bounds sizes and counts, checks objects before they enter the
// repository, never executes anything in them, and lets no path leave the working directory. Methods are safe for
// concurrent use with different remotes; calls for one remote must not overlap. Package synctest checks all of this.
type Work interface {
	// Head returns the newest commit of the branch.
	Head(ctx context.Context) (string, error)

	// Checkout checks out a commit of the hub's repository in the remote tree. For "" it first commits the captain's
	// edits, then checks out the newest commit of the branch. It parks unmerged work of the remote tree on a ref
	// under refs/ocaptain/parked, and returns that ref. A repeated call is quick and changes nothing.
	Checkout(ctx context.Context, r Remote, name, commit string) (Checkout, error)

	// Snapshot copies the remote tree, with uncommitted but without ignored files, to refs/ocaptain/live/<name>. It
	// changes neither the remote tree nor its index and branches. It is cheap when nothing changed.
	Snapshot(ctx context.Context, r Remote, name string) (Snapshot, error)

	// Merge merges the remote tree's work since its last Checkout into the branch, as one commit. If work and branch
	// conflict, Merge commits nothing, merges the branch into the remote tree with conflict markers, and returns a
	// *Conflict. If Check fails, Merge changes nothing and returns its error. For work that the remote must mend
	// first (conflict markers, a file that is too large) it changes nothing and returns a *Refused. A merge that
	// would change nothing makes no commit. After success the next Checkout does not park this work, and the next
	// Merge merges only later work.
	//
	// With Merge.Onto the work goes to a branch of its own instead, as one commit on top of the commit at which the
	// tree was checked out. The commit always has all work since then, so that a merge can be repeated. Nothing can
	// conflict, and Merge leaves the branch of this Work and the captain's files alone. If the captain has the other
	// branch checked out, or it has other work, the error is a *Hindered.
	//
	// With Merge.Aside Merge works as for the branch, conflicts included, but points that ref at the commit and does
	// not move the branch. It always makes a commit, with all work since the last Checkout that the branch lacks, so
	// that a merge can be repeated and reviewed.
	Merge(ctx context.Context, r Remote, m Merge) (Merged, error)

	// Land is Merge for work that the hub already has: the changes that commit makes to its first parent. If they
	// conflict with the branch, Land changes nothing and returns a *Conflict. For work that the branch already has it
	// makes no commit and calls no Check, except with Aside. It ignores Name, and refuses Keep, Onto and Stacked.
	Land(ctx context.Context, commit string, m Merge) (Merged, error)

	// PutBack puts the work of a commit, as for Land, into a remote tree that is as Checkout left it. The work is
	// uncommitted there, and part of the next Merge. Where it conflicts with the checked-out commit, PutBack writes
	// conflict markers and returns the conflict, nil for none. It leaves a tree that already has the work as it is.
	// It also leaves a changed tree as it is, and returns ErrChanged.
	PutBack(ctx context.Context, r Remote, name, commit string) (*Conflict, error)

	// Forget deletes refs that Merge.Aside or Merge.Keep made. A missing ref is no error.
	Forget(ctx context.Context, refs ...string) error

	// Clean checks out commit in a scratch directory on the remote, calls fn with the path of that directory, and
	// removes it afterwards.
	Clean(ctx context.Context, r Remote, commit string, fn func(dir string) error) error

	// Find returns the commit on the branch whose message has the trailer "key: value", or "" when there is none.
	// After a crash, callers learn from it whether a merge was done.
	Find(ctx context.Context, key, value string) (string, error)
}

// Commit is one commit of the branch, with the trailers that were asked for.
type Commit struct {
	ID      string
	Mail    string            // mail address of its author
	Subject string            // first line of its message
	Values  map[string]string // values of the trailers, by key; without keys that occur several times
}

// Change describes a later commit that changed files of an earlier commit of the branch.
type Change struct {
	Commit string
	Files  []string // files that both commits changed
	Lines  []string // those of Files in which both changed the same lines
}

// Checkout is the result of Work.Checkout.
type Checkout struct {
	Commit string   // commit that is checked out
	Parked string   // ref that keeps unmerged work of the tree, "" for none
	Notes  []string // what the captain should know, in words
}

// Snapshot is a remote tree at one moment.
type Snapshot struct {
	Commit  string   // commit on the hub with the tree's files; its parent is Head, unless the tree is unchanged
	Base    string   // commit of its last checkout
	Head    string   // commit of the remote's HEAD
	Changed int      // files with unmerged changes that the branch lacks, and files that could not be copied
	Since   int      // files with changes since the last merge (into the branch or aside) or else since Base, even if the branch has the same changes
	Notes   []string // what could not be copied, and why
	Sides   []Side   // other branches with commits that were not copied
	Stashed int      // entries of the remote's stash, which are not copied
	Bytes   int64    // bytes by which the hub's repository grew
}

// Side is a branch of a remote repository with commits that no ref of the hub keeps.
type Side struct {
	Branch  string `json:"branch"`  // name, fit to be shown
	Commits int    `json:"commits"` // upper bound of the missing commits, at least 1
}

// Merge says how to merge work.
type Merge struct {
	Name     string                                            // name of the remote tree, as in Checkout
	Subject  string                                            // first line of the commit
	Body     string                                            // rest of its message, "" for none
	Trailers [][2]string                                       // key and value, in order
	Author   string                                            // "Name <mail>"
	Keep     string                                            // ref under refs/ocaptain that keeps the remote's own commits
	Check    func(ctx context.Context, candidate string) error // nil for none; may call Clean for the same remote
	Whole    bool                                              // refuse the merge (*Refused) if the remote has work since its last Checkout on other branches, in worktrees or stashes that the tree lacks
	Onto     string                                            // branch for this work alone, without refs/heads/; "" for the branch of the Work. Needs Trailers
	Aside    string                                            // ref under refs/ocaptain that gets the commit in place of the branch; "" for the branch
	Stacked  bool                                              // with Aside: make the commit on top of the commit at which the tree was checked out, without a merge with the branch
	On       string                                            // with Aside and Land: merge with this commit in place of the branch, "" for the branch
	Add      map[string][]byte                                 // with Land: files to add, by path. If a path is taken, the error is a *NotAdded
	Except   []string                                          // files that the hub writes: leave out the work's changes in them

	// Before, if not nil, is called with the commit of the branch with which the work will be merged. If it returns
	// an error, Merge and Land change nothing and return that error.
	Before func(ctx context.Context, head string) error

	// Steers judges work that changes files which steer agents. Merge calls it before Check, possibly while other
	// merges wait. If it returns an error, Merge points Keep at the work, changes nothing else, and returns that
	// error. Without Steers, no branch gets such work.
	Steers func(Steering) error
}

// Steering describes changes of files that steer agents, or the tools of people who work in the tree.
type Steering struct {
	Paths  []string `json:"paths"`  // sorted
	Base   string   `json:"base"`   // commit from which the work is counted
	Commit string   `json:"commit"` // commit with the whole work
	Work   string   `json:"work"`   // hash of the work's files and of the steering files as they would be on the branch
	Files  string   `json:"files"`  // hash of the steering files as they would be on the branch
}

// Merged is the result of a merge.
type Merged struct {
	Commit  string   // the new commit, or if nothing changed the head of the branch or ref
	Changed int      // number of files that the commit changed, 0 without a new commit
	Notes   []string // what the captain should know, in words

	Steering *Steering // changes that steer agents, nil for none
}

// Conflict is the error of a merge whose conflict the agent must resolve. After Merge, the remote tree has the branch
// merged in, with conflict markers in these files. After Land, which has no remote tree, it only says what clashes.
type Conflict struct {
	Paths []string
	Why   []string // for each path, what clashes and what to do about it
	Head  string   // branch commit that was merged in
}

// Error names the files.
func (c *Conflict) Error() string { return "conflict in " + list(c.Paths) }

// Refused is the error of work that can't be merged as it is. Nothing was changed; the agent can mend the work and
// try again.
type Refused struct {
	Why   string // what is wrong and what to do
	Paths []string
}

// Error says what is wrong, and where.
func (r *Refused) Error() string { return r.Why + ": " + list(r.Paths) }

// NotAdded is the error of a Land whose Merge.Add has a path that is taken or invalid. The work is not at fault.
type NotAdded struct{ Err error }

// Error names the file and the reason.
func (n *NotAdded) Error() string { return n.Err.Error() }

// Unwrap returns the reason.
func (n *NotAdded) Unwrap() error { return n.Err }

// Hindered is the error of a call that something at the hub stops: another process has a lock, the captain is in the
// middle of a merge, a file of the captain's is in the way. Nothing was changed, and the work is not at fault. The
// same call succeeds once the hindrance is gone.
type Hindered struct {
	Why   string   // what hinders, and what to do if it stays
	Paths []string // files of the captain's, or a branch, that hinder this work only; empty if all work is hindered
	Err   error    // its cause, or nil
}

// Error says what hinders, and where.
func (h *Hindered) Error() string {
	if len(h.Paths) == 0 {
		return h.Why
	}
	return h.Why + ": " + list(h.Paths)
}

func (h *Hindered) Unwrap() error { return h.Err }

// ErrChanged is returned by Merge when the remote tree changed before the conflict markers reached it, and by PutBack
// when the tree is not as Checkout left it. Nothing was changed. Call Merge again, or Checkout, which parks the
// tree's work.
var ErrChanged = errors.New("the tree changed while it was being merged: try again")

// list joins at most ten names. Names come from remotes, so list quotes names that are not plain.
func list(names []string) string {
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		if i == 10 {
			return s + "…"
		}
		if len(n) > 200 {
			n = strings.ToValidUTF8(n[:200], "") + "…"
		}
		if q := strconv.Quote(n); q != `"`+n+`"` {
			n = q
		}
		s += n
	}
	return s
}
