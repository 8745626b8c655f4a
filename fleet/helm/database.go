package helm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/bd"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/beads"
)

// bdTime is what bd may take to read all issues, and bdRetry when it is tried again after it could not.
const bdTime, bdRetry = 2 * time.Minute, 10 * time.Second

// keepDatabase has bd read what helm writes of issues into the database that it keeps in the workspace. Nothing waits for that.
func (v *voyage) keepDatabase() {
	if v.info.Beads.Prefix == "" || v.info.Beads.Mode == "" {
		return
	}
	var last []byte // that bd has read
	var again <-chan time.Time
	for {
		select {
		case <-v.unread:
		case <-again:
		case <-v.ctx.Done():
			return
		}
		issues, err := v.bdReads(last)
		if v.ctx.Err() != nil {
			return
		}
		again = nil
		if last = issues; err != nil {
			last, again = nil, time.After(bdRetry)
		}
		v.notRead(err)
	}
}

// bdReads has bd read the issues that the branch has, unless they are those that it has read last. What people did to issues in a database
// that bd does not write to the file is proposed, and stays as it is there.
func (v *voyage) bdReads(last []byte) ([]byte, error) {
	d := bd.Database{Workspace: v.dir.Workspace(), Scratch: v.dir.Bd(), Most: bdTime}
	s := v.issueSession()
	head, err := v.work.Head(v.ctx)
	if err != nil {
		return nil, err
	}
	issues, err := v.work.File(v.ctx, head, beads.Name)
	if err != nil {
		return nil, err
	}
	tracked, err := v.trackedBeads(head)
	if err == nil {
		err = d.Import(v.ctx, tracked, func(was []byte) []byte {
			give := issues
			if was != nil {
				ours := beads.Read(issues)
				give = ours.Without(v.proposeIssues(s, beads.Read(was).Newer(ours)))
			}
			if last != nil && bytes.Equal(issues, last) {
				return nil
			}
			return give
		})
	}
	if errors.Is(err, bd.ErrAbsent) && v.info.Beads.Mode == fleet.BeadsAuto {
		return issues, nil
	}
	return issues, err
}

// trackedBeads lists what the branch has in .beads, by any case: some file systems know none.
func (v *voyage) trackedBeads(commit string) (names []string, err error) {
	top, err := v.work.Names(v.ctx, commit, "")
	if err != nil {
		return nil, err
	}
	for _, dir := range top {
		if !strings.EqualFold(dir, ".beads") {
			continue
		}
		some, err := v.work.Names(v.ctx, commit, dir)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	return names, nil
}

// notRead notes why bd has not read the issues, nil when it has.
func (v *voyage) notRead(err error) {
	why := ""
	switch {
	case errors.Is(err, bd.ErrAbsent):
		why = "it is not on the PATH of helm, and beads.mode is cli: install it, or write jsonl there for the next session"
	case err != nil:
		why = fmt.Sprintf("%s; helm tries again. See to bd in %s, or remove the database that it has there in .beads", clean.Bound(err.Error(), maxText), v.dir.Workspace())
	}
	changes(v, func() {
		v.hinders.Unread.Set(time.Now(), v.redact(why))
		v.requestBoard()
	})
}
