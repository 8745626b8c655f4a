// Package trial tries a version of a coding agent before it sails: it has it work as a ship's agent for a model that is
// a script, and finds which clauses of ocaptain's contract with agents it keeps.
package trial

import (
	"slices"
	"strings"
	"time"
)

// Edition is that of the contract. It grows with every change of what is tried, so that older results do not count.
const Edition = 2

// Weight says what it means when a clause is not kept.
type Weight string

// The weights.
const (
	Must    Weight = "must"    // a claim or a completion could slip, or work would stand still: it may not sail
	Comfort Weight = "comfort" // something is not known or said less well: it may
)

// Finding is what came of one clause of the contract.
type Finding struct {
	Clause string `json:"clause"` // in words, as something that holds
	Weight Weight `json:"weight"`
	Held   bool   `json:"held"`
	Why    string `json:"why,omitempty"` // what happened instead
}

// Report is what came of a trial.
type Report struct {
	Agent    string        `json:"agent"`
	Version  string        `json:"version"`
	Edition  int           `json:"edition"`
	Sum      string        `json:"sum,omitempty"`   // digest of the archive that it is from
	Walls    string        `json:"walls,omitempty"` // why it was tried without walls, "" within
	Findings []Finding     `json:"findings"`
	Unasked  []string      `json:"unasked,omitempty"` // requests to the service that no task asked for, in short
	At       time.Time     `json:"at"`
	Took     time.Duration `json:"took"`
}

// Broken are the clauses of that weight that it does not keep.
func (r Report) Broken(w Weight) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Held || f.Weight != w })
}

// Sails reports whether ships may have it.
func (r Report) Sails() bool { return len(r.Findings) > 0 && len(r.Broken(Must)) == 0 }

// Held counts the clauses that it keeps.
func (r Report) Held() int {
	return len(r.Findings) - len(r.Broken(Must)) - len(r.Broken(Comfort))
}

// Words are the clauses that are not kept, each with what happened instead.
func Words(all []Finding) string {
	words := make([]string, len(all))
	for i, f := range all {
		words[i] = f.Clause + ": " + f.Why
	}
	return strings.Join(words, "; ")
}

// Order says what to try.
type Order struct {
	Agent   string `json:"agent"`
	Version string `json:"version"` // "" for whatever it says
	Program string `json:"program"` // its file
}
