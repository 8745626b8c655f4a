// Package wire has what hub and ship say to each other about a tree: one request, one reply, and commits either way.
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

// A conversation with a remote tree is a request, one line of JSON, for some followed by an Aim and then a pack where that says so, on
// standard input, and a reply, one line of JSON and then a pack where it says so, on standard output.

// What a conversation is about.
const (
	VerbHas      = "has"      // what commits are there
	VerbCheckout = "checkout" // bring the tree to a commit
	VerbSnapshot = "snapshot" // copy the tree
	VerbBeside   = "beside"   // copy branches that the tree does not stand on, and the stash
	VerbMark     = "mark"     // put a merge with conflict markers into the tree
	VerbClean    = "clean"    // make a clean checkout in a scratch directory
	VerbTidy     = "tidy"     // remove it
)

// Bounds on one line of JSON, in bytes.
const (
	MaxRequest = 4 << 20
	MaxReply   = 64 << 10
)

// MaxListed is how many entries a list of a reply may have.
const MaxListed = 30

// Request is what the hub asks of a ship's tree.
type Request struct {
	Format  string   // object format of the repository
	Shallow []string `json:",omitempty"` // commits whose parents the hub does not have
	Branch  string   // the tree's own branch, without refs/heads/
	Name    string   // committer in the tree
	Mail    string
	Limits  git.Limits

	Have   []string `json:",omitempty"` // commits that the hub has
	Home   string   `json:",omitempty"` // snapshot whose work the hub has merged
	Parked []string `json:",omitempty"` // leftovers that the hub has
	Spare  []string `json:",omitempty"` // leftovers that the hub won't take

	Stay  bool `json:",omitempty"` // checkout: the files stay as they are
	Whole bool `json:",omitempty"` // snapshot: tell what is fresh beside the tree

	Expect string `json:",omitempty"` // mark: snapshot that the tree must still equal
	Marked string `json:",omitempty"` // mark: commit whose files the tree gets
	Prior  string `json:",omitempty"` // mark: commit to keep of the tree's side, "" for what was in it
	Dir    string `json:",omitempty"` // tidy: what clean answered
}

// Aim says where a tree is to be brought. It follows a request to check out, mark or clean, as a line of its own: a ship may look at its
// tree while the hub still finds out.
type Aim struct {
	Target string   `json:",omitempty"` // commit of the hub's branch, or to check out in scratch; "" for nothing, after all
	Pack   bool     `json:",omitempty"` // a pack follows
	Few    bool     `json:",omitempty"` // in the pack are a few objects without deltas
	Since  []string `json:",omitempty"` // commits that the pack takes for granted
}

// Reply is the answer of a ship. Not all of it is said to each request.
type Reply struct {
	Missing bool     `json:",omitempty"` // the tree lacks something in Since: send more
	Has     []string `json:",omitempty"` // commits that the tree has
	Changed bool     `json:",omitempty"` // the tree does not equal Expect

	Commit string         `json:",omitempty"` // snapshot
	Base   string         `json:",omitempty"` // branch commit that the tree was last brought to
	Pack   bool           `json:",omitempty"` // a pack follows
	Left   []staging.Left `json:",omitempty"` // what the snapshot lacks
	More   int            `json:",omitempty"` // how many more than listed
	Parked []string       `json:",omitempty"` // snapshots of leftovers, newest last; they are in the pack
	Fresh  bool           `json:",omitempty"` // the newest of them was made just now
	Aside  string         `json:",omitempty"` // where things that could not be parked were moved
	Dir    string         `json:",omitempty"` // scratch directory

	Sides   []Side   `json:",omitempty"` // branches with commits that the snapshot is not made of
	Stashed int      `json:",omitempty"` // entries of the stash
	Stash   []string `json:",omitempty"` // the newest of them

	FreshStash int `json:",omitempty"` // of these, how many are as a fresh side
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

// ReadLine reads one line of JSON of at most so many bytes.
func ReadLine(r *bufio.Reader, most int, v any) error {
	var b []byte
	for more := true; more; {
		part, err := r.ReadSlice('\n')
		b = append(b, part...)
		more = errors.Is(err, bufio.ErrBufferFull)
		switch {
		case len(b) > most:
			return fmt.Errorf("line is longer than %s", humanize.IBytes(uint64(most))) //nolint:gosec // it is a bound of ours
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

// Beside lists the commits that a reply names beside the tree.
func (p Reply) Beside() []string {
	ids := slices.Clone(p.Stash)
	for _, s := range p.Sides {
		ids = append(ids, s.Tip)
	}
	return staging.Distinct(ids...)
}

// Side is a branch of a remote tree with commits that the tree itself does not stand on, or a linked worktree with work.
type Side struct {
	Branch  string
	Tip     string
	Commits int
	Fresh   bool `json:",omitempty"` // it came about since the tree was brought to its commit, and the snapshot lacks something of it
}

// Cut shortens s to n bytes without splitting a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Check makes sure that everything in a reply has the form it should.
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

// Notes says what a snapshot lacks.
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

// MostCommits bounds what a remote may claim of a branch or of its stash.
const MostCommits = 1_000_000
