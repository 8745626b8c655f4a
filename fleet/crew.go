package fleet

import (
	"cmp"

	"ocaptain/fleet/agent"
)

// SessionSpec says which ships a session has and what limits it. A zero field means the default.
type SessionSpec struct {
	Planners int `json:"planners,omitempty"` // how many ships decompose what the captain asks for
	// MaxQueue is how many tasks may wait for review before workers get no new task.
	MaxQueue int `json:"max_queue,omitempty"`
	// MaxNestedDepth is how many levels of tasks there may be below the tasks of an epic.
	MaxNestedDepth *int                `json:"max_nested_depth,omitempty"`
	Roles          map[string]RoleSpec `json:"roles,omitempty"` // by role
	// Unchecked says that the captain gave no command that checks work: verify.sh exists but checks nothing.
	Unchecked bool `json:"unchecked,omitempty"`
	Forgetful bool `json:"forgetful,omitempty"` // do not keep what validators find out in docs/discoveries
}

// RoleSpec says what ships of a role have that differs from other ships.
type RoleSpec struct {
	Agent  string        `json:"agent,omitempty"` // "" for the agent of the voyage
	Custom *agent.Custom `json:"custom_agent,omitempty"`
	Model  string        `json:"model,omitempty"` // "" for the model of the voyage, unless the agent is a different one
	// MaxTurns is how many answers the model may give on a task before helm interrupts the agent, which continues the
	// task later.
	MaxTurns int `json:"max_turns,omitempty"`
}

// UsualTurns are the values of MaxTurns, by role, in a session that sets none.
var UsualTurns = map[string]int{Planner: 35, Worker: 50, Validator: 15}

// MaxTurns returns how many turns an agent of a role may take on a task, 0 for any number.
func (v *Voyage) MaxTurns(role string) int {
	if !v.Kind.TakesEpics() {
		return 0
	}
	return cmp.Or(v.Roles[role].MaxTurns, UsualTurns[role])
}

// ModelFor returns the model that agents of a role are told to use, "" for their own choice.
func (v *Voyage) ModelFor(role string) string {
	if r := v.Roles[role]; r.Model != "" || r.Agent != "" && r.Agent != v.Agent {
		return r.Model
	}
	return v.Model
}

// AgentFor returns the name of the agent of a role, and its definition if the captain has defined it himself.
func (v *Voyage) AgentFor(role string) (string, *agent.Custom) {
	if r := v.Roles[role]; r.Agent != "" {
		return r.Agent, r.Custom
	}
	return v.Agent, v.Custom
}

// Roles returns the roles of all ships.
func (f *Fleet) Roles() []string {
	roles := make([]string, len(f.Ships))
	for i, s := range f.Ships {
		roles[i] = s.Role
	}
	return roles
}
