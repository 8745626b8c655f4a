// Package livetree has the ships of a voyage share one tree with the hub: ships join, the hub keeps copies, stops when much is deleted,
// and settles clashing files.
package livetree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/brought"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/link"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	"ocaptain/sync/mutagen"
)

// Options name the voyage, and what a Tree needs from helm.
type Options struct {
	*core.Core
	Trees *trees.Trees // the sync sessions of all voyages
}

// Tree is the tree that the hub and the ships of a voyage share. A voyage whose ships have trees of their own has a Tree too, which only
// copies artifacts to the hub. Its methods are safe for concurrent use.
type Tree struct {
	o     Options
	moved wake.Signal // wakes Run to make a copy

	mu    sync.Mutex
	guard string // why synchronization was stopped, "" while it runs
	ships map[string]fleet.SharedTree
}

// New returns the tree of a voyage.
func New(o Options) *Tree {
	return &Tree{o: o, moved: wake.New(), ships: map[string]fleet.SharedTree{}}
}

// IsShared reports whether hub and ships share a tree.
func (t *Tree) IsShared() bool { return t.o.Info.Sync == fleet.SyncLive }

// Took records the state of a ship's tree.
func (t *Tree) Took(ship string, is fleet.SharedTree) {
	t.moved.Send()
	t.mu.Lock()
	if is.State == fleet.TreePaused && t.guard != "" {
		is.Why = t.guard
	}
	is.Follow(t.ships[ship], time.Now())
	t.ships[ship] = is
	t.mu.Unlock()
	t.o.Paint.Send()
}

// Of returns the state of a ship's tree.
func (t *Tree) Of(ship string) fleet.SharedTree {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ships[ship]
}

// Ship is a connected ship.
type Ship struct {
	fleet.Ship
	Link *link.Link
}

// joinAgain is the pause before a ship that could not join tries again.
const joinAgain = 10 * time.Second

// Keep makes a ship join the shared tree, and its artifacts reach the hub. It tries until that succeeds or ctx ends.
func (t *Tree) Keep(ctx context.Context, s Ship) {
	for told := ""; ; {
		err := errors.Join(t.join(ctx, s), t.joinArtifacts(ctx, s))
		if err == nil || ctx.Err() != nil {
			return
		}
		why := clean.Bound(err.Error(), clean.MaxText)
		t.Took(s.Name, fleet.SharedTree{State: fleet.TreeAway, Why: why})
		if why != told {
			told = why
			t.o.Notes.Add(fleet.Note{Ship: s.Name, Text: "its files do not travel: " + why})
		}
		if retry.Sleep(ctx, joinAgain) != nil {
			return
		}
	}
}

// Join makes a ship join the shared tree for a claim; the ship repeats the claim as long as this fails. It returns once the ship has the
// whole tree.
func (t *Tree) Join(ctx context.Context, s Ship) error {
	err := t.join(ctx, s)
	if err != nil && ctx.Err() == nil {
		err = blame.HubWaits("the ship does not share the voyage's tree: " + clean.Bound(err.Error(), clean.MaxText))
	}
	return err
}

func (t *Tree) join(ctx context.Context, s Ship) error {
	if !t.IsShared() {
		return nil
	}
	ignore, err := t.ignored(ctx)
	if err != nil {
		return err
	}
	m := t.member(s, "")
	m.Local, m.Ignore = t.o.Dir.Workspace(), ignore
	return t.o.Trees.Join(ctx, m)
}

// member returns a ship as trees needs it, for a directory of the ship's tree.
func (t *Tree) member(s Ship, dir string) trees.Member {
	return trees.Member{
		Voyage: t.o.Info.ID, Ship: s.Name, Built: s.Built, User: s.Machine.User, Keys: s.HostKeys(), Remote: path.Join(s.Home, "voyage", "workspace", dir), Artifact: dir,
	}
}

// joinArtifacts synchronizes the directories to the hub that the plan names.
func (t *Tree) joinArtifacts(ctx context.Context, s Ship) error {
	for _, dir := range t.o.Info.Artifacts {
		m := t.member(s, dir)
		m.Local = filepath.Join(t.o.Dir.Artifacts(), s.Name, dir)
		if err := os.MkdirAll(filepath.Dir(m.Local), 0o700); err != nil {
			return err
		}
		if err := s.run(ctx, `mkdir -p -- "$0"`, m.Remote); err != nil {
			return err
		}
		if err := t.o.Trees.Join(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// run runs a shell script on the ship.
func (s *Ship) run(ctx context.Context, script string, args ...string) error {
	_, err := s.Link.Run(ctx, link.Command{Argv: append([]string{"/bin/sh", "-c", script}, args...)})
	return err
}

// ignored lists the patterns of files that are not synchronized: files that no other ship needs, unless the branch has them, files that
// the branch's own list names, and the files that ships were brought beside git.
func (t *Tree) ignored(ctx context.Context) ([]string, error) {
	tracked, err := t.o.Work.Uses(ctx, mutagen.Ignored)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Clone(mutagen.Ignored), func(name string) bool { return slices.Contains(tracked, name) })
	head, err := t.o.Work.Head(ctx)
	if err != nil {
		return nil, err
	}
	own, err := t.o.Work.File(ctx, head, trees.IgnoreFile)
	if err != nil {
		return nil, err
	}
	all = append(all, trees.Patterns(own)...)
	for _, dir := range t.o.Info.Artifacts {
		all = append(all, trees.Literal(dir))
	}
	brought, err := brought.Names(t.o.Dir.Bring())
	for _, name := range brought {
		all = append(all, trees.Literal(name))
	}
	return all, err
}
