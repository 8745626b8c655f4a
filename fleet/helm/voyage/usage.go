package voyage

import (
	"encoding/json"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
)

// takeUsage takes over a record of a ship's usage. What is restored from the log counts only
// if it is of the journal that the log ends with: the lines before may be of a machine that is
// gone and long part of the past. The caller holds v.mu.
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
