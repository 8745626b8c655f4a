package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm"
	"ocaptain/sync/gitflow"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
)

// staging is a voyage's directory while it is made: <voyages>/.fitting-<id>/<id>. Nobody
// takes it for a voyage before it is renamed to <voyages>/<id>.
type staging struct {
	voyages string
	outer   string
	dir     fleet.Dir
	lock    *flock.Flock // held as long as somebody works on it
}

// stage makes the directory of a voyage, whole. When it fails nothing is left.
func (b *bridge) stage(ctx context.Context, o order, r *reporter) (*staging, error) {
	if err := b.hub.Make(); err != nil {
		return nil, err
	}
	sweep(b.hub.Voyages)
	id := fleet.NewID()
	s := &staging{voyages: b.hub.Voyages, outer: filepath.Join(b.hub.Voyages, ".fitting-"+id)}
	s.dir = fleet.Dir(filepath.Join(s.outer, id))
	if err := os.Mkdir(s.outer, 0o755); err != nil {
		return nil, err
	}
	if err := s.fill(ctx, o, r); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// fill makes everything that a voyage begins with.
func (s *staging) fill(ctx context.Context, o order, r *reporter) error {
	s.lock = flock.New(filepath.Join(s.outer, "lock"))
	if err := s.lock.Lock(); err != nil {
		return err
	}
	for _, dir := range []string{string(s.dir), s.dir.Artifacts(), s.dir.Logs()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	id := s.dir.ID()
	v := fleet.Voyage{
		ID: id, Prompt: "Interactive session", Repo: o.repo.String(), Branch: id, TaskList: id + "-tasks", ShipCount: o.ships,
		CreatedAt: time.Now().UTC(), Provider: o.provider, Agent: o.agent.Name, Model: o.model,
		Unconfined: o.unconfined, Reclaim: o.reclaim,
	}
	began := time.Now()
	r.report(helm.Progress{Step: "repository", State: helm.Start, Text: o.repo.String()})
	var err error
	v.Base, err = gitflow.Prepare(ctx, s.dir.Workspace(), o.source, v.Branch, gitflow.PrepareOptions{Token: o.github})
	if err != nil {
		return err
	}
	r.report(helm.Progress{Step: "repository", State: helm.Ended, Took: time.Since(began)})
	if o.plan != nil {
		v.Prompt, v.Name, v.Fix, v.Extra = o.plan.Objective, o.plan.Name, o.plan.Fix, o.plan.Extra
		if err := s.orders(o, v); err != nil {
			return err
		}
	}
	if err := s.seed(ctx, o, id); err != nil {
		return err
	}
	return v.Save(s.dir)
}

// orders writes what ships are given to read.
func (s *staging) orders(o order, v fleet.Voyage) error {
	prompt, err := agent.Prompt(agent.Brief{
		Voyage: v.ID, Objective: v.Prompt, Branch: v.Branch, Ships: o.ships, Spec: len(o.plan.Spec) > 0, Agents: []string{o.agent.Name},
	})
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path    string
		content []byte
		mode    os.FileMode
	}{
		{s.dir.Spec(), o.plan.Spec, 0o644},
		{s.dir.VerifyFile(), o.plan.Verify, 0o755},
		{s.dir.Prompt(), []byte(prompt), 0o644},
	} {
		if err := os.WriteFile(f.path, f.content, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// seed puts the plan's tasks into the voyage's store.
func (s *staging) seed(ctx context.Context, o order, id string) error {
	j, err := journal.Open(s.dir.Events())
	if err != nil {
		return err
	}
	defer j.Close()
	store, err := dirstore.Open(s.dir.Tasks(), j, nil)
	if err != nil {
		return err
	}
	if o.plan != nil {
		all := make([]tasks.Task, len(o.plan.Tasks))
		for i, t := range o.plan.Tasks {
			all[i] = t.Clone()
			if all[i].Metadata = maps.Clone(t.Metadata); all[i].Metadata == nil {
				all[i].Metadata = map[string]any{}
			}
			all[i].Metadata["voyage"] = id
		}
		if _, err = store.Add(ctx, all); err != nil {
			err = fmt.Errorf("tasks: %w", err)
		}
	}
	if e := store.Close(); err == nil {
		err = e
	}
	return err
}

// launch makes a voyage of it.
func (s *staging) launch() (fleet.Dir, error) {
	d := fleet.Dir(filepath.Join(s.voyages, s.dir.ID()))
	return d, os.Rename(string(s.dir), string(d))
}

// remove takes away what is left of it.
func (s *staging) remove() {
	_ = os.RemoveAll(s.outer)
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
}

// sweep removes what a command that was killed left.
func sweep(voyages string) {
	old, _ := filepath.Glob(filepath.Join(voyages, ".fitting-*"))
	for _, dir := range old {
		if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) < time.Minute {
			continue // perhaps it is not locked yet
		}
		lock := flock.New(filepath.Join(dir, "lock"))
		if ok, err := lock.TryLock(); err == nil && ok {
			_ = os.RemoveAll(dir)
			_ = lock.Unlock()
		}
	}
}
