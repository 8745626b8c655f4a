package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/launch/stage"
	"ocaptain/ui/words"
)

// CheckWish reads and checks everything that a voyage depends on. Its error is a *problem.Problem, or that of ctx. The order
// holds what could be read, also when there is an error.
//
// An order whose Unwalled is set may sail only when the captain has agreed to that.
func (y Yard) CheckWish(ctx context.Context, w Wish) (*Order, error) {
	d := y.newDraft(w)
	for _, step := range d.localChecks() {
		if p := step(); p != nil {
			return d.order, p
		}
	}
	if err := places.CheckTools(ctx, d.order.Mix); err != nil {
		return d.order, err
	}
	if o := d.order; o.Work.Repo.Kind == tasks.RepoPath {
		o.Work.Source = repository.TopLevel(ctx, o.Work.Source)
		o.Work.Repo.Name = o.Work.Source
	}
	if p := d.order.checkMutagen(ctx); p != nil {
		return d.order, cmp.Or[error](ctx.Err(), p)
	}
	if err := d.order.Work.Check(ctx, y.Hub.Home, y.Asks); err != nil {
		return d.order, err
	}
	if !w.Kind.TakesEpics() && !w.Kind.TakesDispatches() { // sessions and pools determine their base themselves
		if p := y.begin(ctx, d.order, ""); p != nil {
			return d.order, cmp.Or[error](ctx.Err(), p)
		}
	}
	if p := y.chooseFiles(ctx, d); p != nil {
		return d.order, cmp.Or[error](ctx.Err(), p)
	}
	if err := y.places(ctx, d); err != nil {
		return d.order, err
	}
	if err := d.order.logins.Admitted(ctx, y.Hub); err != nil {
		return d.order, err
	}
	if err := y.releases(ctx, d); err != nil {
		return d.order, err
	}
	return d.order, ctx.Err()
}

// begin determines the commit at which work begins, and notes it when the captain may mean something else.
func (y Yard) begin(ctx context.Context, o *Order, named string) *problem.Problem {
	notes, p := o.Work.Begin(ctx, named, y.Say)
	o.Borrowed = append(o.Borrowed, notes...)
	return p
}

// draft is an order that is being made from a wish.
type draft struct {
	yard   Yard
	wish   Wish
	config config.Config
	bad    error // error of the configuration
	order  *Order
}

// newDraft reads the configuration.
func (y Yard) newDraft(w Wish) *draft {
	d := &draft{yard: y, wish: w}
	d.config, d.bad = y.config(w)
	d.order = &Order{
		kind: w.Kind, Model: d.config.Model, env: logins.OpenEnv(d.config), Reclaim: d.config.Reclaim,
		Ships: 1, Unconfined: w.Unconfined, check: d.config.PoolCheck,
		Guards: fleet.Guards{
			MaxAge: d.config.MaxAge, SinkOld: w.MaxAge != "", IdleWarning: d.config.IdleWarning, MaxCost: d.config.MaxCost,
			StopAtMaxCost: d.config.MaxCostStop, MaxRate: d.config.MaxRate,
			SinkVerified: d.config.Sink == config.Verified, Prices: d.config.Price, Steering: d.config.Guard.Steering,
		},
	}
	d.order.Search, d.order.Tools, d.order.Conversation = d.config.Search, d.config.ClaudeTools, d.config.Conversation
	t := d.config.Telemetry
	d.order.Telemetry = fleet.Telemetry{Off: !t.Send, Contents: t.Send && t.Content, Keep: t.Keep}
	if t.Send {
		d.order.Telemetry.Forward = t.Forward
	}
	if d.order.Work.Token, _ = d.config.Variable("GH_TOKEN"); w.Fetch {
		d.order.Work.Fetch = repository.FetchFlag
	} else if d.config.Base == config.Newest && !w.NoFetch {
		d.order.Work.Fetch = "base: " + config.Newest + " (from " + d.config.SourceOf("base") + ")"
	}
	return d
}

func (y Yard) config(w Wish) (config.Config, error) {
	c, err := config.Load(config.Sources{Dir: y.Hub.Config, Cwd: y.Cwd, Environ: y.Environ, Flags: w.settings(), Captain: w.Captain})
	c.Withhold()
	return c, err
}

