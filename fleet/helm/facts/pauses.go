package facts

import (
	"time"

	"ocaptain/fleet"
)

// Pauses are the captain's pauses, by ship; the key "" is for the whole voyage. A nil Pause has ended.
type Pauses map[string]*fleet.Pause

// Paused says that a pause begins or, if Pause is nil, that it ends.
type Paused struct {
	Ship  string       `json:"ship,omitempty"` // "" for the whole voyage
	Pause *fleet.Pause `json:"pause,omitempty"`
}

// Set records that a pause begins or ends.
func (p *Pauses) Set(is Paused) { set((*map[string]*fleet.Pause)(p), is.Ship, is.Pause) }

// Over lists the pauses that have ended by themselves.
func (p Pauses) Over(now time.Time) (ships []string) {
	for ship, is := range p {
		if is != nil && is.IsOver(now) {
			ships = append(ships, ship)
		}
	}
	return ships
}

// Forget drops the pauses of ships that are gone.
func (p Pauses) Forget(there map[string]bool) {
	for ship := range p {
		if ship != "" && !there[ship] {
			delete(p, ship)
		}
	}
}

// Records lists the journal records from which the pauses are restored.
func (p Pauses) Records() (all []Record) {
	for ship, is := range p {
		all = append(all, Record{Kind: KindPause, Data: Paused{ship, is}})
	}
	return all
}
