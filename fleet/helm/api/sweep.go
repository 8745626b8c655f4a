package api

import (
	"time"

	"ocaptain/fleet/machines"
)

// Sweep lists machines that belong to no voyage.
type Sweep struct {
	At      time.Time `json:"at"`
	Install string    `json:"install"` // id of this install, which marks the machines that it makes
	// Orphans are machines of this install that belong to none of its voyages.
	Orphans []machines.Orphan `json:"orphans"`
	// Others are machines that look like ocaptain's but belong to another install or to none.
	Others []machines.Orphan `json:"others"`
	// Unasked are the providers that could not be asked.
	Unasked []Unasked `json:"unasked"`
	// Unsure says why the voyages of the orphans may exist after all, "" when nothing suggests that. If it is set, a
	// caller must not offer to destroy the orphans.
	Unsure string `json:"unsure,omitempty"`
}

// Unasked is a provider that could not be asked for its machines, and why.
type Unasked struct {
	Provider string `json:"provider"`
	Why      string `json:"why"`
}

// SweepRequest names the machines to destroy as they were found. Others must be set to destroy machines of others: it
// says that the captain knows that they are not this install's.
type SweepRequest struct {
	Machines []SweepTarget `json:"machines"`
	Others   bool          `json:"others,omitempty"`
	// Sure says that the voyages of the machines are gone, although Sweep.Unsure is set.
	Sure bool `json:"sure,omitempty"`
	// Lose says that work may be lost if it cannot be copied home.
	Lose bool `json:"lose,omitempty"`
}

// SweepTarget is a machine to destroy.
type SweepTarget struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	ID       string `json:"id,omitempty"`
}

// Target returns an orphan in the form for a SweepRequest.
func Target(o machines.Orphan) SweepTarget { return SweepTarget{o.Provider, o.Name, o.ID} }