// localChecks lists the checks that need no network, in the order in which their results are reported.
func (d *draft) localChecks() []func() *problem.Problem {
	return []func() *problem.Problem{d.configured, d.provider, d.checkAgent, d.checkPlan, d.shares, d.way, d.checkRepository, d.checkLogin, d.githubToken, d.logins, d.tailnet, d.embeddings}
}

// fieldOf maps settings to the wish that overrides each.
var fieldOf = map[string]problem.Field{"default_ships": problem.Ships, "provider": problem.Provider, "agent": problem.Agent, "model": problem.Model, "max_age": problem.MaxAge, "max_cost": problem.MaxCost, "max_rate": problem.MaxRate, "max_cost_stop": problem.MaxCost, "sink": problem.Sink, "sync": problem.Sync}

// configured reports what is wrong with the settings, at the overriding wish if that is to blame.
func (d *draft) configured() *problem.Problem {
	if d.bad == nil {
		return nil
	}
	given := d.wish.settings()
	for _, key := range slices.Sorted(maps.Keys(given)) {
		var alone *config.Error
		field, value := fieldOf[key], given[key]
		if _, err := config.Load(config.Sources{Flags: map[string]string{key: value}}); errors.As(err, &alone) {
			return problem.New(problem.Usage, field, "", "%s %s", field, strings.TrimPrefix(alone.Problems[0], "--"+config.FlagOf(key)+" "))
		}
	}
	return &problem.Problem{Kind: problem.Usage, Err: d.bad, Hint: "correct the lines named; see: ocaptain help configuration"}
}

func (d *draft) provider() *problem.Problem {
	if d.config.Provider == "" {
		return nil // configured has reported it
	}
	var err error
	if d.order.Mix, err = mix.Parse(d.config.Provider, Providers()); err != nil {
		return problem.New(problem.Usage, problem.Provider, "", "%w (provider is from %s)", err, d.config.SourceOf("provider"))
	}
	return nil
}

func (d *draft) checkAgent() *problem.Problem {
	if d.config.Agent == "" {
		return nil // configured has reported it
	}
	var err error
	d.order.Own = d.config.CustomAgent(d.config.Agent)
	if d.order.Agent, err = d.config.FindAgent(d.config.Agent); err != nil {
		return problem.New(problem.Usage, problem.Agent, "", "%w (from %s)", err, d.config.SourceOf("agent"))
	}
	return nil
}

// checkPlan reads the plan with all its defects; without a plan, it checks for wishes that only a plan allows.
func (d *draft) checkPlan() *problem.Problem {
	switch {
	case d.wish.Kind.TakesDispatches():
		return nil
	case d.wish.session != nil:
		return d.wish.session.fill(d)
	case d.wish.Plan == "":
		return d.interactive()
	}
	o := d.order
	o.Plan, o.Defects = d.yard.open(d.wish.Plan)
	if strings.HasPrefix(d.wish.Plan, beads.PlanPrefix) {
		o.issues = stage.IssuesOfPlan()
	}
	o.Ships = 3
	if o.Plan.Ships > 0 {
		o.Ships = o.Plan.Ships
	}
	if d.config.Ships > 0 {
		o.Ships = d.config.Ships
	}
	if n := o.Defects.Errors(); n > 0 {
		return problem.New(problem.Usage, problem.Plan, "", "plan %s has %s; nothing was made", d.wish.Plan, words.Counted(n, "error"))
	}
	return nil
}

// shares determines the number of ships when the mix says how many come from each provider.
func (d *draft) shares() *problem.Problem {
	o := d.order
	n := o.Mix.ShipCount()
	if d.wish.Review {
		if o.Validators = 1; n == 0 {
			o.Ships++
		}
	}
	from := fmt.Sprintf("%s (from %s)", o.Mix, d.config.SourceOf("provider"))
	switch {
	case n == 0:
		return nil
	case d.wish.Review && n == 1:
		return problem.New(problem.Usage, problem.Provider, "", "a reviewer and a worker are 2 ships at least, and provider %s makes 1", from)
	case d.wish.Kind.TakesDispatches() && n > 1:
		return problem.New(problem.Usage, problem.Provider, "", "a worker comes from one provider, and provider %s names several; name one", from)
	case d.wish.session != nil && n != o.Ships:
		return problem.New(problem.Usage, problem.Provider, "say one provider, or how many from each so that they add up", "%s, %s and %s are %d ships, and provider %s makes %d", words.Counted(d.wish.session.Planners, "planner"), words.Counted(d.wish.session.Workers, "worker"), words.Counted(o.Validators, "validator"), o.Ships, from, n)
	case d.wish.session != nil:
	case d.wish.Plan == "" && n > 1:
		return problem.New(problem.Usage, problem.Provider, "", "without a plan there is one ship, and provider %s makes %d; name a plan, or one provider", from, n)
	case d.wish.Plan != "" && d.wish.Ships != "" && d.config.Ships+o.Validators != n:
		return problem.New(problem.Usage, problem.Provider, "", "%s are asked for, and provider %s makes %d; say it in one place only", words.Counted(d.config.Ships+o.Validators, "ship"), from, n)
	}
	o.Ships = n
	return nil
}

