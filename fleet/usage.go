package fleet

import (
	"maps"

	"ocaptain/fleet/agent/agentlog"
)

// Usage is what agents have used: the agents of a ship, on all its machines so far, or of a voyage.
// Agents count their own tokens and report their own cost; a number that no agent reports is 0.
type Usage struct {
	Messages int64 `json:"messages,omitempty"` // answers of the model
	agentlog.Tokens
	CostUSD float64                    `json:"costUSD,omitempty"` // US dollars
	Models  map[string]agentlog.Tokens `json:"models,omitempty"`
}

// Add returns the sum of both.
func (u Usage) Add(o Usage) Usage {
	sum := Usage{Messages: u.Messages + o.Messages, Tokens: u.Tokens.Add(o.Tokens), CostUSD: u.CostUSD + o.CostUSD}
	if len(u.Models)+len(o.Models) > 0 {
		sum.Models = make(map[string]agentlog.Tokens, len(u.Models))
		maps.Copy(sum.Models, u.Models)
		for name, t := range o.Models {
			sum.Models[name] = sum.Models[name].Add(t)
		}
	}
	return sum
}
