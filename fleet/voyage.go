// Package fleet holds the nouns of a voyage: the voyage and its ships as they are stored on disk, and what is known
// of each ship.
//
// It defines these words:
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
//   - aboard: the part of ocaptain that runs on a ship
//   - board: everything that is known of a voyage at one moment
//   - sail: to make the machines of a voyage and start its agents
//   - sink: to destroy the machines of a voyage or of one ship
//   - steering: files that tell agents or tools what to do
//   - trial: a run of a version of an agent on the hub, before ships get it
//   - orphan: a machine that may cost money and that belongs to no voyage
package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
)

// Voyage is one run of agents: the content of voyage.json. The first seven fields are those of the original program;
// unknown fields are kept.
type Voyage struct {
	ID        string    `json:"id"`
	Prompt    string    `json:"prompt"` // the objective
	Repo      string    `json:"repo"`
	Branch    string    `json:"branch"`
	TaskList  string    `json:"task_list_id"`
	ShipCount int       `json:"ship_count"`
	CreatedAt time.Time `json:"created_at"`

	Kind     Kind   `json:"kind,omitempty"`
	Name     string `json:"name,omitempty"` // the plan's name, or the first part of the names of a pool's workers
	Provider string `json:"provider,omitempty"`
	AgentChoice
	Fix int `json:"fix,omitempty"` // how many failed verifications may become a task
	// Validators is how many ships review work before it is merged. If it is 0, work is merged without a review.
	Validators int `json:"validators,omitempty"`
	// AskPlan says that the captain has to approve the tasks of an epic before ships get them.
	AskPlan bool `json:"ask_plan,omitempty"`
	SessionSpec
	Base string `json:"base,omitempty"` // the commit at which the branch begins
	// Beads says how the voyage writes its tasks as issues of Beads.
	Beads Beads `json:"beads,omitzero"`
	// Unconfined says that the captain agreed to agents without a sandbox.
	Unconfined bool `json:"unconfined,omitempty"`
	// Reclaim is how long a ship may be silent before its task goes to another ship, 0 for any time.
	Reclaim time.Duration `json:"reclaim,omitempty"`
	// Check is how often helm looks at the workers of a pool, and how long a worker may commit nothing; 0 for never.
	Check time.Duration `json:"check,omitempty"`
	// Guards limit what the ships may cost and do.
	Guards Guards `json:"guards,omitzero"`
	// Telemetry says what happens to the measurements of the agents.
	Telemetry Telemetry `json:"telemetry,omitzero"`
	AgentTools
	Trees

	Extra map[string]json.RawMessage `json:"-"`
}

// AgentChoice is the agent of a voyage. A role may have another; see AgentFor.
type AgentChoice struct {
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
	// Version is the version of the agent that the voyage was provisioned with.
	Version string `json:"agent_version,omitempty"`
	// Releases are the releases of agents that ships get, by agent. An agent without an entry has the release that
	// ocaptain is tested with. The fleet's Releases go first.
	Releases map[string]packages.Release `json:"agent_releases,omitempty"`
	// Custom is the definition of Agent if the captain has defined it himself.
	Custom *agent.Custom `json:"custom_agent,omitempty"`
}

// AgentTools are what the agents of a voyage work with.
type AgentTools struct {
	Search bool        `json:"search,omitempty"` // agents get tools that search code
	Tools  agent.Tools `json:"tools,omitzero"`   // which of its own tools Claude Code has
	// Embeddings says which service gets the code, so that agents can search it by meaning.
	Embeddings Embeddings `json:"embeddings,omitzero"`
	// Conversation says how much one conversation of Claude Code covers.
	Conversation agent.Conversation `json:"conversation,omitempty"`
}

// Trees says what a voyage's ships share with the hub beside git.
type Trees struct {
	// Sync is SyncLive if hub and ships share one tree, and "" if each ship has its own.
	Sync string `json:"sync,omitempty"`
	// Shared says where other hubs share the tasks, nil if none does.
	Shared *Shared `json:"shared,omitempty"`
	// Artifacts are directories of the ship's tree, outside git, that are copied home to artifacts/SHIP.
	Artifacts []string `json:"artifacts,omitempty"`
}

