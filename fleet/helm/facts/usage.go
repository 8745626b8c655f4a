package facts

import (
	"maps"
	"slices"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
)

// Usage is what the agents of a voyage have used.
type Usage struct {
	Ships   map[string]*Used // by ship, including ships that are gone
	Changed bool             // since the last write to usage.json
}

// Of returns what the agents of a ship have used. built is the number of the ship's current machine.
func (a *Usage) Of(ship string, built int) *Used {
	u := a.Ships[ship]
	if u == nil {
		u = &Used{Built: built}
		set(&a.Ships, ship, u)
	}
	return u
}

// Sum returns what all agents have used.
func (a *Usage) Sum() (sum fleet.Usage) {
	for _, u := range a.Ships {
		sum = sum.Add(u.Sum())
	}
	return sum
}

// Cost returns what all agents have cost, in US dollars.
func (a *Usage) Cost() (sum float64) {
	for _, u := range a.Ships {
		sum += u.Cost()
	}
	return sum
}

// TurnOf converts the n-th turn on a machine to a number of turns under the newest claim of its ship.
func (a *Usage) TurnOf(ship string, n int) int {
	n = max(0, min(n, MaxTurns))
	if u := a.Ships[ship]; u != nil && n > u.Begun {
		n -= u.Begun
	}
	return n
}

// Used is what the agents of a ship have used. A machine reports its own totals, which only grow, so repeated or lost
// reports do no harm. The totals of a new machine begin at 0 and are added to those of the machines before.
type Used struct {
	Built   int         `json:"built"`         // the number of the machine that Now is from
	Journal string      `json:"journal"`       // the id of that machine's journal
	Old     string      `json:"old,omitempty"` // the journal of the machine before, whose reports no longer count
	Now     fleet.Usage `json:"now"`
	Past    fleet.Usage `json:"past"`
	Turn    int         `json:"turn,omitempty"`
	Claim   string      `json:"claim,omitempty"` // the newest claim
	Begun   int         `json:"begun,omitempty"` // the value of Turn when Claim was granted
	// Exported is what the agents have cost according to their telemetry, in US dollars, 0 if unknown.
	Exported float64   `json:"exported,omitempty"`
	Lately   []Spent   `json:"lately,omitempty"` // costs within the last hour, the oldest first
	Rests    time.Time `json:"rests,omitzero"`   // since when the cost of an hour has been too high, zero when it is not
	// Conversation is the current conversation on the machine.
	Conversation proto.Conversation `json:"conversation,omitzero"`
	Over         bool               `json:"-"` // the agent is being ended, as it took too many turns
}

// ClaimTurns returns how many turns the agent has taken under the newest claim.
func (u *Used) ClaimTurns() int { return max(0, u.Turn-u.Begun) }

// Upper limits for what a ship may report: far more than possible, but small enough that sums over all ships and
// machines do not overflow.
const (
	mostTokens = int64(1e13) // per model
	mostPast   = int64(1e15)
	mostCost   = 1e9 // US dollars
	MaxTurns   = 1e9
	mostModels = 32
)

// others is the name under which the rest is counted if there are too many models.
const others = "others"

// AddReport updates the usage with a report of a machine.
func (u *Used) AddReport(built int, journal string, told proto.Usage) {
	if journal == u.Old && u.Old != "" {
		return
	}
	if built != u.Built && journal != u.Journal {
		u.Past = atMost(u.Past.Add(u.Now), mostPast)
		u.Old, u.Built, u.Now, u.Turn, u.Begun = u.Journal, built, fleet.Usage{}, 0, 0
	}
	u.Journal = journal
	u.Conversation = proto.Conversation{Tokens: max(0, min(told.Conversation.Tokens, mostTokens)), Window: max(0, min(told.Conversation.Window, mostTokens))}
	u.Turn = max(u.Turn, min(told.Turn, MaxTurns))
	now := fleet.Usage{
		Messages: max(u.Now.Messages, min(int64(told.Messages), mostTokens)),
		CostUSD:  max(u.Now.CostUSD, min(told.CostUSD, mostCost)),
		Models:   maps.Clone(u.Now.Models),
	}
	if now.Models == nil {
		now.Models = map[string]agentlog.Tokens{}
	}
	for _, name := range slices.Sorted(maps.Keys(told.Models)) {
		known := clean.Word(name)
		if _, ok := now.Models[known]; !ok && len(now.Models) >= mostModels {
			known = others
		}
		now.Models[known] = largerTokens(now.Models[known], told.Models[name])
	}
	for _, t := range now.Models {
		now.Tokens = now.Tokens.Add(t)
	}
	u.Now = now
}

// largerTokens returns the larger value of each number.
func largerTokens(old, told agentlog.Tokens) agentlog.Tokens {
	larger := func(a, b int64) int64 { return max(a, min(b, mostTokens)) }
	return agentlog.Tokens{
		Input: larger(old.Input, told.Input), Output: larger(old.Output, told.Output),
		CacheRead: larger(old.CacheRead, told.CacheRead), CacheWrite: larger(old.CacheWrite, told.CacheWrite),
	}
}

// atMost limits every number, and the number of models.
func atMost(u fleet.Usage, most int64) fleet.Usage {
	bound := func(t agentlog.Tokens) agentlog.Tokens {
		return agentlog.Tokens{
			Input: min(t.Input, most), Output: min(t.Output, most),
			CacheRead: min(t.CacheRead, most), CacheWrite: min(t.CacheWrite, most),
		}
	}
	u.Messages, u.Tokens, u.CostUSD = min(u.Messages, most), bound(u.Tokens), min(u.CostUSD, mostCost)
	models := map[string]agentlog.Tokens{}
	for _, name := range slices.Sorted(maps.Keys(u.Models)) {
		to := name
		if len(models) >= mostModels {
			to = others
		}
		models[to] = bound(models[to].Add(u.Models[name]))
	}
	u.Models = models
	return u
}

// Cost returns what the agents have cost on all machines of the ship, in US dollars: according to their transcripts or their telemetry,
// whichever is more. Some agents have only one of these, and telemetry includes requests that are in no transcript.
func (u *Used) Cost() float64 { return max(u.Past.CostUSD+u.Now.CostUSD, u.Exported) }

// AddExported updates what the agents have cost according to their telemetry.
func (u *Used) AddExported(usd float64) { u.Exported = max(u.Exported, min(usd, mostCost)) }

// Sum returns what the agents have used on all machines of the ship.
func (u *Used) Sum() fleet.Usage { return u.Past.Add(u.Now) }
