package voyage

import (
	"encoding/json"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
)

// takeUsage applies a record of a ship's usage. A restored record counts only if it comes from the last journal in
// the log: earlier lines may come from a former machine, whose usage was counted long ago. The caller holds v.mu.
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
