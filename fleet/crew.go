package fleet

import (
	"cmp"

	"ocaptain/fleet/agent"
)

// SessionSpec is how a session is manned, and what bounds it. What is left out is as in any other.
type SessionSpec struct {
	Planners int `json:"planners,omitempty"` // how many ships break down what the captain asks for
	// MaxQueue is how much work may wait for review before workers get no new task.
	MaxQueue int `json:"max_queue,omitempty"`
	// MaxNestedDepth is how many levels of tasks there may be below those of an epic.
	MaxNestedDepth *int                `json:"max_nested_depth,omitempty"`
	Roles          map[string]RoleSpec `json:"roles,omitempty"` // by role
	// Unchecked says that the captain gave no command that checks work: verify.sh is there, and does nothing.
	Unchecked bool `json:"unchecked,omitempty"`
	Forgetful bool `json:"forgetful,omitempty"` // what validators find out is not kept in docs/discoveries
}

// RoleSpec is what ships of a role have that others have not.
type RoleSpec struct {
	Agent  string        `json:"agent,omitempty"` // "" for that of all
	Custom *agent.Custom `json:"custom_agent,omitempty"`
	Model  string        `json:"model,omitempty"` // "" for that of all, unless the agent is another one
	// MaxTurns is how many answers of its model an agent may take for a task, before it is interrupted and goes on later.
	MaxTurns int `json:"max_turns,omitempty"`
}

// UsualTurns are those of a session that says nothing of them.
var UsualTurns = map[string]int{Planner: 35, Worker: 50, Validator: 15}

// MaxTurns is how many turns agents of a role may take for a task, 0 for any number.
func (v *Voyage) MaxTurns(role string) int {
	if !v.Kind.TakesEpics() {
		return 0
	}
	return cmp.Or(v.Roles[role].MaxTurns, UsualTurns[role])
}

// ModelFor is the model that agents of a role are asked to use, "" for their own choice.
func (v *Voyage) ModelFor(role string) string {
	if r := v.Roles[role]; r.Model != "" || r.Agent != "" && r.Agent != v.Agent {
		return r.Model
	}
	return v.Model
}

// AgentFor is the agent of a role, with its definition when that is the captain's own.
func (v *Voyage) AgentFor(role string) (string, *agent.Custom) {
	if r := v.Roles[role]; r.Agent != "" {
		return r.Agent, r.Custom
	}
	return v.Agent, v.Custom
}
