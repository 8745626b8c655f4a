package gitflow

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/gitflow/git"
)

// A conversation with a remote tree is one command: the request, one line of JSON and then a pack where it says so, on
// its standard input, and the reply, made the same way, on its standard output.

// The verbs of "ocaptain aboard tree".
const (
	verbHas      = "has"      // what commits are there
	verbCheckout = "checkout" // bring the tree to a commit
	verbSnapshot = "snapshot" // copy the tree
	verbBeside   = "beside"   // copy branches that the tree does not stand on, and the stash
	verbMark     = "mark"     // put a merge with conflict markers into the tree
	verbClean    = "clean"    // make a clean checkout in a scratch directory
	verbTidy     = "tidy"     // remove it
)

// Bounds on one line of JSON, in bytes.
const (
	maxRequest = 4 << 20
	maxReply   = 64 << 10
)

// Lists in a reply are cut to this length.
const maxListed = 30

type request struct {
	Format  string   // object format of the repository
	Shallow []string `json:",omitempty"` // commits whose parents the hub does not have
	Branch  string   // the tree's own branch, without refs/heads/
	Name    string   // committer in the tree
	Mail    string
	Limits  git.Limits

	Target string   `json:",omitempty"` // commit of the hub's branch, or to check out in scratch
	Pack   bool     `json:",omitempty"` // a pack follows
	Since  []string `json:",omitempty"` // commits that the pack takes for granted

	Have   []string `json:",omitempty"` // commits that the hub has
	Home   string   `json:",omitempty"` // snapshot whose work the hub has merged
	Parked []string `json:",omitempty"` // leftovers that the hub has
	Spare  []string `json:",omitempty"` // leftovers that the hub won't take

	Whole bool `json:",omitempty"` // snapshot: tell what is fresh beside the tree

	Expect string `json:",omitempty"` // mark: snapshot that the tree must still equal
	Marked string `json:",omitempty"` // mark: commit whose files the tree gets
	Prior  string `json:",omitempty"` // mark: commit to keep of the tree's side, "" for what was in it
	Dir    string `json:",omitempty"` // tidy: what clean answered
}

type reply struct {
	Missing bool     `json:",omitempty"` // the tree lacks something in Since: send more
	Has     []string `json:",omitempty"` // commits that the tree has
	Changed bool     `json:",omitempty"` // the tree does not equal Expect

	Commit string   `json:",omitempty"` // snapshot
	Base   string   `json:",omitempty"` // branch commit that the tree was last brought to
	Pack   bool     `json:",omitempty"` // a pack follows
	Left   []left   `json:",omitempty"` // what the snapshot lacks
	More   int      `json:",omitempty"` // how many more than listed
	Parked []string `json:",omitempty"` // snapshots of leftovers, newest last; they are in the pack
	Fresh  bool     `json:",omitempty"` // the newest of them was made just now
	Aside  string   `json:",omitempty"` // where things that could not be parked were moved
	Dir    string   `json:",omitempty"` // scratch directory

	Sides   []side   `json:",omitempty"` // branches with commits that the snapshot is not made of
	Stashed int      `json:",omitempty"` // entries of the stash
	Stash   []string `json:",omitempty"` // the newest of them

	FreshStash int `json:",omitempty"` // of these, how many are as a fresh side
}

func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// readLine reads one line of JSON no longer than r's buffer.
func readLine(r *bufio.Reader, v any) error {
	b, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("line is longer than %s", humanize.IBytes(uint64(r.Size())))
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return errors.New("line is not the JSON that was expected")
	}
	return nil
}
