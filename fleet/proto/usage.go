package proto

import (
	"maps"

	"ocaptain/fleet/agent/agentlog"
)

// Usage is what a ship's agent has used since the ship's machine was made. It only grows.
type Usage struct {
	Turn     int                        `json:"turn,omitempty"`     // answers of the agent itself
	Messages int                        `json:"messages,omitempty"` // answers, including those of its subagents
	Models   map[string]agentlog.Tokens `json:"models,omitempty"`
	CostUSD  float64                    `json:"costUSD,omitempty"` // according to the agent; 0 if unknown

	Conversation Conversation `json:"conversation,omitzero"` // the current conversation
}

// Conversation is the size of an agent's conversation.
type Conversation struct {
	Tokens int64 `json:"tokens,omitempty"` // input tokens of the newest answer
	Window int64 `json:"window,omitempty"` // how many tokens the model accepts, 0 if unknown
}

// Percent returns how full the model's window is, 0 if unknown.
func (c Conversation) Percent() int {
	if c.Window <= 0 || c.Tokens <= 0 {
		return 0
	}
	return int(min(100, 100*float64(c.Tokens)/float64(c.Window)))
}

// Allowance is what the agent of a ship may cost while helm is away.
type Allowance struct {
	Bounded bool    `json:"bounded"`
	USD     float64 `json:"usd"`            // the limit in all, counted as in Usage
	Stop    bool    `json:"stop,omitempty"` // interrupt the agent at the limit; otherwise it ends its turn, and begins no other
}

// Clone returns a copy that shares no memory with u.
func (u Usage) Clone() Usage {
	u.Models = maps.Clone(u.Models)
	return u
}

// Equal reports whether u and o have the same usage. It ignores the size of the conversation, which changes with each answer and
// would delay the report of the next one.
func (u Usage) Equal(o Usage) bool {
	return u.Turn == o.Turn && u.Messages == o.Messages && u.CostUSD == o.CostUSD && maps.Equal(u.Models, o.Models)
}
