package facts

import (
	"time"

	"ocaptain/fleet"
)

// Pauses are the captain's pauses, by ship; "" is the whole voyage, and nil a pause that is over. The zero value has none.
type Pauses map[string]*fleet.Pause

// Paused says that a pause begins, or with nil that it is over.
type Paused struct {
	Ship  string       `json:"ship,omitempty"` // "" for the whole voyage
	Pause *fleet.Pause `json:"pause,omitempty"`
}

// Set takes in that a pause begins or is over.
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

// forget drops the pauses of ships that are gone.
func (p Pauses) forget(there map[string]bool) {
	for ship := range p {
		if ship != "" && !there[ship] {
			delete(p, ship)
		}
	}
}

func (p Pauses) records() (all []Record) {
	for ship, is := range p {
		all = append(all, Record{Kind: KindPause, Data: Paused{ship, is}})
	}
	return all
}
