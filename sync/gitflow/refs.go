package gitflow

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Refs on the hub. Those that end in a slash are followed by the name of a remote.
const (
	refsAll     = "refs/ocaptain/"
	refLive     = refsAll + "live/"   // newest snapshot of a remote tree
	refBase     = refsAll + "base/"   // branch commit that a remote tree was last brought to
	refHome     = refsAll + "home/"   // snapshot that was merged since then
	refMarked   = refsAll + "marked/" // merge with conflict markers that a remote tree was given
	refParked   = refsAll + "parked/" // leftovers
	refTrial    = refsAll + "trial/"  // merge that is being checked
	refBranch   = refsAll + "branch/" // side of a conflict: the branch
	refYours    = refsAll + "yours/"  // side of a conflict: the remote tree
	refPending  = refsAll + "pending" // merge whose files are being brought into the captain's tree
	refStart    = refsAll + "start"   // commit that the branch began at
	labelBranch = "ocaptain/branch"   // how a conflict marker names the branch
	labelYours  = "ocaptain/yours"    // how a conflict marker names the remote tree
)

// markers matches lines of a conflict that nobody resolved, for git's regular expressions.
const markers = "^(<<<<<<<|>>>>>>>) ocaptain/(branch|yours)"

// keepable tells whether a caller may keep a commit on ref.
func keepable(ref string) bool {
	for _, own := range []string{refLive, refBase, refHome, refMarked, refParked, refTrial, refBranch, refYours, refPending, refStart} {
		if strings.HasPrefix(ref+"/", strings.TrimSuffix(own, "/")+"/") {
			return false
		}
	}
	return validRef(ref, refsAll)
}

// parkedRef names a place for a leftover of a remote.
func parkedRef(name, commit string) string {
	return fmt.Sprintf("%s%s/%s-%s", refParked, name, time.Now().UTC().Format("20060102-150405"), commit[:10])
}

// none tells, without starting git, that there is no ref under prefix, which ends in a slash. When it says no, git has
// to be asked.
func (r repo) none(prefix string) bool {
	if _, err := os.Lstat(r.path("reftable")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	loose, err := os.ReadDir(r.path(prefix))
	if len(loose) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	packed, err := os.ReadFile(r.path("packed-refs"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(packed, []byte(" "+prefix))
}
