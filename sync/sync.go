// Package sync says how work travels between the hub and the machines that do
// it. It knows directories and commits, never tasks or ships by name.
//
// It shadows the standard package only in its importers; they alias it.
package sync

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Remote has conversations with "ocaptain aboard tree" on the machine that has the other
// tree, with the given arguments and standard streams. It returns an error when one
// could not be had or failed, with what that machine says of it.
// Cancelling ctx ends the conversation.
type Remote interface {
	Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error
}

// Work is one line of work: a branch on the hub that remote trees take from and
// give to. Hub is the only writer of the branch, except for the captain, who may
// edit and commit in its working directory at any time.
//
// What comes from a remote is hostile: sizes and counts are bounded, objects are
// checked before they enter the repository, nothing in them is ever executed, and
// no path leaves the working directory. Methods are safe for concurrent use with
// different remotes; calls for one remote must not overlap. synctest checks all of this.
type Work interface {
	// Head returns the newest commit of the branch.
	Head(ctx context.Context) (string, error)

	// Checkout brings the remote tree to a commit of the hub's repository, or for "" to the
	// newest commit of the branch, with the captain's own edits committed first. Work in the
	// remote tree that was never merged is not lost: it is kept on a ref under
	// refs/ocaptain/parked, which is returned. Asking again with the tree already there is
	// quick and changes nothing.
	Checkout(ctx context.Context, r Remote, name, commit string) (Checkout, error)

	// Snapshot copies the remote tree as it is, uncommitted files included and
	// ignored ones not, to refs/ocaptain/live/<name>. The remote tree, its index and its
	// branches stay untouched. Cheap when nothing changed.
	Snapshot(ctx context.Context, r Remote, name string) (Snapshot, error)

	// Merge brings the remote tree's work since its last Checkout into the branch as
	// one commit. When the work and the branch conflict, nothing is committed, the
	// remote tree gets the branch merged in with conflict markers, and a *Conflict is
	// returned. When check fails, nothing changes anywhere and its error is returned.
	// Work that the remote must mend first (markers left in, a file too large) is a
	// *Refused, and changes nothing either. A merge that would change nothing makes no
	// commit. After success the remote tree's work counts as given: the next Checkout
	// parks nothing of it, and the next Merge brings only what came after it.
	//
	// With Merge.Onto the work goes to a branch of its own instead, as one commit on top of
	// the commit that the tree was checked out at. The commit always holds all work since then,
	// so that a merge can be repeated. Nothing can conflict, and the branch of this Work, the captain's
	// edits and files stay as they are. A branch that the captain has checked out, or that
	// holds something else, is a *Hindered.
	//
	// With Merge.Aside the work is merged in the same way, and a conflict is put into the remote tree, but the commit goes to
	// that ref and the branch stays where it is. It always is all work since the last Checkout that the branch lacks, and there
	// always is a commit, so that a merge can be repeated and be looked at.
	Merge(ctx context.Context, r Remote, m Merge) (Merged, error)

	// Land is Merge for work that the hub already has: commit is in its repository, and only what commit changes since its
	// first parent counts. A clash with the branch is a *Conflict, and changes nothing. Work that the branch already has makes
	// no commit and is not checked, except with Aside. Name is not used; Keep, Onto and Stacked are refused.
	Land(ctx context.Context, commit string, m Merge) (Merged, error)

	// PutBack puts such a commit's work into a remote tree that is as Checkout left it, as if the agent had done the work
	// there: it is uncommitted, and part of the next Merge. Where the work clashes with the commit that the tree stands on,
	// the files hold conflict markers, and PutBack returns the conflict, nil for none. A tree that already has the work stays
	// as it is. A changed tree also stays as it is, and the error is ErrChanged.
	PutBack(ctx context.Context, r Remote, name, commit string) (*Conflict, error)

	// Forget drops refs that Aside or Keep made. A missing ref is no error.
	Forget(ctx context.Context, refs ...string) error

	// Clean runs fn while the remote holds a clean checkout of commit in a scratch
	// directory, whose path (on the remote) it is given, and removes it afterwards.
	Clean(ctx context.Context, r Remote, commit string, fn func(dir string) error) error

	// Find returns the commit on the branch whose message has the trailer "key: value",
	// or "" when there is none. It serves to settle what a crash left open.
	Find(ctx context.Context, key, value string) (string, error)
}

// Commit is one commit of the branch, with the trailers that were asked for.
type Commit struct {
	ID      string
	Mail    string            // of its author
	Subject string            // first line of its message
	Values  map[string]string // by key; a key that occurs several times is left out
}

// Change is what a commit of the branch did to files of an earlier one.
type Change struct {
	Commit string
	Files  []string // that it changed, too
	Lines  []string // files in which it changed the same lines
}

// Checkout is what a remote tree was brought to.
type Checkout struct {
	Commit string   // of the branch, or the one asked for
	Parked string   // ref that keeps what lay unmerged in the tree, or ""
	Notes  []string // what the captain should know, in words
}

