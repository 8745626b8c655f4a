package usage

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Key says what a Totals is of.
type Key struct {
	Ship  string `json:"ship"`
	Role  string `json:"role,omitempty"`
	Task  string `json:"task,omitempty"`  // that the ship held, "" for none; requests beside the work of a task have none
	Model string `json:"model,omitempty"` // "" where the program names none, Others for more models than a ship may name
	Hour  int64  `json:"hour"`            // its begin in Unix seconds; 0 for all hours that were too many to be kept apart
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

// All is the number of tokens of every kind.
func (t Tokens) All() int64 { return t.Input + t.Output + t.CacheRead + t.CacheCreation }

// Totals is what an agent says that it used and did. Cost is the agent's own estimate. Claude Code counts Tokens and Cost in its metrics,
// and RequestTokens and RequestCost in its log: they are two accounts of the same use, and must not be added. Other agents have one
// account, which stands for both, and tell no cost.
type Totals struct {
	Tokens       Tokens        `json:"tokens"`
	Cost         Dollars       `json:"cost"`
	Active       time.Duration `json:"active"`   // the agent at work
	User         time.Duration `json:"user"`     // somebody at its keyboard
	Unpriced     int64         `json:"unpriced"` // of Tokens, those for which the agent tells no cost
	LinesAdded   int64         `json:"linesAdded"`
	LinesRemoved int64         `json:"linesRemoved"`
	Sessions     int64         `json:"sessions"` // begun or resumed
	Commits      int64         `json:"commits"`
	PullRequests int64         `json:"pullRequests"`

	Requests      int64   `json:"requests"` // that the model's service answered
	RequestTokens Tokens  `json:"requestTokens"`
	RequestCost   Dollars `json:"requestCost"`
	RequestErrors int64   `json:"requestErrors"`
	Tools         int64   `json:"tools"` // runs of tools
	ToolErrors    int64   `json:"toolErrors"`
}

// Dollars is an amount in billionths of a US dollar: a sum of them does not depend on their order.
type Dollars int64

// Dollars is the amount as a number.
func (d Dollars) Dollars() float64 { return float64(d) / 1e9 }

// counters are the addresses of all numbers of t, in a fixed order.
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

// increase adds n to a counter, which stays at the largest number when it reaches it.
func increase(counter *int64, n int64) {
	if n > math.MaxInt64-*counter {
		n = math.MaxInt64 - *counter
	}
	*counter += n
}

// Row is the Totals of a Key.
type Row struct {
	Key
	Totals Totals `json:"totals"`
}

// compareKeys sorts by time first.
func compareKeys(a, b Key) int {
	switch {
	case a.Hour < b.Hour:
		return -1
	case a.Hour > b.Hour:
		return 1
	}
	return slices.Compare([]string{a.Ship, a.Role, a.Task, a.Model}, []string{b.Ship, b.Role, b.Task, b.Model})
}

// counterOf is the counter of a metric of Claude Code and how many of its units make one of the metric's; nil for other metrics.
// kind is the attribute "type".
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

// known reports whether a metric is summed.
func known(metric string) bool { return strings.HasPrefix(metric, "claude_code.") }

// maxValue bounds one value in the counter's unit: a million dollars, eleven days of work, 10^15 tokens.
const maxValue = 1e15

// units converts a value to whole units of its counter. It refuses what no counter can have: negative, too large, not a number.
func units(value, unit float64) (int64, bool) {
	n := math.Round(value * unit)
	if !(n >= 0 && n <= maxValue) { // a NaN compares false
		return 0, false
	}
	return int64(n), true
}
