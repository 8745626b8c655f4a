package hook

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/transcript"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// statusLine records the cost and the length of the conversation. It prints what the ship does, as a line for an attached captain.
func (k *call) statusLine(ctx context.Context) outcome {
	var cost struct {
		USD *float64 `json:"total_cost_usd"`
	}
	if json.Unmarshal(k.in.Cost, &cost) == nil && cost.USD != nil && k.in.Session != "" {
		var window struct {
			Tokens int64 `json:"total_input_tokens"`
			Window int64 `json:"context_window_size"`
		}
		_ = json.Unmarshal(k.in.Context, &window) // some versions do not send it
		transcript.Spend(ctx, k.home, transcript.Told{Session: k.in.Session, File: k.in.File, USD: *cost.USD, Conversation: proto.Conversation(window)})
	}
	words := []string{k.ship.Name, k.ship.Voyage}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	var h shipdir.Held
	if shipdir.AskOnce(ctx, k.home, shipdir.MethodHeld, shipdir.HeldRequest{}, &h) == nil && len(h.Tasks) > 0 {
		words = []string{k.ship.Name, "task " + shipdir.JoinIDs(h.Tasks), k.ship.Voyage}
	}
	return outcome{stdout: strings.Join(words, " · ") + "\n"}
}

// transcribed reports whether ocaptain reads the agent's words and tool calls from transcripts, so that hooks need
// not log them.
func (k *call) transcribed() bool {
	a, err := agent.Find(k.ship.Agent, k.ship.Custom)
	return err == nil && a.Transcript != nil
}
