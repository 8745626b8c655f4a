package api

import (
	"time"

	"ocaptain/fleet/machines"
)

// Sweep is what was found of machines that no voyage has.
type Sweep struct {
	At      time.Time `json:"at"`
	Install string    `json:"install"` // this install, whose id marks the machines that it makes
	// Orphans are this install's, and no voyage of it has them.
	Orphans []machines.Orphan `json:"orphans"`
	// Others look like ocaptain's, and belong to another install or to none.
	Others []machines.Orphan `json:"others"`
	// Unasked are the places that could not be asked.
	Unasked []Unasked `json:"unasked"`
	// Unsure says why the voyages of the orphans may be there after all, "" when nothing suggests that. A caller
	// must not offer to destroy orphans then.
	Unsure string `json:"unsure,omitempty"`
}

// Unasked is a place that could not be asked for machines, and why.
type Unasked struct {
	Provider string `json:"provider"`
	Why      string `json:"why"`
}

// SweepRequest names the machines to destroy, as they were found. Others must be true for others'
// machines: it says that the captain knows that they are not this install's.
type SweepRequest struct {
	Machines []SweepTarget `json:"machines"`
	Others   bool          `json:"others,omitempty"`
	// Sure says that their voyages are gone, although Sweep was Unsure.
	Sure bool `json:"sure,omitempty"`
	// Lose says that work which cannot be brought home may be lost.
	Lose bool `json:"lose,omitempty"`
}

// SweepTarget is one machine.
type SweepTarget struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	ID       string `json:"id,omitempty"`
}

// Target names an orphan in a SweepRequest.
func Target(o machines.Orphan) SweepTarget { return SweepTarget{o.Provider, o.Name, o.ID} }
