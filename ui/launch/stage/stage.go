// Package stage makes the directory of a voyage, which nothing takes for a voyage before it is whole.
package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/sync/gitflow/filters"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/ui/bring"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/planfile"
)

// Staging is a voyage's directory while it is being made: <voyages>/.fitting-<id>/<id>. Nothing takes it for a voyage
// before it is renamed to <voyages>/<id>.
type Staging struct {
	voyages string
	outer   string
	dir     fleet.Dir
	lock    *flock.Flock // held while the command works on the directory
}

// Voyage is what a voyage's directory is made of.
type Voyage struct {
	fleet.Voyage // what voyage.json says, except for Base and Beads

	Work  *repository.Work
	Plan  *planfile.Plan // nil for none
	Lead  agent.Agent    // the agent of the ships, as prompts tell of it
	Bring bring.Chosen   // files that ships get beside the repository's
	Most  bring.Limits   // limits of Bring
	Tasks Issues

	Admission fleet.Admission // to the hubs that share the tasks
}

// Make makes the complete directory of a voyage in the hub. When it fails, it leaves nothing.
func Make(ctx context.Context, hub fleet.Hub, v *Voyage, report func(api.Progress)) (*Staging, error) {
	if err := hub.Make(); err != nil {
		return nil, err
	}
	removeLeftovers(hub.Voyages)
	s := &Staging{voyages: hub.Voyages, outer: filepath.Join(hub.Voyages, ".fitting-"+v.ID)}
	s.dir = fleet.Dir(filepath.Join(s.outer, v.ID))
	if err := os.Mkdir(s.outer, 0o700); err != nil {
		return nil, err
	}
	if err := s.writeFiles(ctx, v, report); err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// writeFiles writes all files with which a voyage begins.
func (s *Staging) writeFiles(ctx context.Context, v *Voyage, report func(api.Progress)) error {
	s.lock = flock.New(filepath.Join(s.outer, "lock"))
	if err := s.lock.Lock(); err != nil {
		return err
	}
	for _, dir := range []string{string(s.dir), s.dir.Artifacts(), s.dir.LogsDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	began := time.Now()
	report(api.Progress{Step: "repository", State: api.StepStarted, Text: v.Repo})
	var err error
	if v.Base, err = v.Work.Prepare(ctx, s.dir.Workspace(), v.Branch); err != nil {
		return err
	}
	if err := s.bringFiles(ctx, v, report); err != nil {
		return err
	}
	var ready []tasks.Task
	if v.Beads, ready, err = v.Tasks.read(ctx, s.dir.Workspace(), v.Base); err != nil {
		return err
	}
	report(api.Progress{Step: "repository", State: api.StepDone, Took: time.Since(began)})
	lacks, err := filters.FindLacks(ctx, s.dir.Workspace(), v.Base)
	if err != nil {
		return err
	}
	for _, text := range lacksText(lacks) {
		report(api.Progress{Step: "repository", State: api.StepNote, Text: text})
	}
	if v.Plan != nil {
		v.Plan.Tasks = slices.Concat(v.Plan.Tasks, ready)
		if err := s.orders(v); err != nil {
			return err
		}
	}
	if v.Kind.TakesDispatches() {
		if err := os.WriteFile(s.dir.Prompt(), []byte(agent.PoolPrompt(v.Name, v.Search)), 0o600); err != nil {
			return err
		}
	}
	if err := s.addTasks(ctx, v); err != nil {
		return err
	}
	if v.Shared != nil && v.Shared.Hub == 0 {
		secret := fleet.Dir(filepath.Join(s.voyages, v.ID)).Admission()
		report(api.Progress{Step: "repository", State: api.StepNote, Text: fmt.Sprintf("others have part in it with: ocaptain join %s %s; the secret for that is in %s", v.Shared.URL, v.ID, secret)})
		if v.Shared.Remote != "" {
			report(api.Progress{Step: "repository", State: api.StepNote, Text: fmt.Sprintf("branch %s is pushed to %s, where all hubs bring their work", v.Branch, v.Shared.Remote)})
		}
	}
	return v.Save(s.dir)
}

// bringFiles copies the git-ignored files that ships get, as helm may need them when the captain's checkout is gone or has
// changed.
func (s *Staging) bringFiles(ctx context.Context, v *Voyage, report func(api.Progress)) error {
	if len(v.Bring.Files) == 0 {
		return nil
	}
	if err := v.Bring.Pack(ctx, v.Work.Source, s.dir.Bring(), v.Most); err != nil {
		return FilesProblem(err)
	}
	report(api.Progress{Step: "repository", State: api.StepNote, Text: "ships get " + v.Bring.Summary()})
	return nil
}

// orders writes the files that ships read.
func (s *Staging) orders(v *Voyage) error {
	if err := os.WriteFile(s.dir.SpecFile(), v.Plan.Spec, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(s.dir.VerifyFile(), v.Plan.Verify, 0o700); err != nil {
		return err
	}
	for path, text := range s.prompts(v) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// prompts returns the agents' prompts, by file name.
func (s *Staging) prompts(v *Voyage) map[string]string {
	if !v.Kind.TakesEpics() {
		return map[string]string{s.dir.Prompt(): agent.Prompt(agent.Brief{
			Voyage: v.ID, Objective: v.Prompt, Branch: v.Branch, Ships: v.ShipCount, Spec: len(v.Plan.Spec) > 0, Agents: []agent.Agent{v.Lead},
			Reviewed: v.Validators > 0, Search: v.Search,
		})}
	}
	all := map[string]string{}
	for path, role := range map[string]string{s.dir.Prompt(): fleet.Worker, s.dir.RolePrompt(fleet.Planner): fleet.Planner, s.dir.RolePrompt(fleet.Validator): fleet.Validator} {
		all[path] = agent.SessionPrompt(v.Branch, v.ShipCount, role, v.Validators > 0 || v.Shared != nil && v.Shared.Reviewed, v.Search)
	}
	return all
}

// addTasks puts the plan's tasks into the voyage's store.
func (s *Staging) addTasks(ctx context.Context, v *Voyage) error {
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
	store, done, err := s.openStore(ctx, v, j)
	if err != nil {
		return err
	}
	defer done()
	if v.Plan != nil {
		all := make([]tasks.Task, len(v.Plan.Tasks))
		for i, t := range v.Plan.Tasks {
			all[i] = t.Clone()
			if all[i].Metadata = maps.Clone(t.Metadata); all[i].Metadata == nil {
				all[i].Metadata = map[string]any{}
			}
			all[i].Metadata["voyage"] = v.ID
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
func (s *Staging) openStore(ctx context.Context, v *Voyage, j *journal.Journal) (store *dirstore.Store, done func(), err error) {
	if v.Shared == nil {
		store, err = dirstore.Open(s.dir.TasksDir(), j, nil)
		return store, func() {}, err
	}
	if err := summed.Write(s.dir.Admission(), &v.Admission, 0o600); err != nil {
		return nil, nil, err
	}
	log, err := v.Shared.Log(s.dir)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = log.Close() }
	if store, err = dirstore.OpenShared(s.dir.TasksDir(), j, nil, log, 0); err == nil {
		if err = s.join(ctx, v, store); err != nil {
			_ = store.Close()
		}
	}
	if err != nil {
		done()
	}
	return store, done, err
}

// join adds this hub to the session in Redis. The hub that begins the session also pushes its branch to the shared repository, and writes
// the terms for hubs that join later.
func (s *Staging) join(ctx context.Context, v *Voyage, store *dirstore.Store) (err error) {
	var terms []byte
	if begins := v.Shared.Session == v.ID; begins && v.Shared.Remote != "" {
		if err := origin.Push(ctx, s.dir.Workspace(), v.Shared.Remote, v.Branch, v.Branch, origin.Options{Token: v.Admission.Token}); err != nil {
			return problem.New(problem.Failed, problem.Repo, "log in there so that git may push, or leave --redis and redis.url out to keep all on this machine",
				"other hubs bring their work to the repository, where the branch cannot be pushed: %w", err)
		}
		if terms, err = json.Marshal(s.terms(v)); err != nil {
			return err
		}
	}
	v.Shared.Hub, err = store.Join(ctx, v.ID, terms)
	return err
}

// terms are what a hub has to know that joins.
func (s *Staging) terms(v *Voyage) Terms {
	return Terms{
		Remote: v.Shared.Remote, Branch: v.Branch, Base: v.Base, Name: v.Name, Objective: v.Prompt, Reviewed: v.Shared.Reviewed, AskPlan: v.AskPlan,
		Unchecked: v.Unchecked, Forgetful: v.Forgetful, MaxQueue: v.MaxQueue, Lease: v.Shared.Lease, MaxNestedDepth: v.MaxNestedDepth, Spec: v.Plan.Spec, Verify: v.Plan.Verify,
	}
}

// Launch renames the directory, which makes it a voyage.
func (s *Staging) Launch() (fleet.Dir, error) {
	d := fleet.Dir(filepath.Join(s.voyages, s.dir.ID()))
	return d, os.Rename(string(s.dir), string(d))
}

// Remove removes the directory, if it is still there.
func (s *Staging) Remove() {
	_ = os.RemoveAll(s.outer)
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
}

// FilesProblem says what is wrong with the files that ships get.
func FilesProblem(err error) *problem.Problem {
	hint := "to bring none: --no-bring"
	if limit, ok := errors.AsType[*bring.LimitError](err); ok {
		hint = limit.Fix + "\n" + hint
	}
	return problem.New(problem.Usage, problem.Files, hint, "files that git ignores: %w", err)
}

// removeLeftovers removes the directories that killed commands left.
func removeLeftovers(voyages string) {
	for _, dir := range Leftovers(voyages) {
		_ = RemoveLeftover(dir)
	}
}