func (d *draft) interactive() *problem.Problem {
	if name := d.order.Agent.Name; name != "" && !d.order.Agent.Talks {
		return problem.New(problem.Usage, problem.Plan, "", "agent %s works through the tasks of a plan; name one", name)
	}
	if n := d.wish.Ships; n != "" && n != "1" {
		return problem.New(problem.Usage, problem.Ships, "", "without a plan there is one ship; name a plan, or leave the number of ships out")
	}
	return nil
}

// checkRepository determines the repository: the one in the wish, else the plan's, else a fresh one.
func (d *draft) checkRepository() *problem.Problem {
	o, from := d.order, d.yard.Cwd
	switch {
	case d.wish.Repo != "":
		r, err := tasks.ParseRepo(d.wish.Repo)
		if err != nil {
			return &problem.Problem{Kind: problem.Usage, Field: problem.Repo, Err: err}
		}
		o.Work.Repo = r
	case o.Plan != nil:
		o.Work.Repo, from = o.Plan.Repo, o.Plan.Dir
	default:
		o.Work.Repo = tasks.Repo{Kind: tasks.RepoFresh}
	}
	if o.Work.Source = o.Work.Repo.Source(from, d.yard.Hub.Home); o.Work.Repo.Kind == tasks.RepoPath {
		o.Work.Source = filepath.Clean(o.Work.Source)
		o.Work.Repo.Name = o.Work.Source
	}
	return nil
}

func (d *draft) checkLogin() *problem.Problem {
	if d.order.Agent.Name == "" {
		return nil // another check has reported it
	}
	all, err := d.order.agents()
	if err != nil {
		return &problem.Problem{Kind: problem.Usage, Field: problem.Agent, Err: err}
	}
	var p *problem.Problem
	d.order.secrets = map[string]string{}
	for _, a := range all {
		own, no := logins.OfAgent(a, d.config)
		maps.Copy(d.order.secrets, own)
		if p == nil {
			p = no
		}
	}
	file := filepath.Join(d.yard.Cwd, ".env")
	for _, name := range slices.Sorted(maps.Keys(d.order.secrets)) {
		if _, from := d.config.Variable(name); from == file && d.yard.Cwd != d.yard.Hub.Config {
			d.order.Borrowed = append(d.order.Borrowed, problem.Defect{
				What: clean.Line("agents use the " + name + " of " + file), Fix: "export " + name + "=… to use another",
			})
		}
	}
	return p
}

func (d *draft) githubToken() *problem.Problem {
	if d.order.Work.Token == "" {
		return nil
	}
	if wrong, fix := logins.WrongForm("GH_TOKEN", d.order.Work.Token, false); wrong != "" {
		return problem.New(problem.Missing, problem.Repo, fix+", or unset it", "GH_TOKEN %s", wrong)
	}
	return nil
}

func (d *draft) logins() *problem.Problem {
	return d.order.logins.FindProviders(d.order.Mix, d.yard.Hub, d.config)
}

func (d *draft) tailnet() *problem.Problem {
	return d.order.logins.FindTailnet(d.order.Mix, d.yard.Hub, d.config)
}

// embeddings finds the order's embeddings service and its key.
func (d *draft) embeddings() *problem.Problem {
	if !d.order.Search {
		return nil
	}
	service, p := d.order.logins.FindEmbeddings(d.yard.Hub, d.config)
	if service != "" {
		d.order.Embeddings = fleet.Embeddings{Service: service, Tokens: d.config.EmbeddingsTokens}
	}
	return p
}
