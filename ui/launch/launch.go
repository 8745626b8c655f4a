// Package launch checks an order for a voyage and has helm carry it out. The command line and the dashboard use it.
package launch

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider/registry"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/planfile"
	"ocaptain/ui/bring"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/launch/stage"
)

// Yard holds what making a voyage needs: the hub, the captain's environment, and helm.
type Yard struct {
	Hub     fleet.Hub
	Environ []string // as os.Environ returns it
	Cwd     string   // relative paths begin there

	// Helm returns a client of a running helm, and starts one when there is none.
	Helm func(context.Context) (*api.Client, error)

	// Asks says that git and ssh may ask for a password on the terminal. It must be false while something else draws
	// there.
	Asks bool

	// Say, when not nil, is called with what a check does that takes long.
	Say func(text string)
}

// Wish is what the captain asks for. Empty fields take the value of the configuration or the plan.
type Wish struct {
	// Kind is the kind of voyage. CheckSession, CheckJoin and CheckDispatch set it.
	Kind fleet.Kind

	Plan     string // directory, example:NAME, or "" for one interactive ship
	Repo     string // owner/repo, a URL, a path, or none
	Ships    string // a number
	Provider string // a mix.Mix: one provider, or sprites=3,hosts=2
	Agent    string
	Model    string

	// AgentVersion is the version of Agent that ships get: tested, latest, installed or a number.
	AgentVersion string

	Review      bool   // one more ship reviews work before it is merged
	Unconfined  bool   // agents on this machine or on hosts may run without a sandbox
	MaxAge      string // age at which ships are sunk once their work is on the hub: a duration, 0 for never
	MaxCost     string // limit of the agents' cost in US dollars, 0 for none
	MaxRate     string // limit of a ship's cost within an hour in US dollars, 0 for none
	MaxCostStop string // whether agents are interrupted at MaxCost: true or false
	Sink        string // when ships are sunk automatically: never, or verified
	Sync        string // how work is synchronized: git, or live
	NoFetch     bool   // do not fetch the branch first, whatever is configured
	Fetch       bool   // fetch the branch first if the repository is on this machine

	NoTelemetry bool // agents send no telemetry

	Bring   bool // ships may get git-ignored files that somebody else selects
	NoBring bool // ships get no git-ignored file

	// Captain is the captain.yaml of a session, nil for none.
	Captain *config.Captain

	inPool  bool     // the wish is for a dispatch to an existing pool
	session *Session // the session that the wish is for, nil for anything else
}

// settings returns the wishes that are also settings, by key.
func (w Wish) settings() map[string]string {
	all := map[string]string{"provider": w.Provider, "default_ships": w.Ships, "agent": w.Agent, "model": w.Model, "max_age": w.MaxAge, "max_cost": w.MaxCost, "max_rate": w.MaxRate, "max_cost_stop": w.MaxCostStop, "sink": w.Sink, "sync": w.Sync}
	if w.NoTelemetry {
		all["telemetry.send"] = "off"
	}
	for key, value := range all {
		if value == "" {
			delete(all, key)
		}
	}
	return all
}

// Order is a checked voyage that helm can make. After a check without a problem, everything about it has been
// examined and nothing has been made.
type Order struct {
	Plan    *planfile.Plan   // nil for one interactive ship
	Defects planfile.Defects // defects of the plan; only warnings when it can sail
	Work    repository.Work
	Ships   int
	Mix     mix.Mix // where the ships come from

	Validators int // how many of the ships review work before it is merged

	Agent agent.Agent
	// Releases are the versions of agents that ships get, for agents that ships do not get in the tested version.
	Releases map[string]packages.Release

	Own     *agent.Custom // the definition of Agent, if it is the captain's own
	Model   string
	Reclaim time.Duration
	Guards  fleet.Guards

	Telemetry fleet.Telemetry
	Sync      string   // fleet.SyncLive where all share one tree, "" where each ship has its own
	Artifacts []string // directories that are copied from each ship to the hub, beside git
	Search    bool     // agents get tools that search code
	Tools     agent.Tools
	// Embeddings is the service that gets the code, so that agents can search it by meaning.
	Embeddings fleet.Embeddings

	Conversation agent.Conversation

	// Unwalled is why agents on this machine or on hosts cannot be sandboxed, nil when they can be or when that makes no
	// difference. Unconfined says that the captain agrees to that; StartVoyage requires it.
	Unwalled   error
	Unconfined bool

	// Bring holds the git-ignored files of the captain's checkout that ships get. BringAgreed says that the captain agrees to files that
	// somebody else selects; StartVoyage requires it.
	Bring       bring.Chosen
	BringAgreed bool

	// Borrowed are notes: variables of agents that come from the .env of the working directory, which may be somebody
	// else's; what workers do not get of a repository; and what is not known of a version of an agent.
	Borrowed []problem.Defect

	// Launched, when not nil, is called once the voyage's directory exists and its ships are being provisioned, so that a
	// dashboard can show them.
	Launched func(fleet.Dir)

	bringLimits bring.Limits

	kind    fleet.Kind
	check   time.Duration // how often helm checks the workers of a pool
	name    string        // name of the pool
	id      string        // id of a session's voyage, "" until it is made
	branch  string        // branch of a session
	askPlan bool          // the captain approves the plans of a session's epics
	session fleet.SessionSpec
	// shared is the Redis in which other hubs share the tasks, nil for none, and admission the secret for it.
	shared    *fleet.Shared
	admission fleet.Admission
	pool      fleet.Dir // the existing pool
	from      string    // provider of the worker for a dispatch, "" for any
	secrets   map[string]string
	issues    stage.Issues
	env       map[string]string
	open      []string // places where agents cannot be sandboxed, in words
	logins    logins.Found
}

