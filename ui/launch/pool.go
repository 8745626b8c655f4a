package launch

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/mix"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider/registry"
	"ocaptain/tasks"
	"ocaptain/tasks/pattern"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/launch/stage"
)

// Command is a command for a worker of a pool.
type Command struct {
	Text    string
	Worker  string // "" for the next idle worker
	Base    string // branch, tag or commit at which the work begins, "" for the newest commit of the repository's own branch
	Workers int    // limit of the number of workers
}

// poolName matches the names that a pool may have: ships and branches are named after the pool.
var poolName = pattern.New(`^[a-z0-9]([a-z0-9._-]{0,38}[a-z0-9])?$`)

// nameOf returns the name of a repository's pool: the last part of its name.
func nameOf(r tasks.Repo, source string) string {
	if r.Kind != tasks.RepoPath {
		source = r.Name
	}
	last := source[strings.LastIndexAny(strings.TrimRight(source, "/"), "/:")+1:]
	last = strings.ToLower(strings.TrimSuffix(strings.TrimRight(last, "/"), ".git"))
	return strings.Trim(regexp.MustCompile(`[^a-z0-9._-]+`).ReplaceAllString(last, "-"), "-._")
}

// configure fills empty fields of a wish and a command from the configuration of the pool that --repo names, and returns the
// pool's name, "" when --repo is a repository.
func (y Yard) configure(w *Wish, c *Command) string {
	conf, _ := y.config(*w) // the check of the wish reports what is wrong
	p, ok := conf.FindPool(w.Repo)
	if !ok {
		c.Workers = cmp.Or(c.Workers, config.MostWorkers)
		return ""
	}
	name := w.Repo
	w.Repo, w.Provider, w.Agent, w.Model = p.Repo, cmp.Or(w.Provider, p.Provider), cmp.Or(w.Agent, p.Agent), cmp.Or(w.Model, p.Model)
	c.Base, c.Workers = cmp.Or(c.Base, p.Base), cmp.Or(c.Workers, p.Max, config.MostWorkers)
	return name
}

// CheckDispatch reads and checks everything that a dispatch depends on, as CheckWish does for a voyage. An existing pool
// determines the agent and the providers of its workers; its configuration fills empty fields of c.
func (y Yard) CheckDispatch(ctx context.Context, w Wish, c *Command) (*Order, error) {
	w.Kind = fleet.Pool
	asked := w.Provider != ""
	name := y.configure(&w, c)
	if err := (tasks.Dispatch{Command: c.Text}).Check(); err != nil {
		return &Order{}, &problem.Problem{Kind: problem.Usage, Field: problem.Text, Err: err}
	}
	repo, err := tasks.ParseRepo(w.Repo)
	if err != nil {
		return &Order{}, &problem.Problem{Kind: problem.Usage, Field: problem.Repo, Err: err}
	}
	if repo.Kind == tasks.RepoFresh {
		return &Order{}, problem.New(problem.Usage, problem.Repo, "name it like: --repo owner/repo, or --repo . for this one", "a dispatch needs a repository")
	}
	source := repo.Source(y.Cwd, y.Hub.Home)
	if repo.Kind == tasks.RepoPath {
		source = repository.TopLevel(ctx, filepath.Clean(source))
		repo.Name, w.Repo = source, source
	}
	name, d, v, other, err := y.choosePool(ctx, name, repo, source)
	if err != nil {
		return &Order{}, err
	}
	if d != "" {
		if p := agrees(v, &w); p != nil {
			return &Order{}, p
		}
		if w.inPool = true; w.AgentVersion != "" {
			return &Order{}, problem.New(problem.Usage, problem.AgentVersion, "leave --agent-version out, or sink the pool first", "pool %s is there, and its workers have the version of their agent that it was made with", name)
		}
		if w.MaxRate != "" || w.MaxCostStop != "" {
			return &Order{}, problem.New(problem.Usage, problem.MaxRate, "leave --max-rate and --max-cost-stop out, or sink the pool first", "pool %s exists, and keeps the limits that it was made with", name)
		}
		if w.NoTelemetry {
			return &Order{}, problem.New(problem.Usage, problem.None, "leave --no-telemetry out, or sink the pool first", "pool %s is there, and its workers send telemetry or not as it was made", name)
		}
		if w.MaxCost != "" {
			return &Order{}, problem.New(problem.Usage, problem.MaxCost, fmt.Sprintf("set it with: ocaptain budget %s --voyage %s", w.MaxCost, d.ID()), "pool %s is there, and has one budget for all dispatches", name)
		}
	}
	o, err := y.CheckWish(ctx, w)
	if o.pool, o.name = d, name; asked {
		o.from = o.Mix.AsText()
	}
	if other != "" {
		o.Borrowed = append(o.Borrowed, problem.Defect{
			What: clean.Line(fmt.Sprintf("pool %s works on %s, and the command goes to pool %s", nameOf(repo, source), other, name)),
			Fix:  "to name the pool of this repository, write in " + y.Hub.ConfigFile() + ": pools: {NAME: {repo: " + w.Repo + "}}, and say --repo NAME",
		})
	}
	if err == nil && repo.Kind == tasks.RepoPath {
		c := repository.Uncommitted(ctx, source)
		if c.Tracked {
			o.Borrowed = append(o.Borrowed, problem.Defect{What: clean.Line(source) + " has changes that are not committed, and the worker does not get them", Fix: "commit them first"})
		}
		o.Borrowed = append(o.Borrowed, c.Notes()...)
	}
	if err == nil && (d == "" || !strings.HasPrefix(c.Base, "dispatch/")) { // only the pool's clone has branches of dispatches
		if p := y.begin(ctx, o, c.Base); p != nil {
			return o, cmp.Or[error](ctx.Err(), p)
		}
	}
	return o, err
}