// FindAgent returns the agent of a ship, in the release that the ship has.
func (v *Voyage) FindAgent(s *Ship) (agent.Agent, error) {
	a, err := agent.Find(s.Agent, v.CustomOf(s))
	return a.At(s.Release), err
}

// AgentOf returns what is known of a ship's agent, the zero Agent with its name for an unknown one.
func (v *Voyage) AgentOf(s *Ship) agent.Agent {
	a, err := v.FindAgent(s)
	if err != nil {
		return agent.Agent{Name: s.Agent}
	}
	return a
}

// CustomOf returns the definition of a ship's agent if the captain has defined it himself, else nil.
func (v *Voyage) CustomOf(s *Ship) *agent.Custom {
	if name, own := v.AgentFor(s.Role); name == s.Agent {
		return own
	}
	return nil
}

// ModelOf returns the model that a ship's agent is told to use, "" for its own choice.
func (v *Voyage) ModelOf(s *Ship) string {
	if name, _ := v.AgentFor(s.Role); s.Model != "" || name != s.Agent {
		return s.Model
	}
	return v.ModelFor(s.Role)
}

// Agents returns the agents of all roles, each once.
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
	Planner = "planner" // decomposes what the captain asks for

	// Validator is the role that reviews work before it is merged.
	Validator = "validator"
)

// RoleFor returns the role of the ships that may do a task, "" for a task that helm itself does.
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

// MaxQueue is the default number of tasks that may wait for review before workers get no new task.
const MaxQueue = 10

// MaxNestedDepth is the default number of levels of tasks below the tasks of an epic.
const MaxNestedDepth = 2

// Coordinator is the owner of tasks that consist of other tasks. It is a part of helm, and no ship.
const Coordinator = "coordinator-0"

// Captain stands for the captain where texts name a ship.
const Captain = "captain"

// PoolName returns the name of the pool, "" for a voyage of another kind.
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

// MarshalJSON writes the fields of v, and the unknown fields of the file that v came from.
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

// UnmarshalJSON reads a voyage, and keeps unknown fields in Extra.
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

// Fleet is the content of fleet.json: the phase of a voyage, and its ships.
type Fleet struct {
	Serial uint64    `json:"serial,omitempty"` // grows with every change that was recorded in the journal
	Phase  Phase     `json:"phase"`
	Since  time.Time `json:"since,omitzero"`
	Verify Verify    `json:"verify,omitzero"`
	Ships  []*Ship   `json:"ships"`
	Next   int       `json:"next"` // the number of the next new ship
	// Releases are the releases that new ships get, by agent, if the captain has changed them since the voyage sailed.
	Releases map[string]packages.Release `json:"releases,omitempty"`
	// Gone is the total lifetime of the ships that are gone, by provider.
	Gone map[string]time.Duration `json:"gone,omitempty"`
}

// Phase says how far a voyage is.
type Phase string

// The phases of a voyage.
const (
	Fitting      Phase = "provisioning"  // its first ships are being provisioned
	Sailing      Phase = "sailing"       // agents work
	Verifying    Phase = "verifying"     // all tasks are completed, verify.sh runs
	Complete     Phase = "complete"      // verified
	VerifyFailed Phase = "verify failed" // all tasks are completed, but verify.sh failed
	Sinking      Phase = "sinking"       // its ships are being destroyed
	Sunk         Phase = "sunk"          // no ship is left
)

// IsOver reports whether agents have nothing left to do in this phase.
func (p Phase) IsOver() bool {
	return p == Complete || p == VerifyFailed || p == Sinking || p == Sunk
}

