package facts

import (
	"time"

	"ocaptain/fleet"
)

// Refusals is what became of the last completion of a ship that was refused, and of the conflicts of its work. Each is about one claim.
type Refusals struct {
	vetoed  string // the claim, and why
	veto    string
	clashed string // the claim
	clash   fleet.Clash
}

// Veto notes why a completion of the claim was refused.
func (r *Refusals) Veto(claim, why string) { r.vetoed, r.veto = claim, why }

// VetoOf returns why the last completion of the claim was refused, "" if none was.
func (r *Refusals) VetoOf(claim string) string {
	if r.vetoed != claim {
		return ""
	}
	return r.veto
}

// Clash notes that the work of the claim did not merge.
func (r *Refusals) Clash(now time.Time, claim string, paths []string) {
	if r.clashed != claim {
		r.clashed, r.clash = claim, fleet.Clash{Since: now}
	}
	r.clash.Tries++
	r.clash.Paths = paths
}

// ClashOf returns the conflicts in a row of the claim, if there are any.
func (r *Refusals) ClashOf(claim string) (fleet.Clash, bool) {
	if r.clashed != claim {
		return fleet.Clash{}, false
	}
	return r.clash, true
}
