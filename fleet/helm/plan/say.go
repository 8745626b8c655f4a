package plan

import (
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
)

// Offer tells an agent that waits of tasks that are ready, best first.
func (Plan) Offer(ready []string) proto.Verdict {
	return proto.Verdict{Act: proto.ActClaim, Ready: ready[:min(len(ready), kind.MostTold)]}
}
