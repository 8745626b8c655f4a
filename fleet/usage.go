package fleet

import (
	"maps"

	"ocaptain/fleet/agent/agentlog"
)

// Usage is what agents have used: those of one ship, on all its machines so far, or all of a voyage. Agents count
// their own tokens and report their own cost; a number that no agent reports is 0.
type Usage struct {
	Messages int64 `json:"messages,omitempty"` // the number of the model's answers
	agentlog.Tokens
	CostUSD float64                    `json:"costUSD,omitempty"` // US dollars
	Models  map[string]agentlog.Tokens `json:"models,omitempty"`
}

// Add returns the sum of u and o.
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
