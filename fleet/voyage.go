// Package fleet holds the nouns of a voyage: the voyage and its ships as they
// are kept on disk, what is known of each ship, and the one function that turns
// this into a status.
//
// These are all the words of our own:
//
//   - captain: who runs the fleet
//   - voyage: one run of agents on one repository
//   - plan: a directory with an objective, tasks and a verification
//   - task: a piece of a plan's work, with the tasks that block it
//   - claim: the exclusive right to a task, fenced by a number that grows, its epoch
//   - ship: a machine with an agent on it
//   - provider: where machines come from
//   - agent: the program that codes
//   - role: what an agent is for: worker, planner, validator, coordinator
//   - hub: the captain's machine
//   - helm: the background process on the hub
//   - aboard: what runs of ocaptain on a ship
//   - board: all that is known of a voyage at one moment
//   - sail: to make the machines of a voyage and start its agents
//   - sink: to destroy the machines of a voyage or of one ship
//   - steering: files that tell agents or tools what to do
//   - trial: a version of an agent at work on the hub, before it sails
//   - orphan: a machine that may cost, and that no voyage has
package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/provider"
	"ocaptain/tasks"
)

// Voyage is one run of a plan: the file voyage.json. The first seven fields are
// those of the original; unknown ones are kept.
type Voyage struct {
	ID        string    `json:"id"`
	Prompt    string    `json:"prompt"` // the objective
	Repo      string    `json:"repo"`
	Branch    string    `json:"branch"`
	TaskList  string    `json:"task_list_id"`
	ShipCount int       `json:"ship_count"`
	CreatedAt time.Time `json:"created_at"`

	Kind     Kind   `json:"kind,omitempty"`
	Name     string `json:"name,omitempty"` // of the plan, or what workers of a pool are called after
	Provider string `json:"provider,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Model    string `json:"model,omitempty"`
	// Version is that of the agent that the voyage was fitted out with.
	Version string `json:"agent_version,omitempty"`
	// Releases are what ships get, by agent, where it is not what ocaptain is tested with and the fleet does not say.
	Releases map[string]packages.Release `json:"agent_releases,omitempty"`
	// Custom is the definition of Agent when it is the captain's own.
	Custom *agent.Custom `json:"custom_agent,omitempty"`
	Fix    int           `json:"fix,omitempty"` // how often a failed verification becomes a task
	// Validators is how many ships review work before it is merged; with none it is merged without.
	Validators int `json:"validators,omitempty"`
	// AskPlan has the captain asked before anybody begins with what an epic was broken down into.
	AskPlan bool `json:"ask_plan,omitempty"`
	SessionSpec
	Base string `json:"base,omitempty"` // commit that the branch began at
	// Beads is how its tasks are issues of Beads.
	Beads Beads `json:"beads,omitzero"`
	// Unconfined says that the captain agreed to agents that no sandbox holds.
	Unconfined bool `json:"unconfined,omitempty"`
	// Reclaim is the silence after which a ship's task goes to another, 0 for never.
	Reclaim time.Duration `json:"reclaim,omitempty"`
	// Check is how often the workers of a pool are looked at, and how long one may commit nothing, 0 for never.
	Check time.Duration `json:"check,omitempty"`
	// Guards watch over what the ships cost.
	Guards Guards `json:"guards,omitzero"`
	// Telemetry is what becomes of what its agents measure of themselves.
	Telemetry Telemetry `json:"telemetry,omitzero"`
	// Search says that its agents are given tools that find code, and Tools which of its own Claude Code has.
	Search bool        `json:"search,omitempty"`
	Tools  agent.Tools `json:"tools,omitzero"`
	// Embeddings is where its code is sent to, so that agents find it by what it means, too.
	Embeddings Embeddings `json:"embeddings,omitzero"`
	// Conversation is what one conversation of Claude Code is about.
	Conversation agent.Conversation `json:"conversation,omitempty"`
	// Sync is SyncLive where hub and ships have one tree, "" where each ship has its own.
	Sync string `json:"sync,omitempty"`
	// Shared is where other hubs share its tasks, nil where none does.
	Shared *Shared `json:"shared,omitempty"`
	// Artifacts are directories of the tree, outside git, that come home from each ship to artifacts/SHIP.
	Artifacts []string `json:"artifacts,omitempty"`

	Extra map[string]json.RawMessage `json:"-"`
}

// FindAgent returns the agent of a ship.
func (v *Voyage) FindAgent(s *Ship) (agent.Agent, error) {
	a, err := agent.Find(s.Agent, v.CustomOf(s))
	return a.At(s.Release), err
}

// CustomOf is the definition of a ship's agent when that is the captain's own, else nil.
func (v *Voyage) CustomOf(s *Ship) *agent.Custom {
	if name, own := v.AgentFor(s.Role); name == s.Agent {
		return own
	}
	return nil
}

// ModelOf is the model that a ship's agent is asked to use, "" for its own choice.
func (v *Voyage) ModelOf(s *Ship) string {
	if name, _ := v.AgentFor(s.Role); s.Model != "" || name != s.Agent {
		return s.Model
	}
	return v.ModelFor(s.Role)
}

// Agents are those of all roles, each once.
func (v *Voyage) Agents() ([]agent.Agent, error) {
	var all []agent.Agent
	for _, role := range []string{Worker, Planner, Validator} {
		name, own := v.AgentFor(role)
		if slices.ContainsFunc(all, func(a agent.Agent) bool { return a.Name == name }) {
			continue
		}
		a, err := agent.Find(name, own)
		if err != nil {
			return nil, err
		}
		all = append(all, a.At(v.Releases[name]))
	}
	return all, nil
}

// The roles of ships.
const (
	Worker  = "worker"
	Planner = "planner" // breaks down what the captain asks for

	// Validator reviews what workers hand in, before it is merged.
	Validator = "validator"
)

// RoleFor is the role of the ships that a task is for, "" for a task that helm itself works on.
func (v *Voyage) RoleFor(t *tasks.State) string {
	switch {
	case t.Approved():
		return ""
	case t.InReview():
		return Validator
	case v.Kind.TakesEpics() && t.Type() == tasks.Epic:
		return Planner
	}
	return Worker
}

// MaxQueue is how much work may wait for review before workers get no new task, by default.
const MaxQueue = 10

// MaxNestedDepth is how many levels of tasks there may be below the tasks of an epic, by default.
const MaxNestedDepth = 2

// Coordinator is who holds the tasks that consist of others. It is a part of helm, and no ship.
const Coordinator = "coordinator-0"

// Captain names the captain where a ship could be named.
const Captain = "captain"

// PoolName is the name of the pool that a voyage is, "" for one of another kind.
func (v Voyage) PoolName() string {
	if !v.Kind.TakesDispatches() {
		return ""
	}
	return v.Name
}

// NewID returns a fresh voyage id: "voyage-" and 12 hex digits.
func NewID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return "voyage-" + hex.EncodeToString(b[:])
}

type voyage Voyage // without methods

// MarshalJSON puts the unknown fields back.
func (v Voyage) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(voyage(v))
	if err != nil || len(v.Extra) == 0 {
		return raw, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for k, x := range v.Extra {
		if _, known := all[k]; !known {
			all[k] = x
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON keeps the fields that it does not know.
func (v *Voyage) UnmarshalJSON(data []byte) error {
	var w voyage
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	if err := json.Unmarshal(data, &w.Extra); err != nil {
		return err
	}
	raw, err := json.Marshal(w)
	if err != nil {
		return err
	}
	var known map[string]json.RawMessage
	if err := json.Unmarshal(raw, &known); err != nil {
		return err
	}
	for k := range known {
		delete(w.Extra, k)
	}
	*v = Voyage(w)
	return nil
}

// Fleet is the file fleet.json: how far the voyage is, and its ships.
type Fleet struct {
	Serial uint64    `json:"serial,omitempty"` // grows with every change that the journal was told of
	Phase  Phase     `json:"phase"`
	Since  time.Time `json:"since,omitzero"`
	Verify Verify    `json:"verify,omitzero"`
	Ships  []*Ship   `json:"ships"`
	Next   int       `json:"next"` // number of the next ship
	// Releases are the releases that new ships get, by agent, where the captain changed his choice.
	Releases map[string]packages.Release `json:"releases,omitempty"`
	// Gone is how long the ships that are gone lasted, by provider.
	Gone map[string]time.Duration `json:"gone,omitempty"`
}

// Phase is how far a voyage is.
type Phase string

// The phases of a voyage.
const (
	Fitting      Phase = "fitting out"   // its first ships are being provisioned
	Sailing      Phase = "sailing"       // agents work
	Verifying    Phase = "verifying"     // all tasks are completed, verify.sh runs
	Complete     Phase = "complete"      // verified
	VerifyFailed Phase = "verify failed" // all tasks completed, but verify.sh failed
	Sinking      Phase = "sinking"       // its ships are being destroyed
	Sunk         Phase = "sunk"          // no ship is left
)

// IsOver reports whether agents have nothing more to do in this phase.
func (p Phase) IsOver() bool {
	return p == Complete || p == VerifyFailed || p == Sinking || p == Sunk
}

// Verify is what came of the last run of verify.sh.
type Verify struct {
	Runs   int       `json:"runs"`
	Fixes  int       `json:"fixes,omitempty"` // tasks added because it failed
	Passed bool      `json:"passed"`
	Commit string    `json:"commit"`
	Ship   string    `json:"ship"` // where it ran
	At     time.Time `json:"at"`
	Output string    `json:"output,omitempty"` // the last 64 KiB
}

// LastLine is the last line of the output that says something.
func (v *Verify) LastLine() string {
	s := strings.TrimSpace(v.Output)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// Ship is a machine with an agent on it.
type Ship struct {
	Name     string           `json:"name"` // ship-0, ship-1, …
	Number   int              `json:"number"`
	Role     string           `json:"role"`
	Agent    string           `json:"agent"`
	Release  packages.Release `json:"release,omitzero"`  // of the agent, as in Voyage.Releases
	Model    string           `json:"model,omitempty"`   // that the captain chose for it, "" for that of its role
	Version  string           `json:"version,omitempty"` // of the agent, as it told when the ship was fitted out
	Provider string           `json:"provider"`
	Machine  provider.Machine `json:"machine"`
	HostKey  string           `json:"hostKey,omitempty"` // pinned when it was provisioned
	Home     string           `json:"home,omitempty"`    // of the user on the machine
	OS       string           `json:"os,omitempty"`
	Arch     string           `json:"arch,omitempty"`
	Built    int              `json:"built"` // how many machines it has had, counting this one
	Phase    ShipPhase        `json:"phase"`
	Again    bool             `json:"again,omitempty"` // while it is destroyed: a new machine follows
	Step     string           `json:"step,omitempty"`  // of provisioning: running, or failed
	StepAt   time.Time        `json:"stepAt,omitzero"` // when that began
	Waits    string           `json:"waits,omitempty"` // why it has not got on, "" when it does
	Steps    []Step           `json:"steps,omitempty"` // done, in order
	Error    string           `json:"error,omitempty"`
	Output   string           `json:"output,omitempty"` // what programs of the step that failed printed, its end
	Created  time.Time        `json:"created,omitzero"`
	Draining bool             `json:"draining,omitempty"` // it gets no new tasks, and goes when it holds none
	Open     string           `json:"open,omitempty"`     // what checks that run on it reach although they should not
	Past     *Past            `json:"past,omitempty"`     // what the machine before this one left behind
	Tailnet  *Tailnet         `json:"tailnet,omitempty"`  // where it is in the captain's tailnet, nil when it is not
	Worked   time.Time        `json:"worked,omitzero"`    // when its agent was last seen at work, by helm's clock
	Idle     time.Duration    `json:"idle,omitempty"`     // for how long helm has seen it do nothing since
	// Stays is why the machine of a failed ship may still be there. Helm goes on trying to destroy it.
	Stays   string    `json:"stays,omitempty"`
	StaysAt time.Time `json:"staysAt,omitzero"` // since when its machine is to go and does not
	Denied  bool      `json:"denied,omitempty"` // the provider denies the login with which helm would destroy the machine
}

// Step is a finished step of provisioning.
type Step struct {
	Name string        `json:"name"`
	Took time.Duration `json:"took"`
}

// ShipPhase is how far a ship is.
type ShipPhase string

// The phases of a ship.
const (
	Planned      ShipPhase = "planned"
	Provisioning ShipPhase = "provisioning"
	Afloat       ShipPhase = "afloat" // provisioned, its agent launched
	Failed       ShipPhase = "failed" // provisioning did not succeed; no machine is left, unless Stays says so
	Going        ShipPhase = "going"  // being destroyed
)

// MachineName is what the ship's machine is called at its provider. It never ends
// in "-<digits>", which exe.dev refuses.
func (s *Ship) MachineName(voyage string) string {
	if s.Built > 1 {
		return fmt.Sprintf("%s-ship%dr%d", voyage, s.Number, s.Built-1)
	}
	return fmt.Sprintf("%s-ship%d", voyage, s.Number)
}

// ShipNamed returns the ship of that name, or nil.
func (f *Fleet) ShipNamed(name string) *Ship {
	for _, s := range f.Ships {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Roles are those of the ships that there are.
func (f *Fleet) Roles() []string {
	roles := make([]string, len(f.Ships))
	for i, s := range f.Ships {
		roles[i] = s.Role
	}
	return roles
}

// ReleaseOf is what ships get of an agent that are made now.
func (f *Fleet) ReleaseOf(v *Voyage, agent string) packages.Release {
	if r, ok := f.Releases[agent]; ok {
		return r
	}
	return v.Releases[agent]
}

// Save writes voyage.json.
func (v Voyage) Save(d Dir) error { return Save(d.Voyage(), v, 0o600) }

// Save writes fleet.json.
func (f *Fleet) Save(d Dir) error { return Save(d.FleetFile(), f, 0o600) }
