package api

import (
	"time"

	"ocaptain/fleet/provider"
)

// Sweep is what was found of machines that no voyage has.
type Sweep struct {
	At time.Time `json:"at"`
	// Orphans are this install's, and no voyage of it has them.
	Orphans []Orphan `json:"orphans"`
	// Others look like ocaptain's, and are another install's or nobody's.
	Others []Orphan `json:"others"`
	// Unasked are the places that could not be asked.
	Unasked []Unasked `json:"unasked"`
	// Doubt says why the voyages of the orphans may be there after all, "" when nothing speaks for that. Nobody
	// should be offered to destroy any then.
	Doubt string `json:"doubt,omitempty"`
}

// Orphan is a machine that may cost, and that nobody looks after.
type Orphan struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	ID       string `json:"id,omitempty"`      // the provider's own
	Voyage   string `json:"voyage,omitempty"`  // whose ship it was
	Install  string `json:"install,omitempty"` // that made it, "" when nothing tells
	// Created is when the machine was made, or asked for.
	Created time.Time      `json:"created,omitzero"`
	State   provider.State `json:"state"`
	Why     string         `json:"why"` // it is in this list
	// Seen says that the provider tells of it. Otherwise this install's own record does alone.
	Seen bool `json:"seen"`
	// Doomed says that helm is at destroying it, and goes on until it is gone.
	Doomed bool `json:"doomed,omitempty"`
	// Trouble is what the last attempt to destroy a doomed one failed of.
	Trouble string `json:"trouble,omitempty"`
}

// Unasked is a place that could not be asked for machines, and why.
type Unasked struct {
	Provider string `json:"provider"`
	Why      string `json:"why"`
}

// SweepRequest names the machines that are to be destroyed, as they were found. Others must say so:
// whoever named them knows that they are not this install's.
type SweepRequest struct {
	Machines []SweepTarget `json:"machines"`
	Others   bool          `json:"others,omitempty"`
	// Sure says that their voyages are gone, although Sweep had a Doubt.
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

// Target names the machine in a SweepRequest.
func (o Orphan) Target() SweepTarget { return SweepTarget{o.Provider, o.Name, o.ID} }