// Snapshot is a remote tree at one moment.
type Snapshot struct {
	Commit  string   // on the hub, parent: what the remote tree grew from
	Base    string   // the commit it was last brought to
	Head    string   // the commit that the remote tree stands on
	Changed int      // files that the branch lacks: they differ from what was merged last, or from Base, or could not be copied
	Since   int      // files that differ from what was merged or put aside last, or from Base, whatever the branch has
	Notes   []string // what could not be copied, and why
	Sides   []Side   // what was committed beside it, and not copied
	Stashed int      // entries of the remote's stash, which are not copied
	Bytes   int64    // by which the hub's repository grew
}

// Side is a branch of a remote repository with commits that the hub keeps nowhere.
type Side struct {
	Branch  string `json:"branch"`  // fit to be shown
	Commits int    `json:"commits"` // at least one; some of them may be kept
}

// Merge says how to bring work home.
type Merge struct {
	Name     string                                            // of the remote tree, as in Checkout
	Subject  string                                            // first line of the commit
	Body     string                                            // rest of its message, "" for none
	Trailers [][2]string                                       // key and value, in order
	Author   string                                            // "Name <mail>"
	Keep     string                                            // ref under refs/ocaptain that keeps the remote's own commits
	Check    func(ctx context.Context, candidate string) error // nil for none; may call Clean for the same remote
	Whole    bool                                              // what the remote has beside its tree since its last Checkout (branches, worktrees, stashes), and the tree lacks, is a *Refused
	Onto     string                                            // branch for this work alone, without refs/heads/; "" for the one of all. Needs Trailers
	Aside    string                                            // ref under refs/ocaptain that gets the commit, and the branch does not; "" for the branch
	Stacked  bool                                              // with Aside: on top of the commit that the tree was checked out at, and not merged with the branch
	On       string                                            // with Aside and Land: commit of the hub's that the work goes on top of in place of the branch, "" for the branch
	Add      map[string][]byte                                 // with Land: files to add, by path. What cannot be, as something else is there, is a *NotAdded
	Except   []string                                          // files in which the work's changes do not count, as the hub writes them

	// Before, when not nil, is called with the commit of the branch that the work goes on top of. When it returns an error, nothing
	// changes, and Merge and Land return that error.
	Before func(ctx context.Context, head string) error

	// Steers judges work that changes files which steer agents. Merge calls it before Check, while other merges wait. When
	// it returns an error, nothing changes anywhere, Merge returns that error, and Keep keeps the work. Without Steers such
	// work comes on no branch.
	Steers func(Steering) error
}

// Steering is how a piece of work changes files that steer agents, or the tools of people who work in the
// tree.
type Steering struct {
	Paths  []string `json:"paths"`  // in order
	Base   string   `json:"base"`   // commit that the work is counted from
	Commit string   `json:"commit"` // the work, all of it
	Work   string   `json:"work"`   // is the same for the same files alone, those of the work and the steering ones that would be on the branch
	Files  string   `json:"files"`  // is the same for the same steering files alone, as they would be on the branch
}

// Merged is what became of a merge.
type Merged struct {
	Commit  string   // head of the branch or ref that it went to; the new commit unless nothing changed
	Changed int      // files that the commit changed, 0 when there is none
	Notes   []string // what the captain should know, in words

	Steering *Steering // what of it steers agents, nil for nothing
}

// Conflict is the error of a merge that needs the remote's hand. The remote tree now holds the branch with conflict
// markers in these files. Land has no remote tree, and only says what clashes.
type Conflict struct {
	Paths []string
	Why   []string // for each path, what clashes and what to do about it
	Head  string   // branch commit that was merged in
}

// Error names the files.
func (c *Conflict) Error() string { return "conflict in " + list(c.Paths) }

// Refused is the error of work that can't be merged as it is. The remote can mend
// it and try again; nothing was changed.
type Refused struct {
	Why   string // what is wrong and what to do
	Paths []string
}

// Error says what is wrong, and where.
func (r *Refused) Error() string { return r.Why + ": " + list(r.Paths) }

// NotAdded is the error of a Land whose files to Add have no place in what the work becomes. The work is not at fault.
type NotAdded struct{ Err error }

// Error says which, and why.
func (n *NotAdded) Error() string { return n.Err.Error() }

// Unwrap returns why.
func (n *NotAdded) Unwrap() error { return n.Err }

// Hindered is the error of a call that something at the hub keeps from its effect: a lock that somebody has, the captain
// in the middle of a merge, a file of the captain's that is in the way. Nothing was changed, and the work is not at
// fault; the same call works when that is over.
type Hindered struct {
	Why   string   // what it is, and what to do if it stays
	Paths []string // in the captain's tree, or a branch, in the way of this work only; none when everybody is hindered
	Err   error    // that it comes from, or nil
}

// Error says what hinders, and where.
func (h *Hindered) Error() string {
	if len(h.Paths) == 0 {
		return h.Why
	}
	return h.Why + ": " + list(h.Paths)
}

func (h *Hindered) Unwrap() error { return h.Err }

// ErrChanged is returned by Merge when the remote tree changed while its conflict with the branch was being worked out, and
// by PutBack when it is not as Checkout left it. Nothing was changed; merge again, or check out again, which keeps what is there.
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