// choosePool returns the name of a repository's pool, and the pool if it exists. named is the captain's name for it. For "" it is
// the name of the repository's directory, or that with the parent's name before it when the pool of another repository, other, has
// the short name.
func (y Yard) choosePool(ctx context.Context, named string, repo tasks.Repo, source string) (name string, d fleet.Dir, v fleet.Voyage, other string, err error) {
	names := []string{named}
	if named == "" {
		at := repo.Name
		if i := strings.LastIndexAny(strings.TrimRight(at, "/"), "/:"); i > 0 {
			at = at[:i] + "-" + at[i+1:]
		}
		names = []string{nameOf(repo, source), nameOf(tasks.Repo{Name: at}, "")}
	}
	if !isPoolName(names[0]) {
		return "", "", v, "", problem.New(problem.Usage, problem.Repo, "name it in "+y.Hub.ConfigFile()+", like: pools: {kite: {repo: "+repo.String()+"}}, and say --repo kite", "no pool can be called %q after repository %s", names[0], repo)
	}
	own := repository.Identity(ctx, repo.String())
	for _, n := range names {
		if !isPoolName(n) {
			continue
		}
		there, v, err := y.findPool(n)
		switch {
		case err != nil:
			return "", "", v, "", err
		case there == "":
			name = cmp.Or(name, n)
		case repository.Identity(ctx, v.Repo) == own:
			return n, there, v, other, nil
		case other == "":
			other = v.Repo
		}
	}
	if name == "" {
		return "", "", v, "", problem.New(problem.Usage, problem.Repo, "sink it, or name a pool of this repository in "+y.Hub.ConfigFile()+", like: pools: {NAME: {repo: "+repo.String()+"}}, and say --repo NAME", "pool %s works on %s, not on %s", names[0], other, repo)
	}
	return name, "", v, other, nil
}

// isPoolName reports whether a pool may have that name.
func isPoolName(name string) bool {
	return poolName().MatchString(name) && !strings.Contains(name, "..") && !strings.HasSuffix(name, ".lock")
}

// findPool returns the pool of that name, "" for none.
func (y Yard) findPool(name string) (fleet.Dir, fleet.Voyage, error) {
	dirs, err := fleet.Voyages(y.Hub.Voyages).List()
	if err != nil {
		return "", fleet.Voyage{}, err
	}
	for _, d := range dirs {
		v, err := fleet.LoadVoyage(d)
		if err != nil || v.PoolName() != name {
			continue
		}
		f, err := fleet.LoadFleet(d)
		if gone := err == nil && (f.Phase == fleet.Sinking || f.Phase == fleet.Sunk); !gone {
			return d, v, nil
		}
	}
	return "", fleet.Voyage{}, nil
}

