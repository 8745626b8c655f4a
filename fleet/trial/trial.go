// Package trial tries a version of a coding agent before ships get it: the agent works as a ship's agent, with a script
// in place of its model, and the trial reports which clauses of ocaptain's contract with agents it keeps.
package trial

import (
	"slices"
	"strings"
	"time"
)

// Edition is the edition of the contract. It grows with every change of what is tried, so that older results no
// longer count.
const Edition = 2

// Weight says what follows when an agent does not keep a clause.
type Weight string

// The weights.
const (
	Must    Weight = "must"    // the agent could claim or complete a task without helm, or work would stop: ships may not have this version
	Comfort Weight = "comfort" // captains would see less of a ship: ships may have this version
)

// Finding is the result for one clause of the contract.
type Finding struct {
	Clause string `json:"clause"` // the clause, as a sentence that should be true
	Weight Weight `json:"weight"`
	Held   bool   `json:"held"`
	Why    string `json:"why,omitempty"` // what happened instead
}

// Report is the result of a trial.
type Report struct {
	Agent    string        `json:"agent"`
	Version  string        `json:"version"`
	Edition  int           `json:"edition"`
	Sum      string        `json:"sum,omitempty"`   // digest of the archive that the program is from
	Walls    string        `json:"walls,omitempty"` // why the trial ran without a sandbox, "" when it ran in one
	Findings []Finding     `json:"findings"`
	Unasked  []string      `json:"unasked,omitempty"` // requests to the service that no task asked for, shortened
	At       time.Time     `json:"at"`
	Took     time.Duration `json:"took"`
}

// Broken returns the clauses of that weight that the agent does not keep.
func (r Report) Broken(w Weight) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Held || f.Weight != w })
}

// Sails reports whether ships may have this version.
func (r Report) Sails() bool { return len(r.Findings) > 0 && len(r.Broken(Must)) == 0 }

// Held counts the clauses that the agent keeps.
func (r Report) Held() int {
	return len(r.Findings) - len(r.Broken(Must)) - len(r.Broken(Comfort))
}

// Words lists the findings of broken clauses, each with what happened instead.
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
	Version string `json:"version"` // "" for whatever version the program is
	Program string `json:"program"` // path of the program
}