// Name returns the name of the voyage, clean to show.
func (o *Order) Name() string {
	if o.Plan == nil {
		return "one interactive ship"
	}
	return clean.Line(o.Plan.Name)
}

// voyage returns what the voyage's directory is made of.
func (o *Order) voyage() *stage.Voyage {
	id := cmp.Or(o.id, fleet.NewID())
	v := fleet.Voyage{
		ID: id, Kind: o.kind, Prompt: "Interactive session", Repo: o.Work.Repo.String(), Branch: cmp.Or(o.branch, id), TaskList: id + "-tasks", ShipCount: o.Ships,
		CreatedAt: time.Now().UTC(), Provider: o.Mix.AsText(), AgentChoice: fleet.AgentChoice{Agent: o.Agent.Name, Version: o.Agent.Gets(), Releases: o.Releases, Model: o.Model, Custom: o.Own},
		Unconfined: o.Unconfined, Reclaim: o.Reclaim, Guards: o.Guards, Validators: o.Validators, Trees: fleet.Trees{Shared: o.shared, Sync: o.Sync, Artifacts: o.Artifacts}, AskPlan: o.askPlan, SessionSpec: o.session,
		Telemetry: o.Telemetry, AgentTools: fleet.AgentTools{Search: o.Search, Tools: o.Tools, Embeddings: o.Embeddings, Conversation: o.Conversation},
	}
	if o.Plan != nil {
		v.Prompt, v.Name, v.Fix, v.Extra = o.Plan.Objective, o.Plan.Name, o.Plan.Fix, o.Plan.Extra
	}
	if o.kind.TakesDispatches() {
		v.Name, v.Prompt, v.ShipCount, v.Check = o.name, "Pool of "+o.name, 0, o.check
	}
	return &stage.Voyage{Voyage: v, Work: &o.Work, Plan: o.Plan, Lead: o.Agent, Bring: o.Bring, Most: o.bringLimits, Tasks: o.issues, Admission: o.admission}
}

// Providers lists the names of all providers.
func Providers() []string { return registry.Names() }

// examplePrefix begins the name of an example plan.
const examplePrefix = "example:"

// locate turns what the captain typed into an argument for beads.OpenPlan.
func (y Yard) locate(plan string) string {
	if dir, ok := strings.CutPrefix(plan, beads.PlanPrefix); ok {
		return beads.PlanPrefix + y.locate(cmp.Or(dir, "."))
	}
	switch {
	case plan == "" || strings.HasPrefix(plan, examplePrefix) || filepath.IsAbs(plan):
		return plan
	case plan == "~" || strings.HasPrefix(plan, "~/"):
		return filepath.Join(y.Hub.Home, plan[1:])
	}
	return filepath.Join(y.Cwd, plan)
}

// open reads the plan that the captain typed. Defects name the plan as it was typed.
func (y Yard) open(typed string) (*planfile.Plan, planfile.Defects) {
	where := y.locate(typed)
	plan, defects := beads.OpenPlan(where)
	for i := range defects {
		if defects[i].File == where {
			defects[i].File = typed
		}
	}
	return plan, defects
}
