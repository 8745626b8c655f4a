package helm

import (
	"fmt"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/bd"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/retry"
	"ocaptain/sync"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// issueRetry is how long helm waits before it tries again to write issues.
const issueRetry = 10 * time.Second

// ownFiles returns the files of the branch that helm alone writes: changes by agents are left out of merges.
func (v *voyage) ownFiles() []string {
	if v.info.Beads.Prefix == "" {
		return nil
	}
	return []string{beads.Name}
}

// issuesWritten is what was written of issues: how many tasks, and how many of them were completed.
type issuesWritten struct{ tasks, completed int }

// issuesDue decides whether the tasks are to be written as issues now: when there are new ones, or some are completed. That others are
// begun is written with the next of these. Approved work is merged first: a commit in between would make its check void.
func issuesDue(b fleet.Beads, all tasks.Snapshot, done bool, last issuesWritten) (now issuesWritten, due bool) {
	waits := false
	for _, t := range all.Tasks {
		if t.Internal() {
			continue
		}
		now.tasks++
		if t.Status == tasks.Completed {
			now.completed++
		}
		waits = waits || t.Approved() && !t.OnHold
	}
	return now, b.Prefix != "" && now != last && !waits && (done || !b.AtEnd)
}

// writeIssues writes the tasks as issues of Beads on the branch, right beside the merges that they belong to, when that is due. What a
// crash leaves out is written when helm looks at the tasks again.
func (v *voyage) writeIssues() error {
	all := v.store.Snapshot()
	v.issues.Lock()
	defer v.issues.Unlock()
	phase := reads(v, func() fleet.Phase { return v.fleet.Phase })
	now, due := issuesDue(v.info.Beads, all, v.kind.IsDone(all), v.wrote)
	if !due || phase == fleet.Sinking || phase == fleet.Sunk {
		return nil
	}
	s := v.issueSession()
	var last []byte
	order := sync.Merge{Subject: fmt.Sprintf("beads: %d of %d issues of %s are closed", now.completed, now.tasks, v.dir.ID()), Author: "captain <captain@ocaptain.invalid>"}
	release := func() {}
	defer func() { release() }()
	m, err := v.work.Write(v.ctx, beads.Name, order, func(was []byte) ([]byte, error) {
		release()
		release = bd.Lock(v.ctx, v.dir.Workspace())
		f := beads.Read(was)
		changed := s.Put(f, all.Tasks, time.Now())
		if last = f.Bytes(); !changed {
			return was, nil
		}
		return last, nil
	})
	if err == nil {
		err = whole.Write(v.dir.Issues(), last, 0o600)
	}
	if err != nil {
		return v.orAway("", err)
	}
	v.wrote = now
	v.headMoved(m.Commit)
	v.unread.Send()
	return nil
}

// issueSession is the voyage as it is written to issues.
func (v *voyage) issueSession() beads.Session {
	s := beads.Session{Voyage: v.dir.ID(), Prefix: v.info.Beads.Prefix, Clean: v.redact}
	if raw, err := os.ReadFile(v.dir.Issues()); err == nil {
		s.Last = beads.Read(raw)
	}
	return s
}

// keepIssues writes issues when that may be due, and goes on trying where it fails. A merge that lasts may keep it waiting.
func (v *voyage) keepIssues() {
	said := ""
	for {
		select {
		case <-v.unwritten:
		case <-v.ctx.Done():
			return
		}
		err := v.writeIssues()
		for ; err != nil && v.ctx.Err() == nil; err = v.writeIssues() {
			if text := clean.Bound(err.Error(), maxText); text != said && !isAway(err) { // else it is told already
				v.addNote(fleet.Note{Text: "the issues of Beads are not written: " + text})
				said = text
			}
			_ = retry.Sleep(v.ctx, issueRetry)
		}
	}
}
