// Package launch checks an order for a voyage and has helm carry it out. The command line
// and the dashboard set sail through it.
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
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tokens"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/planfile"
	"ocaptain/ui/bring"
	"ocaptain/ui/cli/config"
)

// Yard is where voyages are made ready.
type Yard struct {
	Hub     fleet.Hub
	Environ []string // as os.Environ returns it
	Cwd     string   // what relative paths count from

	// Helm returns a client of a running helm, and starts one when there is none.
	Helm func(context.Context) (*api.Client, error)

	// Asks says that git and ssh may ask for a password on the terminal. Where something
	// else draws on it they must not.
	Asks bool

	// Say, when not nil, is told what a check does that takes long.
	Say func(text string)
}

// Wish is an order as the captain gives it. What is empty is as configured, or as the plan
// says.
type Wish struct {
	Plan     string // directory, example:NAME, or "" for one interactive ship
	Repo     string // owner/repo, a URL, a path, or none
	Ships    string // a number
	Provider string // a mix.Mix: one provider, or sprites=3,hosts=2
	Agent    string
	Model    string

	// AgentVersion is that of Agent which ships get: tested, latest, installed or a number.
	AgentVersion string

	Review      bool   // work is reviewed before it is merged, by one ship more
	Unconfined  bool   // agents on this machine or on hosts may do without walls
	MaxAge      string // past which ships are sunk once their work is home: a duration, 0 for never
	MaxCost     string // what its agents may cost, in US dollars, 0 for any sum
	MaxRate     string // what a ship's agent may cost within an hour, in US dollars, 0 for any sum
	MaxCostStop string // whether agents are interrupted at MaxCost: true or false
	Sink        string // whether ships are sunk by themselves: never, or verified
	Sync        string // how work travels: git, or live
	NoFetch     bool   // the branch is not fetched first, whatever is configured
	Fetch       bool   // the branch is fetched first where the repository is on this machine

	NoTelemetry bool // agents send no telemetry

	Bring   bool // ships may get the files that git ignores and that somebody else names
	NoBring bool // ships get no file that git ignores

	// Captain is the captain.yaml of a session, nil for none.
	Captain *config.Captain

	pool    bool     // it is for a dispatch
	inPool  bool     // to a pool that there is
	session *Session // it is for a session, nil for anything else
}

// fetchFlag is the flag that has the newest of the remote fetched.
const fetchFlag = "--fetch"

// settings are the wishes that are settings too, by key.
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

// Order is a voyage that is to be. When Check had nothing against it, everything about it has
// been looked at and nothing has been made.
type Order struct {
	Plan    *planfile.Plan   // nil for one interactive ship
	Defects planfile.Defects // of the plan; only warnings when it can sail
	Repo    tasks.Repo
	Ships   int
	Mix     mix.Mix // where they come from

	Validators int // how many of the ships review work before it is merged

	Agent agent.Agent
	// Releases are the versions of agents that ships get, where ocaptain is tested with other versions.
	Releases map[string]packages.Release

	Own     *agent.Custom // the definition of Agent, if it is the captain's own
	Model   string
	Reclaim time.Duration
	Guards  fleet.Guards

	Telemetry fleet.Telemetry
	Sync      string   // fleet.SyncLive where all share one tree, "" where each ship has its own
	Artifacts []string // directories that come home from each ship, beside git
	Search    bool     // agents are given tools that find code
	Tools     agent.Tools
	// Embeddings is where the code is sent to, so that agents find it by what it means, too.
	Embeddings fleet.Embeddings

	Conversation agent.Conversation

	// Unwalled is why agents on this machine or on hosts cannot be confined, nil when they can be or when
	// that makes no difference. Unconfined says that the captain agrees to it; Sail wants that.
	Unwalled   error
	Unconfined bool

	// Bring are the files of the captain's checkout that git ignores and ships get. BringAgreed says that he agrees to files that somebody
	// else names; Sail wants that.
	Bring       bring.Chosen
	BringAgreed bool

	// Borrowed tells which variables that agents get come from the .env of the present directory, which may be
	// somebody else's, what of a repository a worker does not get, and what is not known of a version of an agent.
	Borrowed []Defect

	// Launched, when not nil, is called once the voyage's directory is there and its ships are
	// fitted out: it can be watched then.
	Launched func(fleet.Dir)

	bringLimits bring.Limits

	check   time.Duration // how often its workers are looked at
	name    string        // of the pool, "" for a voyage
	id      string        // of a session's voyage, "" when it is yet to be made
	branch  string        // of a session, "" for anything else
	askPlan bool          // of a session
	session fleet.SessionSpec
	// shared is where other hubs share its tasks, nil where none does, and admission opens that.
	shared    *fleet.Shared
	admission fleet.Admission
	base      string    // where work begins, "" for the source's own head
	fetch     string    // what asks for the newest of the remote, fetchFlag or a setting, "" for nothing
	remote    string    // address that base is fetched from, "" for source
	pool      fleet.Dir // that there is
	from      string    // the provider that the worker of a dispatch must come from, "" for any
	source    string    // what git clones, "" for a fresh repository
	secrets   map[string]string
	issues    issueOrder
	env       map[string]string
	open      []string // where agents cannot be confined, in words
	github    string   // token that reads private repositories, "" for none
	logins    []describe.Login
	meaning   tokens.Token        // opens the service of Embeddings
	tailnet   tailnet.Credentials // without a secret: ships join none
}

// Name is what the voyage is called, fit to be shown.
func (o *Order) Name() string {
	if o.Plan == nil {
		return "one interactive ship"
	}
	return clean.Line(o.Plan.Name)
}

// Providers are the places that ships can come from.
func Providers() []string { return registry.Names() }

// examplePrefix begins the name of a plan that comes with ocaptain.
const examplePrefix = "example:"

// locate turns what the captain typed into what beads.OpenPlan takes.
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

// open reads the plan that the captain typed. Defects name it as it was typed.
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