// agrees fills a wish from an existing pool, and returns a problem for wishes that the pool cannot grant.
func agrees(v fleet.Voyage, w *Wish) *problem.Problem {
	if w.Agent != "" && w.Agent != v.Agent {
		return problem.New(problem.Usage, problem.Agent, "", "pool %s works with agent %s; leave --agent out, or sink the pool first", v.Name, v.Agent)
	}
	w.Agent, w.Unconfined = v.Agent, w.Unconfined || v.Unconfined
	if w.Provider == "" {
		w.Provider = v.Provider
	}
	return nil
}

// Workers returns the workers of the order's pool, none when the pool does not exist yet.
func (o *Order) Workers() []*fleet.Ship {
	f, err := fleet.LoadFleet(o.pool)
	if o.pool == "" || err != nil {
		return nil
	}
	return f.Ships
}

// Able returns the workers that may get the command: those of the provider that the captain named.
func (o *Order) Able() []*fleet.Ship {
	return slices.DeleteFunc(o.Workers(), func(s *fleet.Ship) bool { return o.from != "" && s.Provider != o.from })
}

// Pool returns the name of the order's pool, and whether the pool exists.
func (o *Order) Pool() (name string, there bool) { return o.name, o.pool != "" }

// MayCost reports whether a machine that may cost money will be made for a command when no worker is idle. The captain must
// agree to that; otherwise the command waits for an existing worker.
func (o *Order) MayCost(c Command) bool {
	return c.Worker == "" && len(o.Workers()) < c.Workers &&
		slices.ContainsFunc(o.Mix, func(p mix.Part) bool { return !registry.Of(p.Provider).Owned })
}

// Dispatch gives a command to a pool, and makes the pool when it does not exist.
func (y Yard) Dispatch(ctx context.Context, o *Order, c Command, report func(api.Progress)) (fleet.Dir, api.Dispatched, error) {
	d, err := y.openPool(ctx, o, report)
	if err != nil {
		return "", api.Dispatched{}, err
	}
	base, err := o.Work.FetchInto(ctx, d.Workspace(), cmp.Or(o.Work.Base, c.Base))
	if err != nil {
		return d, api.Dispatched{}, err
	}
	r := api.DispatchRequest{
		Dispatch: tasks.Dispatch{Command: c.Text, Worker: c.Worker, Provider: o.from, Base: base, From: c.Base, Key: rand.Text(), At: time.Now()},
		Workers:  c.Workers, Provider: o.Mix.AsText(), Secrets: o.secrets, Env: o.env,
	}
	for lost := 0; ; lost++ {
		client, err := y.Helm(ctx)
		if err != nil {
			return d, api.Dispatched{}, err
		}
		out, err := client.Dispatch(ctx, d.ID(), r)
		if !lostHelm(err) || lost == maxLosses {
			return d, out, err
		}
	}
}

// openPool returns the pool's directory, and makes the pool when it does not exist.
func (y Yard) openPool(ctx context.Context, o *Order, report func(api.Progress)) (fleet.Dir, error) {
	if o.Unwalled != nil && !o.Unconfined {
		return "", problem.New(problem.Refused, problem.Unconfined, "", "agents %s could do whatever you can, and you did not agree to that: they cannot be confined (%w)", o.SharedPlaces(), o.Unwalled)
	}
	if p := o.refuseFiles(); p != nil {
		return "", p
	}
	if err := o.logins.Keep(y.Hub); err != nil {
		return "", err
	}
	release, err := y.lockMaking(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	if d, _, err := y.findPool(o.name); err != nil || d != "" {
		return d, err
	}
	s, err := stage.Make(ctx, y.Hub, o.voyage(), report)
	if err != nil {
		return "", err
	}
	defer s.Remove()
	return s.Launch()
}

// lockMaking keeps other commands from making a pool or a session meanwhile.
func (y Yard) lockMaking(ctx context.Context) (release func(), err error) {
	if err := y.Hub.Make(); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(y.Hub.Voyages, ".pools.lock"))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}
