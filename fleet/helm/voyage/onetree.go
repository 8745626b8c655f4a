package voyage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/brought"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/retry"
	"ocaptain/sync"
	"ocaptain/sync/mutagen"
	"ocaptain/tasks"
)

// newTrees keeps the trees that hub and ships share.
func (h *Set) newTrees() *trees.Trees {
	return trees.New(h.ctx, trees.Options{
		Dir: filepath.Join(h.Hub.State, "mutagen"), Link: filepath.Join(h.Hub.Runtime, "m"), Key: filepath.Join(h.Hub.State, "id_ed25519"),
		Nc: []string{h.bin.Path, "nc"}, Tell: h.treeTold, Log: h.log,
	}, h.jobs.Go)
}

// treeTold takes down how a ship's tree is.
func (h *Set) treeTold(voyage, ship string, is fleet.SharedTree) {
	h.mu.Lock()
	v := h.voyages[voyage]
	h.mu.Unlock()
	if v == nil {
		return
	}
	v.treeMoved.Send()
	changes(v, func() {
		if is.State == fleet.TreePaused && v.treeGuard != "" {
			is.Why = v.treeGuard
		}
		if s := v.ships[ship]; s != nil {
			is.Follow(s.shared, time.Now())
			s.shared = is
			v.requestBoard()
		}
	})
}

// isShared reports whether hub and ships have one tree.
func (v *Voyage) isShared() bool { return v.info.Sync == fleet.SyncLive }

// treeAgain is how long it is until a ship that could not share the tree tries again.
const treeAgain = 10 * time.Second

// keepInTree has the ship share the voyage's tree, trying for as long as it is connected.
func (s *Ship) keepInTree(ctx context.Context) {
	for told := ""; ; {
		err := errors.Join(s.joinTree(ctx), s.joinArtifacts(ctx))
		if err == nil || ctx.Err() != nil {
			return
		}
		why := clean.Bound(err.Error(), maxText)
		s.v.set.treeTold(s.v.dir.ID(), s.name, fleet.SharedTree{State: fleet.TreeAway, Why: why})
		if why != told {
			told = why
			s.v.addNote(fleet.Note{Ship: s.name, Text: "its files do not travel: " + why})
		}
		if retry.Sleep(ctx, treeAgain) != nil {
			return
		}
	}
}

// joinTree has the ship share the voyage's tree and returns once it has all of it. In a voyage without one it does nothing.
func (s *Ship) joinTree(ctx context.Context) error {
	if !s.v.isShared() {
		return nil
	}
	ignore, err := s.v.notInTree(ctx)
	if err != nil {
		return err
	}
	m := s.member("")
	m.Local, m.Ignore = s.v.dir.Workspace(), ignore
	return s.v.set.trees.Join(ctx, m)
}

// member is what trees have to know of the ship, for a directory of its tree.
func (s *Ship) member(dir string) trees.Member {
	f := reads(s.v, func() fleet.Ship { return s.known.Ship })
	return trees.Member{
		Voyage: s.v.dir.ID(), Ship: s.name, Built: f.Built, User: f.Machine.User, Keys: f.HostKeys(), Remote: path.Join(f.Home, "voyage", "workspace", dir), Artifact: dir,
	}
}

