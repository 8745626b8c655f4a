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

// Refs on the hub. After a slash at the end comes the name of a remote, unless a comment says otherwise.
const (
	RefsAll     = "refs/ocaptain/"
	RefLive     = RefsAll + "live/"    // newest snapshot of a remote tree
	RefBase     = RefsAll + "base/"    // commit of a remote tree's last checkout
	RefHome     = RefsAll + "home/"    // newest snapshot that was merged or put aside since that checkout
	RefSince    = RefsAll + "since/"   // commit from which later work is counted while RefHome's work is only aside, so that the branch lacks it
	RefMarked   = RefsAll + "marked/"  // merge with conflict markers that a remote tree got
	RefParked   = RefsAll + "parked/"  // leftovers
	RefTrial    = RefsAll + "trial/"   // merge that is being checked
	RefBranch   = RefsAll + "branch/"  // side of a conflict: the branch
	RefYours    = RefsAll + "yours/"   // side of a conflict: the remote tree
	RefPending  = RefsAll + "pending"  // merge whose files are being written into the captain's tree
	RefTarget   = RefsAll + "target/"  // commit that is being checked out in a remote tree and that the branch may not have
	RefFrom     = RefsAll + "from/"    // commit that origin.Fetch fetched; its id follows
	RefStart    = RefsAll + "start"    // commit at which the branch began
	RefUpstream = RefsAll + "upstream" // commit of the branch in the repository that hubs share, as last fetched
	RefHead     = RefsAll + "head"     // last known commit of the branch
	RefShared   = RefsAll + "shared"   // newest copy of the shared tree
	RefOpen     = RefsAll + "open"     // unmerged work of the shared tree, from the last Workspace.TakeOut
	LabelBranch = "ocaptain/branch"    // how a conflict marker names the branch
	LabelYours  = "ocaptain/yours"     // how a conflict marker names the remote tree
)

// Refs of a remote tree.
const (
	ShipBase     = "refs/ocaptain/base"     // commit of the last checkout
	ShipSnapshot = "refs/ocaptain/snapshot" // newest snapshot
	ShipPrior    = "refs/ocaptain/prior"    // the tree's own work before a merge with conflict markers
	ShipTarget   = "refs/ocaptain/to"       // commit to which bring is changing the tree, from the newest snapshot
	ShipParked   = "refs/ocaptain/parked/"  // unmerged work that the hub may not have yet
)

// ConflictMarkers matches lines of an unresolved conflict, for git's regular expressions.
const ConflictMarkers = "^(<<<<<<<|>>>>>>>) ocaptain/(branch|yours)"

// IsKeepable reports whether callers may keep a commit on ref: it is a valid name under RefsAll and none of the refs
// above.
func IsKeepable(ref string) bool {
	for _, own := range []string{RefLive, RefBase, RefHome, RefSince, RefMarked, RefParked, RefTrial, RefBranch, RefYours, RefPending, RefTarget, RefFrom, RefStart, RefUpstream, RefHead, RefShared, RefOpen} {
		if strings.HasPrefix(ref+"/", strings.TrimSuffix(own, "/")+"/") {
			return false
		}
	}
	return strings.HasPrefix(ref, RefsAll) && IsBranchName(ref)
}

// ParkedRef returns a new ref for unmerged work of a remote.
func ParkedRef(name, commit string) string {
	return fmt.Sprintf("%s%s/%s-%s", RefParked, name, time.Now().UTC().Format("20060102-150405"), commit[:10])
}

// HasNoRefs reports, without starting git, that there is no ref under prefix, which ends in a slash. If it returns
// false, ask git.
func (r Repo) HasNoRefs(prefix string) bool { return r.HasNoOther(prefix, "") }

// HasNoOther is HasNoRefs that ignores one ref.
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
