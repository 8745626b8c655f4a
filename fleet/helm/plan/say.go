package plan

import (
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
)

// Offer returns the verdict that tells a waiting agent of ready tasks, the best first.
func (Plan) Offer(ready []string) proto.Verdict {
	return proto.Verdict{Act: proto.ActClaim, Ready: ready[:min(len(ready), kind.MostTold)]}
}