// joinArtifacts has the directories come home that the plan names.
func (s *Ship) joinArtifacts(ctx context.Context) error {
	for _, dir := range s.v.info.Artifacts {
		m := s.member(dir)
		m.Local = filepath.Join(s.v.dir.Artifacts(), s.name, dir)
		if err := os.MkdirAll(filepath.Dir(m.Local), 0o700); err != nil {
			return err
		}
		if err := s.runThere(ctx, `mkdir -p -- "$0"`, m.Remote); err != nil {
			return err
		}
		if err := s.v.set.trees.Join(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// hasTree is joinTree for a claim, which the ship asks for again as long as it fails.
func (s *Ship) hasTree(ctx context.Context) error {
	err := s.joinTree(ctx)
	if err != nil && ctx.Err() == nil {
		err = blame.HubWaits("the ship does not share the voyage's tree: " + clean.Bound(err.Error(), maxText))
	}
	return err
}

// notInTree are the patterns of files that stay where they are: files that no other ship needs, unless the branch has them, files that the
// branch's own list names, and the files that were brought to ships beside git.
func (v *Voyage) notInTree(ctx context.Context) ([]string, error) {
	tracked, err := v.work.Uses(ctx, mutagen.Ignored)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Clone(mutagen.Ignored), func(name string) bool { return slices.Contains(tracked, name) })
	head, err := v.work.Head(ctx)
	if err != nil {
		return nil, err
	}
	own, err := v.work.File(ctx, head, trees.IgnoreFile)
	if err != nil {
		return nil, err
	}
	all = append(all, trees.Patterns(own)...)
	for _, dir := range v.info.Artifacts {
		all = append(all, trees.Literal(dir))
	}
	brought, err := brought.Names(v.dir.Bring())
	for _, name := range brought {
		all = append(all, trees.Literal(name))
	}
	return all, err
}

// flushTree brings what the ship has to the hub before its work is committed. What does not come is to be mended by the agent.
func (s *Ship) flushTree(ctx context.Context) error {
	if !s.v.isShared() {
		return nil
	}
	is, err := s.v.set.trees.Flush(ctx, s.v.dir.ID(), s.name)
	switch {
	case err != nil && ctx.Err() == nil:
		return blame.HubWaits("the ship's tree and the hub's are not in step: " + clean.Bound(err.Error(), maxText))
	case err != nil:
		return err
	case is.CountConflicts() > 0:
		return &sync.Refused{
			Why: "you and somebody else changed these files at the same time, and each tree keeps its own. For each of them: move yours to another name outside the tree " +
				"(mv FILE /tmp/); the other's comes within seconds; bring your changes into it; then complete the task again. Clashing", Paths: is.Conflicts,
		}
	case is.CountProblems() > 0:
		no := &sync.Refused{Why: "some files do not travel to the tree that all share (" + is.Problems[0].Why + "): remove or rename them, or make them readable, and complete the task again"}
		for _, p := range is.Problems {
			no.Paths = append(no.Paths, p.Path)
		}
		return no
	}
	return nil
}

// shareOrder makes of an order to merge one for a tree that all share. The commit names the others at work, as it has what they have done.
func (v *Voyage) shareOrder(order *sync.Merge, t *tasks.State) {
	if !v.isShared() {
		return
	}
	order.Keep = ""
	for _, other := range v.store.Snapshot().Tasks {
		if other.Status == tasks.InProgress && other.ID != t.ID && other.Owner != fleet.Coordinator && other.Owner != t.Owner {
			order.Trailers = append(order.Trailers, [2]string{kind.TrailerBeside, other.Owner + " " + other.ID})
		}
	}
}

// leaveTree ends the ship's part of the tree, once it has brought what the ship has.
func (s *Ship) leaveTree(ctx context.Context, report func(api.Progress)) {
	if !s.v.isShared() && len(s.v.info.Artifacts) == 0 {
		return
	}
	if missing := s.bringTree(ctx); len(missing) > 0 {
		text := strings.Join(missing, "; ")
		s.v.addNote(fleet.Note{Ship: s.name, Text: text})
		report(api.Progress{Ship: s.name, Step: "sink", State: api.StepNote, Text: text})
	}
	if err := s.v.set.trees.Leave(context.WithoutCancel(ctx), s.v.dir.ID(), s.name); err != nil && !errors.Is(err, context.Canceled) {
		s.v.log.Warn("leave the tree", "ship", s.name, "error", err)
	}
}

// bringTree brings what the ship has, and returns what did not come.
func (s *Ship) bringTree(ctx context.Context) (missing []string) {
	ctx, cancel := context.WithTimeout(ctx, bringing)
	defer cancel()
	if s.v.isShared() {
		is, err := s.v.set.trees.Flush(ctx, s.v.dir.ID(), s.name)
		if err != nil {
			missing = append(missing, "what it changed last may not have come into the tree that all share ("+clean.Bound(err.Error(), 300)+")")
		}
		if n := is.CountConflicts(); n > 0 {
			missing = append(missing, fmt.Sprintf("%d files clash with the tree that all share, like %s: its own are in the copy of its tree", n, clean.Word(is.Conflicts[0])))
		}
		if n := is.CountProblems(); n > 0 {
			missing = append(missing, fmt.Sprintf("%d files do not travel, like %s", n, clean.Word(is.Problems[0].Path)))
		}
	}
	if err := s.v.set.trees.FlushArtifacts(ctx, s.v.dir.ID(), s.name); err != nil {
		missing = append(missing, "what is newest of its artifacts may not have come home ("+clean.Bound(err.Error(), 300)+")")
	}
	return missing
}

// FlushTrees brings what all ships have into the tree that all share, and copies that for who clones.
func (v *Voyage) FlushTrees(ctx context.Context) (api.Flushed, error) {
	done := api.Flushed{Missing: []string{}}
	if !v.isShared() {
		return done, nil
	}
	var group gosync.WaitGroup
	ships := reads(v, func() []*Ship { return slices.Collect(maps.Values(v.ships)) })
	slices.SortFunc(ships, func(a, b *Ship) int { return strings.Compare(a.name, b.name) })
	missing := make([][]string, len(ships))
	for i, s := range ships {
		group.Go(func() { missing[i] = s.bringTree(ctx) })
	}
	group.Wait()
	for i, s := range ships {
		for _, text := range missing[i] {
			done.Missing = append(done.Missing, s.name+": "+text)
		}
	}
	return done, v.work.TakeOut(ctx)
}
