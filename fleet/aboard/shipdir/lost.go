package shipdir

import (
	"os"

	"ocaptain/fleet/proto"
)

// LostClaim is the file about a claim that this ship has lost. It exists until the agent knows.
type LostClaim struct {
	proto.Claim
	Text string `json:"text"` // what to tell the agent
}

// LoadLost returns the lost claim that the agent may not know of yet, or false if there is none.
func LoadLost(h Dir) (LostClaim, bool) {
	var l LostClaim
	return l, ReadJSON(h.Lost(), &l) == nil && l.Task != ""
}

// ForgetLost removes the lost claim: the agent knows of it.
func ForgetLost(h Dir) { _ = os.Remove(h.Lost()) }

// ClaimOf returns the ship's claim on a task. The epoch is 0 if the file names no such claim.
func ClaimOf(h Dir, task string) proto.Claim {
	var c proto.Claim
	if ReadJSON(h.Claim(), &c) != nil || c.Task != task {
		return proto.Claim{Task: task}
	}
	return c
}