// Verify is the result of the last run of verify.sh.
type Verify struct {
	Runs   int       `json:"runs"`
	Fixes  int       `json:"fixes,omitempty"` // how many tasks were added because verify.sh failed
	Passed bool      `json:"passed"`
	Commit string    `json:"commit"`
	Ship   string    `json:"ship"` // the ship that it ran on
	At     time.Time `json:"at"`
	Output string    `json:"output,omitempty"` // the last 64 KiB of its output
}

// LastLine returns the last line of the output that is not blank.
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
	Release  packages.Release `json:"release,omitzero"`  // the release of its agent, in the meaning of Voyage.Releases
	Model    string           `json:"model,omitempty"`   // the model that the captain chose for it, "" for that of its role
	Version  string           `json:"version,omitempty"` // the version that its agent reported during provisioning
	Provider string           `json:"provider"`
	Machine  provider.Machine `json:"machine"`
	HostKey  string           `json:"hostKey,omitempty"` // pinned when it was provisioned
	Home     string           `json:"home,omitempty"`    // the home directory of its user
	OS       string           `json:"os,omitempty"`
	Arch     string           `json:"arch,omitempty"`
	Built    int              `json:"built"` // how many machines it has had, counting this one
	Phase    ShipPhase        `json:"phase"`
	Again    bool             `json:"again,omitempty"` // it is being destroyed to get a new machine
	Setup
	Created  time.Time     `json:"created,omitzero"`
	Draining bool          `json:"draining,omitempty"` // it gets no new tasks, and is sunk once it holds none
	Open     string        `json:"open,omitempty"`     // what checks that run on it can reach although they should not
	Past     *Past         `json:"past,omitempty"`     // what its last machine left behind
	Tailnet  *Tailnet      `json:"tailnet,omitempty"`  // its address in the captain's tailnet, nil for none
	Worked   time.Time     `json:"worked,omitzero"`    // when helm last saw its agent at work, by helm's clock
	Idle     time.Duration `json:"idle,omitempty"`     // for how long helm has seen it idle since then
	Remains
}

// Setup is how far the provisioning of a ship is.
type Setup struct {
	Step   string    `json:"step,omitempty"`  // the step that runs or has failed
	StepAt time.Time `json:"stepAt,omitzero"` // when Step began
	Waits  string    `json:"waits,omitempty"` // why Step makes no progress, "" when it does
	Steps  []Step    `json:"steps,omitempty"` // the finished steps, in order
	Error  string    `json:"error,omitempty"`
	Output string    `json:"output,omitempty"` // the end of what the failed step's programs printed
}

// Remains is the machine of a failed ship, as long as it may still exist. Helm goes on trying to destroy it.
type Remains struct {
	Stays   string    `json:"stays,omitempty"`  // why it may still exist
	StaysAt time.Time `json:"staysAt,omitzero"` // since when helm has failed to destroy it
	Denied  bool      `json:"denied,omitempty"` // the provider refuses the login with which helm would destroy it
}

// Step is a finished step of provisioning.
type Step struct {
	Name string        `json:"name"`
	Took time.Duration `json:"took"`
}

// ShipPhase says how far a ship is.
type ShipPhase string

// The phases of a ship.
const (
	Planned      ShipPhase = "planned"
	Provisioning ShipPhase = "provisioning"
	Afloat       ShipPhase = "afloat" // provisioned, its agent launched
	Failed       ShipPhase = "failed" // provisioning has failed; no machine is left, unless Stays is set
	Going        ShipPhase = "going"  // being destroyed
)

// ShipNamed returns the ship with that name, or nil.
func (f *Fleet) ShipNamed(name string) *Ship {
	for _, s := range f.Ships {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// ReleaseOf returns the release of an agent that a new ship gets.
func (f *Fleet) ReleaseOf(v *Voyage, agent string) packages.Release {
	if r, ok := f.Releases[agent]; ok {
		return r
	}
	return v.Releases[agent]
}

// Save writes voyage.json.
func (v Voyage) Save(d Dir) error { return summed.Write(d.Voyage(), v, 0o600) }

// Save writes fleet.json.
func (f *Fleet) Save(d Dir) error { return summed.Write(d.FleetFile(), f, 0o600) }
