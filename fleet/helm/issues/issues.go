// Package issues writes the tasks of a voyage as issues of Beads: to a file on the branch, and to the database of bd.
package issues

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/bd"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	worksync "ocaptain/sync"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// issueRetry is how long helm waits before it tries again to write issues.
const issueRetry = 10 * time.Second

// Options say which voyage the issues belong to, and what they need from it.
type Options struct {
	*core.Core
	Moved   func()               // is called when the branch has moved to a commit with the issues
	Propose func(fleet.Proposal) // makes a proposal to the captain
}

// Issues writes the issues of a voyage. Its methods are safe for concurrent use.
type Issues struct {
	Options
	unwritten wake.Signal // makes KeepFile check what has to be written
	unread    wake.Signal // makes KeepDatabase check what bd has to read

	mu    sync.Mutex // held while issues are written
	wrote written
}

// New returns the Issues of a voyage. It starts nothing.
func New(o Options) *Issues { return &Issues{Options: o, unwritten: wake.New(), unread: wake.New()} }

// OwnFiles returns the files on the branch that only helm writes: merges leave out changes to them by agents.
func (i *Issues) OwnFiles() []string {
	if i.Info.Beads.Prefix == "" {
		return nil
	}
	return []string{beads.Name}
}

// written says what the last write of issues contained: how many tasks, and how many of these were completed.
type written struct{ tasks, completed int }

// due decides whether to write the tasks as issues now: when tasks were added or completed. A task that was only
// begun does not cause a write; the next write includes it. While approved work waits for its merge, nothing is
// written, since a commit in between would make its check void.
func due(b fleet.Beads, all tasks.Snapshot, done bool, last written) (now written, is bool) {
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

// Write writes the tasks as issues of Beads on the branch, right after the merges that they belong to, if that is due. After a
// crash, helm writes what is missing when it looks at the tasks again.
func (i *Issues) Write(ctx context.Context) error {
	all := i.Store.Snapshot()
	i.mu.Lock()
	defer i.mu.Unlock()
	now, is := due(i.Info.Beads, all, i.Kind.IsDone(all), i.wrote)
	if phase := i.Roster.Now().Phase; !is || phase == fleet.Sinking || phase == fleet.Sunk {
		return nil
	}
	s := i.session()
	var last []byte
	order := worksync.Merge{Subject: fmt.Sprintf("beads: %d of %d issues of %s are closed", now.completed, now.tasks, i.Dir.ID()), Author: "captain <captain@ocaptain.invalid>"}
	release := func() {}
	defer func() { release() }()
	_, err := i.Work.Write(ctx, beads.Name, order, func(was []byte) ([]byte, error) {
		release()
		release = bd.Lock(ctx, i.Dir.Workspace())
		f := beads.Read(was)
		changed := s.Put(f, all.Tasks, time.Now())
		if last = f.Bytes(); !changed {
			return was, nil
		}
		return last, nil
	})
	if err == nil {
		err = whole.Write(i.Dir.Issues(), last, 0o600)
	}
	if err != nil {
		return i.Hinders.OrAway("", err)
	}
	i.wrote = now
	i.Moved()
	i.unread.Send()
	return nil
}

// session returns the voyage in the form that package beads needs.
func (i *Issues) session() beads.Session {
	s := beads.Session{Voyage: i.Dir.ID(), Prefix: i.Info.Beads.Prefix, Clean: i.Secrets.Redact}
	if raw, err := os.ReadFile(i.Dir.Issues()); err == nil {
		s.Last = beads.Read(raw)
	}
	return s
}

// Tasks returns the tasks of the voyage that the issues on the branch tell of.
func (i *Issues) Tasks() ([]*tasks.State, error) {
	f, defect := beads.Load(i.Dir.Workspace())
	if f == nil {
		return nil, errors.New(defect.Problem)
	}
	if n := f.Defects.Errors(); n > 0 {
		return nil, fmt.Errorf("%s has %d errors: ocaptain plan check %s lists them", beads.Name, n, i.Dir.Workspace())
	}
	return i.session().Tasks(f), nil
}

// WriteSoon makes KeepFile check whether something has to be written.
func (i *Issues) WriteSoon() { i.unwritten.Send() }

// KeepFile writes issues whenever that is due, and retries after an error. It may have to wait for a long merge.
func (i *Issues) KeepFile(ctx context.Context) {
	said := ""
	for {
		select {
		case <-i.unwritten:
		case <-ctx.Done():
			return
		}
		err := i.Write(ctx)
		for ; err != nil && ctx.Err() == nil; err = i.Write(ctx) {
			if text := clean.Bound(err.Error(), clean.MaxText); text != said && !blame.IsAway(err) { // otherwise the captain knows it already
				i.Notes.Tell("the issues of Beads are not written: " + text)
				said = text
			}
			_ = retry.Sleep(ctx, issueRetry)
		}
	}
}
