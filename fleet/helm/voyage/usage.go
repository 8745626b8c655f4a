package voyage

import (
	"encoding/json"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
)

// takeUsage takes a record of a ship's usage. A restored record counts only if it is of the journal with which the log ends: earlier lines may
// be of a machine that is gone, whose usage was counted long ago. The caller holds v.mu.
func (s *Ship) takeUsage(l fleet.LogLine) {
	if s.restoring && (s.logs == nil || l.Journal != s.logs.Journal()) {
		return
	}
	var told proto.Usage
	if json.Unmarshal(l.Data, &told) != nil {
		return
	}
	s.Uses(l.At, func(u *facts.Used) { u.AddReport(s.Record().Built, l.Journal, told) })
	s.countTurns()
}
