package proto

import (
	"maps"

	"ocaptain/fleet/agent/agentlog"
)

// Usage is what the agent of a ship has used since the ship was made. It only grows.
type Usage struct {
	Turn     int                        `json:"turn,omitempty"`     // answers of the agent itself
	Messages int                        `json:"messages,omitempty"` // answers, its subagents' too
	Models   map[string]agentlog.Tokens `json:"models,omitempty"`
	CostUSD  float64                    `json:"costUSD,omitempty"` // as the agent tells it; 0 when it does not

	Conversation Conversation `json:"conversation,omitzero"` // that is under way
}

// Conversation is how long an agent's conversation is.
type Conversation struct {
	Tokens int64 `json:"tokens,omitempty"` // that the newest answer was asked with
	Window int64 `json:"window,omitempty"` // tokens that the model takes at most, 0 for not known
}

// Percent is how full the model's window is, 0 when that is not known.
func (c Conversation) Percent() int {
	if c.Window <= 0 || c.Tokens <= 0 {
		return 0
	}
	return int(min(100, 100*float64(c.Tokens)/float64(c.Window)))
}

// Allowance is what the agent of a ship may cost while helm is away.
type Allowance struct {
	Bounded bool    `json:"bounded"`
	USD     float64 `json:"usd"`            // in all, as Usage counts it
	Stop    bool    `json:"stop,omitempty"` // it is interrupted then; else it ends its turn, and begins no other
}

// Clone returns a copy that shares nothing.
func (u Usage) Clone() Usage {
	u.Models = maps.Clone(u.Models)
	return u
}

// Equal reports whether both say the same of what was used. It leaves out the length of the conversation: that changes with each
// answer, and alone it would delay the report of the next one.
func (u Usage) Equal(o Usage) bool {
	return u.Turn == o.Turn && u.Messages == o.Messages && u.CostUSD == o.CostUSD && maps.Equal(u.Models, o.Models)
}
