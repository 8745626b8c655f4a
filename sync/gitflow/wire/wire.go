// Package wire is the protocol of hub and ship about a tree: a request, a reply, and commits in either direction.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"ocaptain/sync/gitflow/staging"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/gitflow/git"
)

// A request to a remote tree is one line of JSON on standard input. For some verbs an Aim follows, one line of JSON
// too, and a pack if Aim.Pack says so. The reply is one line of JSON on standard output, followed by a pack if
// Reply.Pack says so.

// The verbs of requests.
const (
	VerbHas      = "has"      // list commits that the repository has
	VerbCheckout = "checkout" // check out a commit in the tree
	VerbSnapshot = "snapshot" // make a snapshot of the tree
	VerbBeside   = "beside"   // send other branches, worktrees and the stash
	VerbMark     = "mark"     // put a merge with conflict markers into the tree
	VerbClean    = "clean"    // make a clean checkout in a scratch directory
	VerbTidy     = "tidy"     // remove the scratch directory
)

// Bounds on one line of JSON, in bytes.
const (
	MaxRequest = 4 << 20
	MaxReply   = 64 << 10
)

// MaxListed bounds the entries of a list in a reply.
const MaxListed = 30

// Request is a request of the hub about a ship's tree.
type Request struct {
	Format  string   // object format of the repository
	Shallow []string `json:",omitempty"` // commits whose parents the hub does not have
	Branch  string   // the tree's own branch, without refs/heads/
	Name    string   // committer in the tree
	Mail    string
	Limits  git.Limits

	Have   []string `json:",omitempty"` // commits that the hub has
	Home   string   `json:",omitempty"` // snapshot whose work the hub has merged
	Parked []string `json:",omitempty"` // parked commits of the tree that the hub has
	Spare  []string `json:",omitempty"` // parked commits of the tree that the hub refuses

	Stay  bool `json:",omitempty"` // checkout: leave the files alone
	Whole bool `json:",omitempty"` // snapshot: mark the new work outside the tree (Side.Fresh)

	Expect string `json:",omitempty"` // mark: snapshot that the tree must still equal
	Marked string `json:",omitempty"` // mark: commit whose files the tree gets
	Prior  string `json:",omitempty"` // mark: commit to keep as the tree's own side, "" for its snapshot
	Dir    string `json:",omitempty"` // tidy: Reply.Dir of clean
}

// Aim names the commit to check out. It follows a checkout, mark or clean request as a line of its own: so the ship
// can examine its tree while the hub determines the commit.
type Aim struct {
	Target string   `json:",omitempty"` // commit to check out; "" to end the request
	Pack   bool     `json:",omitempty"` // a pack follows
	Few    bool     `json:",omitempty"` // the pack was written by git.Few
	Since  []string `json:",omitempty"` // commits that the ship must have for the pack
}

// Reply is the answer of a ship. Each verb uses only some of the fields.
type Reply struct {
	Missing bool     `json:",omitempty"` // the repository lacks something of Since: send more
	Has     []string `json:",omitempty"` // commits that the repository has
	Changed bool     `json:",omitempty"` // the tree does not equal Expect

	Commit string         `json:",omitempty"` // snapshot
	Base   string         `json:",omitempty"` // commit at which the tree was last checked out
	Pack   bool           `json:",omitempty"` // a pack follows
	Left   []staging.Left `json:",omitempty"` // files that the snapshot lacks
	More   int            `json:",omitempty"` // number of such files that are not listed
	Parked []string       `json:",omitempty"` // parked commits, newest last; they are in the pack
	Fresh  bool           `json:",omitempty"` // this request made the newest of them
	Aside  string         `json:",omitempty"` // where files that could not be parked were moved
	Dir    string         `json:",omitempty"` // scratch directory

	Sides   []Side   `json:",omitempty"` // other branches with commits that the snapshot does not reach
	Stashed int      `json:",omitempty"` // entries of the stash
	Stash   []string `json:",omitempty"` // commits of the newest stash entries

	FreshStash int `json:",omitempty"` // how many of these have new work, as Side.Fresh
}

// WriteLine writes a value as one line of JSON.
func WriteLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ReadLine reads one line of JSON of at most most bytes.
func ReadLine(r *bufio.Reader, most int, v any) error {
	var b []byte
	for more := true; more; {
		part, err := r.ReadSlice('\n')
		b = append(b, part...)
		more = errors.Is(err, bufio.ErrBufferFull)
		switch {
		case len(b) > most:
			return fmt.Errorf("line is longer than %s", humanize.IBytes(uint64(most))) //nolint:gosec // most is a constant of ours
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil && !more:
			return err
		}
	}
	if err := json.Unmarshal(b, v); err != nil {
		return errors.New("line is not the JSON that was expected")
	}
	return nil
}

// Beside lists the commits of p.Stash and p.Sides.
func (p Reply) Beside() []string {
	ids := slices.Clone(p.Stash)
	for _, s := range p.Sides {
		ids = append(ids, s.Tip)
	}
	return staging.Distinct(ids...)
}

// Side is another branch of a remote repository with commits that the tree's HEAD does not reach, or a linked
// worktree with work.
type Side struct {
	Branch  string
	Tip     string
	Commits int
	Fresh   bool `json:",omitempty"` // it is new since the last checkout, and the snapshot lacks part of it
}

// Cut shortens s to n bytes without splitting a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Check returns an error unless all fields of a reply are valid.
func (p Reply) Check() error {
	ids := append([]string{p.Commit, p.Base}, p.Has...)
	if len(p.Has) > 8 || len(p.Parked) > MaxListed || len(p.Left) > MaxListed || len(p.Sides) > MaxListed || len(p.Stash) > MaxListed {
		return errors.New("a list is too long")
	}
	for _, s := range p.Sides {
		if !git.IsObjectID(s.Tip) {
			return errors.New("an object name is malformed")
		}
	}
	for _, id := range slices.Concat(ids, p.Parked, p.Stash) {
		if id != "" && !git.IsObjectID(id) {
			return errors.New("an object name is malformed")
		}
	}
	for _, dir := range []string{p.Dir, p.Aside} {
		if dir != "" && (len(dir) > git.MaxPath || !path.IsAbs(dir) || path.Clean(dir) != dir || !printable(dir)) {
			return errors.New("a directory name is malformed")
		}
	}
	return nil
}

// Notes describes what a snapshot lacks, for the captain.
func (p Reply) Notes(limits git.Limits) []string {
	var notes []string
	for _, l := range p.Left {
		notes = append(notes, l.Note(limits.File))
	}
	if p.More > 0 {
		notes = append(notes, fmt.Sprintf("%d more were left out", p.More))
	}
	return notes
}

func printable(s string) bool {
	for _, c := range s {
		if !unicode.IsPrint(c) || c == unicode.ReplacementChar {
			return false
		}
	}
	return true
}

// MostCommits bounds the number of commits that a remote may claim for a branch or its stash.
const MostCommits = 1_000_000
