package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Refs on the hub. A ref that ends in a slash is followed by the name of a remote.
const (
	RefsAll     = "refs/ocaptain/"
	RefLive     = RefsAll + "live/"    // newest snapshot of a remote tree
	RefBase     = RefsAll + "base/"    // commit that a remote tree was last brought to
	RefHome     = RefsAll + "home/"    // snapshot that was merged since then
	RefSince    = RefsAll + "since/"   // what the branch lacks is counted from, when the snapshot at home is not on it
	RefMarked   = RefsAll + "marked/"  // merge with conflict markers that a remote tree was given
	RefParked   = RefsAll + "parked/"  // leftovers
	RefTrial    = RefsAll + "trial/"   // merge that is being checked
	RefBranch   = RefsAll + "branch/"  // side of a conflict: the branch
	RefYours    = RefsAll + "yours/"   // side of a conflict: the remote tree
	RefPending  = RefsAll + "pending"  // merge whose files are being brought into the captain's tree
	RefTarget   = RefsAll + "target/"  // commit that a remote tree is being brought to and that the branch may not have
	RefFrom     = RefsAll + "from/"    // followed by the commit: what Fetch brought
	RefStart    = RefsAll + "start"    // commit that the branch began at
	RefUpstream = RefsAll + "upstream" // commit that the branch was fetched at last, from the repository that clones share
	RefHead     = RefsAll + "head"     // commit that the branch was seen at last
	RefShared   = RefsAll + "shared"   // newest copy of the tree that all share
	RefOpen     = RefsAll + "open"     // what that tree had beside the branch, when it was last taken out
	LabelBranch = "ocaptain/branch"    // how a conflict marker names the branch
	LabelYours  = "ocaptain/yours"     // how a conflict marker names the remote tree
)

// Refs of a remote tree.
const (
	ShipBase     = "refs/ocaptain/base"     // commit that the tree was last brought to
	ShipSnapshot = "refs/ocaptain/snapshot" // newest snapshot
	ShipPrior    = "refs/ocaptain/prior"    // the tree before conflict markers were put in
	ShipTarget   = "refs/ocaptain/to"       // commit that the tree is being brought to, from the newest snapshot
	ShipParked   = "refs/ocaptain/parked/"  // leftovers that the hub may not have yet
)

// ConflictMarkers matches lines of an unresolved conflict, for git's regular expressions.
const ConflictMarkers = "^(<<<<<<<|>>>>>>>) ocaptain/(branch|yours)"

// IsKeepable tells whether a caller may keep a commit on ref.
func IsKeepable(ref string) bool {
	for _, own := range []string{RefLive, RefBase, RefHome, RefSince, RefMarked, RefParked, RefTrial, RefBranch, RefYours, RefPending, RefTarget, RefFrom, RefStart, RefUpstream, RefHead, RefShared, RefOpen} {
		if strings.HasPrefix(ref+"/", strings.TrimSuffix(own, "/")+"/") {
			return false
		}
	}
	return strings.HasPrefix(ref, RefsAll) && IsBranchName(ref)
}

// ParkedRef names a place for a leftover of a remote.
func ParkedRef(name, commit string) string {
	return fmt.Sprintf("%s%s/%s-%s", RefParked, name, time.Now().UTC().Format("20060102-150405"), commit[:10])
}

// HasNoRefs tells, without starting git, that there is no ref under prefix, which ends in a slash. When it says no, git has
// to be asked.
func (r Repo) HasNoRefs(prefix string) bool { return r.HasNoOther(prefix, "") }

// HasNoOther is HasNoRefs for all but one ref.
func (r Repo) HasNoOther(prefix, ref string) bool {
	if _, err := os.Lstat(r.Path("reftable")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	err := filepath.WalkDir(r.Path(prefix), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != r.Path(ref) {
			err = fs.ErrExist
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	packed, err := os.ReadFile(r.Path("packed-refs"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	own := 0
	if ref != "" {
		own = bytes.Count(packed, []byte(" "+ref+"\n"))
	}
	return bytes.Count(packed, []byte(" "+prefix)) == own
}
