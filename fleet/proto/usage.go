package proto

import (
	"maps"

	"ocaptain/fleet/agent"
)

// Usage is what the agent of a ship has used since the ship was made. It only grows.
type Usage struct {
	Turn     int                     `json:"turn,omitempty"`     // answers of the agent itself
	Messages int                     `json:"messages,omitempty"` // answers, its subagents' too
	Models   map[string]agent.Tokens `json:"models,omitempty"`
	CostUSD  float64                 `json:"costUSD,omitempty"` // as the agent tells it; 0 when it does not
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

// Equal reports whether the two say the same.
func (u Usage) Equal(o Usage) bool {
	return u.Turn == o.Turn && u.Messages == o.Messages && u.CostUSD == o.CostUSD && maps.Equal(u.Models, o.Models)
}
