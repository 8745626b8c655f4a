// Package sharedwork keeps unmerged work of ships in the repository that hubs share: handed-in work, so that a
// validator of any hub can review it, and drafts of unfinished work, which other hubs can continue when this one is
// gone.
package sharedwork

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/retry"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/redislog"
)

// maxDraft is the largest draft that is pushed, in bytes that it adds to the branch.
const maxDraft = 32 << 20

// Options name the voyage whose work it is, and what a Work needs from helm.
type Options struct {
	*core.Core
	Redis *redislog.Log // signs drafts

	// Drafts calls draft for each claim of this hub's ships whose tree is at rest. It may be nil for a hub that makes no drafts.
	Drafts func(draft func(ship string, t *tasks.State))
}

// Work is the unmerged work of a session that hubs share. Its methods do nothing where the hubs share no repository. They are safe for
// concurrent use.
type Work struct{ o Options }

// New returns the Work of a session.
func New(o Options) *Work { return &Work{o} }

// IsShared reports whether the hubs share a repository.
func (w *Work) IsShared() bool { return w.o.Work.Upstream != nil }

// HandIn pushes work that is handed in under a claim.
func (w *Work) HandIn(ctx context.Context, done tasks.Completion) error {
	if !w.IsShared() {
		return nil
	}
	r := ref{task: done.Task, epoch: done.Epoch}
	return w.o.Work.Upstream.Share(ctx, map[string]string{r.name(w.o.Info.SessionID()): done.Commit})
}

// Get fetches the commit of a task's work to a ref of this hub.
func (w *Work) Get(ctx context.Context, commit, to string) error {
	if !w.IsShared() {
		return nil
	}
	return w.o.Work.GetWork(ctx, commit, to)
}

// Draft fetches the draft of another hub's claim to a ref of this hub, and returns its commit, "" for none.
func (w *Work) Draft(ctx context.Context, t *tasks.State, to string) (string, error) {
	if !w.IsShared() {
		return "", nil
	}
	name := ref{true, t.ID, t.Epoch}.name(w.o.Info.SessionID())
	refs, err := w.o.Work.Upstream.Shared(ctx, name)
	commit := refs[name]
	if err != nil || commit == "" {
		return "", err
	}
	made, err := w.o.Work.GetDraft(ctx, commit, to, w.seal(t))
	if err != nil {
		return "", err
	}
	if !made {
		return "", fmt.Errorf("%s was not pushed by a hub of the session", name)
	}
	return commit, nil
}

// seal returns the function that seals drafts of a claim.
func (w *Work) seal(t *tasks.State) func(string) string {
	return func(text string) string { return w.o.Redis.Sign("draft " + tasks.ClaimID(t.ID, t.Epoch) + " " + text) }
}

// Run pushes drafts and removes refs that are no longer of use, at most once per pause, until ctx ends.
func (w *Work) Run(ctx context.Context, pause time.Duration) {
	if !w.IsShared() {
		return
	}
	var last round
	told := map[string]bool{}
	for retry.Sleep(ctx, pause) == nil {
		if err := w.o.Store.CatchUp(ctx); err != nil {
			continue // another part tells the captain that Redis does not answer
		}
		now := round{w.o.Store.Snapshot(), w.drafts(ctx, told)}
		if now.isAs(last) {
			continue
		}
		changed, err := w.push(ctx, now)
		switch {
		case err != nil && ctx.Err() == nil:
			w.o.Log.Warn("work that hubs share", "error", err)
		case err == nil && !changed:
			last = now
		}
	}
}

// round is what Run acts on.
type round struct {
	all    tasks.Snapshot
	drafts map[ref]string
}

func (r round) isAs(last round) bool {
	return r.all.Seq == last.all.Seq && maps.Equal(r.drafts, last.drafts)
}

// drafts returns the drafts of this hub's ships. told are the claims that the captain was told have none.
func (w *Work) drafts(ctx context.Context, told map[string]bool) map[ref]string {
	all := map[ref]string{}
	if w.o.Drafts == nil {
		return all
	}
	w.o.Drafts(func(ship string, t *tasks.State) {
		subject := fmt.Sprintf("draft: what %s has done so far on task %s", ship, t.ID)
		commit, err := w.o.Work.Draft(ctx, ship, subject, w.seal(t))
		size := 0
		if err == nil && commit != "" {
			size, err = w.o.Work.Upstream.Size(ctx, commit)
		}
		why := ""
		if no, ok := errors.AsType[*sync.Refused](err); ok {
			why, err = no.Error(), nil
		} else if size > maxDraft {
			why = fmt.Sprintf("it has %s, and at most %s are copied", humanize.IBytes(uint64(size)), humanize.IBytes(maxDraft))
		}
		switch claim := tasks.ClaimID(t.ID, t.Epoch); {
		case err != nil:
			w.o.Log.Warn("draft", "ship", ship, "error", err)
		case why != "" && !told[claim]:
			told[claim] = true
			w.o.Notes.Add(fleet.Note{Ship: ship, Task: t.ID, Text: "its work so far is on this hub alone until it is handed in: " + clean.Bound(why, clean.MaxText)})
		case why == "" && commit != "":
			all[ref{true, t.ID, t.Epoch}] = commit
		}
	})
	return all
}

// push makes the refs of the session agree with the round, and reports whether it changed any.
func (w *Work) push(ctx context.Context, now round) (changed bool, err error) {
	has, err := w.o.Work.Upstream.Shared(ctx, prefix(w.o.Info.SessionID()))
	if err != nil {
		return false, err
	}
	set := map[string]string{}
	for r, commit := range w.wanted(ctx, now, slices.Collect(maps.Values(has))) {
		if name := r.name(w.o.Info.SessionID()); has[name] != commit {
			set[name] = commit
		}
	}
	for name, commit := range has {
		if r, ok := parse(w.o.Info.SessionID(), name); ok && !r.isWanted(now.all, commit) {
			set[name] = ""
		}
	}
	return len(set) > 0, w.o.Work.Upstream.Share(ctx, set)
}

// wanted returns the refs that this hub pushes: drafts of its ships' work, and drafts with which a task will resume
// and that only this hub has.
func (w *Work) wanted(ctx context.Context, now round, has []string) map[ref]string {
	all := maps.Clone(now.drafts)
	for _, t := range now.all.Open() {
		if t.Draft != "" && !slices.Contains(has, t.Draft) && w.o.Work.Has(ctx, t.Draft) {
			all[ref{draft: true, task: t.ID}] = t.Draft
		}
	}
	return all
}
