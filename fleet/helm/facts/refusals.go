package facts

import (
	"time"

	"ocaptain/fleet"
)

// Refusals holds the last refused completion of a ship, and the conflicts of its work. Each belongs to one claim.
type Refusals struct {
	vetoed  string // the claim, and why its completion was refused
	veto    string
	clashed string // the claim whose work conflicted
	clash   fleet.Clash
}

// Veto records why a completion of the claim was refused.
func (r *Refusals) Veto(claim, why string) { r.vetoed, r.veto = claim, why }

// VetoOf returns why the last completion of the claim was refused, "" if none was.
func (r Refusals) VetoOf(claim string) string {
	if r.vetoed != claim {
		return ""
	}
	return r.veto
}

// Clash records that the work of the claim conflicted with the branch.
func (r *Refusals) Clash(now time.Time, claim string, paths []string) {
	if r.clashed != claim {
		r.clashed, r.clash = claim, fleet.Clash{Since: now}
	}
	r.clash.Tries++
	r.clash.Paths = paths
}

// ClashOf returns the conflicts in a row of the claim, and false if there are none.
func (r Refusals) ClashOf(claim string) (fleet.Clash, bool) {
	if r.clashed != claim {
		return fleet.Clash{}, false
	}
	return r.clash, true
}
