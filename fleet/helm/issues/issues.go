// Package issues keeps the tasks of a voyage as issues of Beads: in a file on the branch, and in the database of bd.
package issues

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/bd"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	worksync "ocaptain/sync"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/dirstore"
)

// issueRetry is how long helm waits before it tries again to write issues.
const issueRetry = 10 * time.Second

// maxText bounds a text from outside.
const maxText = 8 << 10

// Options is what issues need of a voyage.
type Options struct {
	Dir    fleet.Dir
	Info   *fleet.Voyage
	Store  *dirstore.Store
	Hub    *hub.Hub
	Log    *slog.Logger
	Redact func(string) string // takes secrets out of what is written

	IsDone  func(tasks.Snapshot) bool // all work is done, and the issues are written before that is verified
	IsOver  func() bool               // the voyage is sunk, or is being sunk
	News    *wake.News                // is sent when tasks change
	Moved   func(commit string)       // the branch is at a commit with the issues
	Judge   func(error) error         // what an error of writing is to the voyage
	IsTold  func(error) bool          // the captain knows of such an error
	Tell    func(text string)         // tells the captain
	Propose func(fleet.Proposal)      // asks the captain
	Unread  func(why string)          // bd cannot read the issues, "" when it can
}

// Issues are the issues of a voyage. Its methods are safe for concurrent use.
type Issues struct {
	Options
	unwritten wake.Signal // asks for a look at what is to be written
	unread    wake.Signal // asks for a look at what bd is to read

	mu    sync.Mutex // held while issues are written
	wrote written
}

// New returns the issues of a voyage. Nothing is done about them but by the methods.
func New(o Options) *Issues { return &Issues{Options: o, unwritten: wake.New(), unread: wake.New()} }

// OwnFiles returns the files of the branch that helm alone writes: changes by agents are left out of merges.
func (i *Issues) OwnFiles() []string {
	if i.Info.Beads.Prefix == "" {
		return nil
	}
	return []string{beads.Name}
}

// written is what was written of issues: how many tasks, and how many of them were completed.
type written struct{ tasks, completed int }

// due decides whether the tasks are to be written as issues now: when there are new ones, or some are completed. That others are
// begun is written with the next of these. Approved work is merged first: a commit in between would make its check void.
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

// Write writes the tasks as issues of Beads on the branch, right beside the merges that they belong to, when that is due. What a
// crash leaves out is written when helm looks at the tasks again.
func (i *Issues) Write(ctx context.Context) error {
	all := i.Store.Snapshot()
	i.mu.Lock()
	defer i.mu.Unlock()
	now, is := due(i.Info.Beads, all, i.IsDone(all), i.wrote)
	if !is || i.IsOver() {
		return nil
	}
	s := i.session()
	var last []byte
	order := worksync.Merge{Subject: fmt.Sprintf("beads: %d of %d issues of %s are closed", now.completed, now.tasks, i.Dir.ID()), Author: "captain <captain@ocaptain.invalid>"}
	release := func() {}
	defer func() { release() }()
	m, err := i.Hub.Write(ctx, beads.Name, order, func(was []byte) ([]byte, error) {
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
		return i.Judge(err)
	}
	i.wrote = now
	i.Moved(m.Commit)
	i.unread.Send()
	return nil
}

// session is the voyage as it is written to issues.
func (i *Issues) session() beads.Session {
	s := beads.Session{Voyage: i.Dir.ID(), Prefix: i.Info.Beads.Prefix, Clean: i.Redact}
	if raw, err := os.ReadFile(i.Dir.Issues()); err == nil {
		s.Last = beads.Read(raw)
	}
	return s
}

// WriteSoon has KeepFile look whether something is to be written.
func (i *Issues) WriteSoon() { i.unwritten.Send() }

// KeepFile writes issues when that may be due, and goes on trying where it fails. A merge that lasts may keep it waiting.
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
			if text := clean.Bound(err.Error(), maxText); text != said && !i.IsTold(err) { // else it is told already
				i.Tell("the issues of Beads are not written: " + text)
				said = text
			}
			_ = retry.Sleep(ctx, issueRetry)
		}
	}
}
