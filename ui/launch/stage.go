package launch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/sync/gitflow/filters"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
)

// staging is a voyage's directory while it is being made: <voyages>/.fitting-<id>/<id>. Nothing takes it for a voyage
// before it is renamed to <voyages>/<id>.
type staging struct {
	voyages string
	outer   string
	dir     fleet.Dir
	lock    *flock.Flock // held while the command works on the directory
}

// makeVoyage makes the complete directory of a voyage. When it fails, it leaves nothing.
func makeVoyage(ctx context.Context, hub fleet.Hub, o *Order, report func(api.Progress)) (*staging, error) {
	if err := hub.Make(); err != nil {
		return nil, err
	}
	removeLeftovers(hub.Voyages)
	id := cmp.Or(o.id, fleet.NewID())
	s := &staging{voyages: hub.Voyages, outer: filepath.Join(hub.Voyages, ".fitting-"+id)}
	s.dir = fleet.Dir(filepath.Join(s.outer, id))
	if err := os.Mkdir(s.outer, 0o700); err != nil {
		return nil, err
	}
	if err := s.writeFiles(ctx, o, report); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// writeFiles writes all files with which a voyage begins.
func (s *staging) writeFiles(ctx context.Context, o *Order, report func(api.Progress)) error {
	s.lock = flock.New(filepath.Join(s.outer, "lock"))
	if err := s.lock.Lock(); err != nil {
		return err
	}
	for _, dir := range []string{string(s.dir), s.dir.Artifacts(), s.dir.LogsDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	id := s.dir.ID()
	v := fleet.Voyage{
		ID: id, Prompt: "Interactive session", Repo: o.Work.Repo.String(), Branch: id, TaskList: id + "-tasks", ShipCount: o.Ships,
		CreatedAt: time.Now().UTC(), Provider: o.Mix.AsText(), Agent: o.Agent.Name, Version: o.Agent.Gets(), Releases: o.Releases, Model: o.Model, Custom: o.Own,
		Unconfined: o.Unconfined, Reclaim: o.Reclaim, Guards: o.Guards,
		Telemetry: o.Telemetry, Search: o.Search, Tools: o.Tools, Embeddings: o.Embeddings, Conversation: o.Conversation, Sync: o.Sync, Artifacts: o.Artifacts,
	}
	if o.branch != "" {
		v.Kind, v.Branch, v.AskPlan, v.SessionSpec = fleet.Session, o.branch, o.askPlan, o.session
	}
	v.Validators, v.Shared = o.Validators, o.shared
	began := time.Now()
	report(api.Progress{Step: "repository", State: api.StepStarted, Text: o.Work.Repo.String()})
	var err error
	v.Base, err = o.Work.Prepare(ctx, s.dir.Workspace(), v.Branch)
	if err != nil {
		return err
	}
	if err := s.bringFiles(ctx, o, report); err != nil {
		return err
	}
	var ready []tasks.Task
	if v.Beads, ready, err = o.issues.read(ctx, s.dir.Workspace(), v.Base); err != nil {
		return err
	}
	if o.Plan != nil {
		o.Plan.Tasks = slices.Concat(o.Plan.Tasks, ready)
	}
	report(api.Progress{Step: "repository", State: api.StepDone, Took: time.Since(began)})
	lacks, err := filters.FindLacks(ctx, s.dir.Workspace(), v.Base)
	if err != nil {
		return err
	}
	for _, text := range lacksText(lacks) {
		report(api.Progress{Step: "repository", State: api.StepNote, Text: text})
	}
	if o.Plan != nil {
		v.Prompt, v.Name, v.Fix, v.Extra = o.Plan.Objective, o.Plan.Name, o.Plan.Fix, o.Plan.Extra
		if err := s.orders(o, v); err != nil {
			return err
		}
	}
	if o.name != "" {
		v.Kind, v.Name, v.Prompt, v.ShipCount, v.Check = fleet.Pool, o.name, "Pool of "+o.name, 0, o.check
		if err := os.WriteFile(s.dir.Prompt(), []byte(agent.PoolPrompt(o.name, o.Search)), 0o600); err != nil {
			return err
		}
	}
	if err := s.addTasks(ctx, o, id); err != nil {
		return err
	}
	if o.shared != nil {
		secret := fleet.Dir(filepath.Join(s.voyages, id)).Admission()
		report(api.Progress{Step: "repository", State: api.StepNote, Text: fmt.Sprintf("others have part in it with: ocaptain join %s %s; the secret for that is in %s", o.shared.URL, id, secret)})
	}
	return v.Save(s.dir)
}

// bringFiles copies the git-ignored files that ships get, as helm may need them when the captain's checkout is gone or has
// changed.
func (s *staging) bringFiles(ctx context.Context, o *Order, report func(api.Progress)) error {
	if len(o.Bring.Files) == 0 {
		return nil
	}
	if err := o.Bring.Pack(ctx, o.Work.Source, s.dir.Bring(), o.bringLimits); err != nil {
		return filesProblem(err)
	}
	report(api.Progress{Step: "repository", State: api.StepNote, Text: "ships get " + o.Bring.Summary()})
	return nil
}

// orders writes the files that ships read.
func (s *staging) orders(o *Order, v fleet.Voyage) error {
	prompts, err := s.prompts(o, v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.dir.SpecFile(), o.Plan.Spec, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(s.dir.VerifyFile(), o.Plan.Verify, 0o700); err != nil {
		return err
	}
	for path, text := range prompts {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// prompts returns the agents' prompts, by file name.
func (s *staging) prompts(o *Order, v fleet.Voyage) (map[string]string, error) {
	if !v.Kind.TakesEpics() {
		text, err := agent.Prompt(agent.Brief{
			Voyage: v.ID, Objective: v.Prompt, Branch: v.Branch, Ships: o.Ships, Spec: len(o.Plan.Spec) > 0, Agents: []agent.Agent{o.Agent},
			Reviewed: v.Validators > 0, Search: v.Search,
		})
		return map[string]string{s.dir.Prompt(): text}, err
	}
	all := map[string]string{}
	for path, role := range map[string]string{s.dir.Prompt(): fleet.Worker, s.dir.RolePrompt(fleet.Planner): fleet.Planner, s.dir.RolePrompt(fleet.Validator): fleet.Validator} {
		var err error
		if all[path], err = agent.SessionPrompt(v.Branch, o.Ships, role, v.Validators > 0, v.Search); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addTasks puts the plan's tasks into the voyage's store.
func (s *staging) addTasks(ctx context.Context, o *Order, id string) error {
	j, err := journal.Open(s.dir.Events())
	if err != nil {
		return err
	}
	defer j.Close()
	orders, err := s.dir.ReadOrders()
	if err != nil {
		return err
	}
	if _, err := j.AddRecord(fleet.KindOrders, orders); err != nil {
		return err
	}
	store, done, err := s.openStore(ctx, o, j)
	if err != nil {
		return err
	}
	defer done()
	if o.Plan != nil {
		all := make([]tasks.Task, len(o.Plan.Tasks))
		for i, t := range o.Plan.Tasks {
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

// openStore opens the voyage's store. When other hubs share the tasks, the voyage begins their list. Call done after the store is closed.
func (s *staging) openStore(ctx context.Context, o *Order, j *journal.Journal) (store *dirstore.Store, done func(), err error) {
	if o.shared == nil {
		store, err = dirstore.Open(s.dir.TasksDir(), j, nil)
		return store, func() {}, err
	}
	if err := fleet.Save(s.dir.Admission(), &o.admission, 0o600); err != nil {
		return nil, nil, err
	}
	log, err := o.shared.Log(s.dir)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = log.Close() }
	if store, err = dirstore.OpenShared(s.dir.TasksDir(), j, nil, log); err == nil {
		if _, err = store.Join(ctx, s.dir.ID()); err != nil {
			_ = store.Close()
		}
	}
	if err != nil {
		done()
	}
	return store, done, err
}

// launch renames the directory, which makes it a voyage.
func (s *staging) launch() (fleet.Dir, error) {
	d := fleet.Dir(filepath.Join(s.voyages, s.dir.ID()))
	return d, os.Rename(string(s.dir), string(d))
}

// remove removes the directory, if it is still there.
func (s *staging) remove() {
	_ = os.RemoveAll(s.outer)
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
}

// removeLeftovers removes the directories that killed commands left.
func removeLeftovers(voyages string) {
	for _, dir := range Leftovers(voyages) {
		_ = RemoveLeftover(dir)
	}
}
