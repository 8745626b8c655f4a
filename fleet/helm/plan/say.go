package plan

import (
	"fmt"
	"strings"

	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
)

// Offer tells an agent that waits of tasks that are ready, best first.
func (Plan) Offer(ready []string) proto.Verdict {
	return proto.Verdict{Act: proto.ActClaim, Ready: ready[:min(len(ready), kind.MostTold)]}
}

// Call says in words what an agent that does not wait any more should do.
func (Plan) Call(v proto.Verdict) string {
	if v.Act == proto.ActContinue {
		return fmt.Sprintf("You still hold task %s: go on with it, or give it back if you cannot do it.", v.Held)
	}
	return fmt.Sprintf("There is work again. These tasks are ready: %s. Claim one, then do it.", strings.Join(v.Ready, ", "))
}
