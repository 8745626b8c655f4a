package usage

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Key says whose use a Totals counts: a ship's task, model and hour.
type Key struct {
	Ship  string `json:"ship"`
	Role  string `json:"role,omitempty"`
	Task  string `json:"task,omitempty"`  // the task that the ship held; "" for requests that belong to the work of no task
	Model string `json:"model,omitempty"` // "" where the program names no model, Others for the models beyond the number that a ship may name
	Hour  int64  `json:"hour"`            // its begin in Unix seconds; 0 for the sum of the hours that were too many to be kept apart
}

// Others stands for the models of a ship that named too many.
const Others = "others"

// Tokens counts tokens by kind.
type Tokens struct {
	Input         int64 `json:"input"`
	Output        int64 `json:"output"`
	CacheRead     int64 `json:"cacheRead"`
	CacheCreation int64 `json:"cacheCreation"`
}

// All returns the number of tokens of every kind.
func (t Tokens) All() int64 { return t.Input + t.Output + t.CacheRead + t.CacheCreation }

// Totals is what an agent reports that it used and did. Cost is the agent's own estimate. Claude Code counts Tokens and Cost in its
// metrics, and RequestTokens and RequestCost in its log: these are two accounts of the same use, and must not be added. Other agents give
// one account, which fills both pairs, and report no cost.
type Totals struct {
	Tokens       Tokens        `json:"tokens"`
	Cost         Dollars       `json:"cost"`
	Active       time.Duration `json:"active"`   // while the agent worked
	User         time.Duration `json:"user"`     // while a person was at its keyboard
	Unpriced     int64         `json:"unpriced"` // the part of Tokens for which the agent reports no cost
	LinesAdded   int64         `json:"linesAdded"`
	LinesRemoved int64         `json:"linesRemoved"`
	Sessions     int64         `json:"sessions"` // sessions begun or resumed
	Commits      int64         `json:"commits"`
	PullRequests int64         `json:"pullRequests"`

	Requests      int64   `json:"requests"` // requests that the model's service answered
	RequestTokens Tokens  `json:"requestTokens"`
	RequestCost   Dollars `json:"requestCost"`
	RequestErrors int64   `json:"requestErrors"`
	Tools         int64   `json:"tools"` // runs of tools
	ToolErrors    int64   `json:"toolErrors"`
}

// Dollars is an amount in billionths of a US dollar, an integer so that a sum does not depend on the order of its
// terms.
type Dollars int64

// Dollars returns the amount in US dollars.
func (d Dollars) Dollars() float64 { return float64(d) / 1e9 }

// counters returns the addresses of all numbers of t, in a fixed order.
func (t *Totals) counters() []*int64 {
	return []*int64{
		&t.Tokens.Input, &t.Tokens.Output, &t.Tokens.CacheRead, &t.Tokens.CacheCreation,
		(*int64)(&t.Cost), (*int64)(&t.Active), (*int64)(&t.User), &t.Unpriced,
		&t.LinesAdded, &t.LinesRemoved, &t.Sessions, &t.Commits, &t.PullRequests,
		&t.Requests, &t.RequestTokens.Input, &t.RequestTokens.Output, &t.RequestTokens.CacheRead, &t.RequestTokens.CacheCreation,
		(*int64)(&t.RequestCost), &t.RequestErrors, &t.Tools, &t.ToolErrors,
	}
}

// Add adds other to t.
func (t *Totals) Add(other Totals) {
	from := other.counters()
	for i, c := range t.counters() {
		increase(c, *from[i])
	}
}

// increase adds n to a counter, and sets a counter that would overflow to the largest number.
func increase(counter *int64, n int64) {
	if n > math.MaxInt64-*counter {
		n = math.MaxInt64 - *counter
	}
	*counter += n
}

// Row is a Key with its Totals.
type Row struct {
	Key
	Totals Totals `json:"totals"`
}

// compareKeys orders keys by their hour first.
func compareKeys(a, b Key) int {
	switch {
	case a.Hour < b.Hour:
		return -1
	case a.Hour > b.Hour:
		return 1
	}
	return slices.Compare([]string{a.Ship, a.Role, a.Task, a.Model}, []string{b.Ship, b.Role, b.Task, b.Model})
}

// counterOf returns the counter of t for a metric of Claude Code, nil for a metric that is not summed, and how many of the
// counter's units make one unit of the metric. kind is the attribute "type".
func counterOf(t *Totals, metric, kind string) (counter *int64, unit float64) {
	switch metric {
	case tokenUsage:
		switch kind {
		case "input":
			return &t.Tokens.Input, 1
		case "output":
			return &t.Tokens.Output, 1
		case "cacheRead":
			return &t.Tokens.CacheRead, 1
		case "cacheCreation":
			return &t.Tokens.CacheCreation, 1
		}
	case "claude_code.cost.usage":
		return (*int64)(&t.Cost), 1e9
	case "claude_code.active_time.total":
		if kind == "user" {
			return (*int64)(&t.User), float64(time.Second)
		}
		return (*int64)(&t.Active), float64(time.Second)
	case "claude_code.lines_of_code.count":
		switch kind {
		case "added":
			return &t.LinesAdded, 1
		case "removed":
			return &t.LinesRemoved, 1
		}
	case "claude_code.session.count":
		return &t.Sessions, 1
	case "claude_code.commit.count":
		return &t.Commits, 1
	case "claude_code.pull_request.count":
		return &t.PullRequests, 1
	}
	return nil, 0
}

// tokenUsage is the metric that counts tokens.
const tokenUsage = "claude_code.token.usage"

// known reports whether a metric is Claude Code's.
func known(metric string) bool { return strings.HasPrefix(metric, "claude_code.") }

// maxValue is the limit of one value in the unit of its counter: a million dollars, eleven days of work, 10^15
// tokens.
const maxValue = 1e15

// units converts a value to whole units of its counter. It refuses a value that no counter can have: negative, too large, or
// not a number.
func units(value, unit float64) (int64, bool) {
	n := math.Round(value * unit)
	if !(n >= 0 && n <= maxValue) { // a NaN compares false
		return 0, false
	}
	return int64(n), true
}
