package shipdir

import (
	"os"

	"ocaptain/fleet/proto"
)

// LostClaim is the file that tells of a claim which this ship has lost, until its agent begins
// something else.
type LostClaim struct {
	proto.Claim
	Text string `json:"text"` // what the agent is told
}

// LoadLost returns the lost claim that the agent may not know of yet.
func LoadLost(h Dir) (LostClaim, bool) {
	var l LostClaim
	return l, ReadJSON(h.Lost(), &l) == nil && l.Task != ""
}

// ForgetLost is for an agent that knows.
func ForgetLost(h Dir) { _ = os.Remove(h.Lost()) }

// ClaimOf returns the claim by which the ship holds a task, without an epoch when its file tells of none.
func ClaimOf(h Dir, task string) proto.Claim {
	var c proto.Claim
	if ReadJSON(h.Claim(), &c) != nil || c.Task != task {
		return proto.Claim{Task: task}
	}
	return c
}
