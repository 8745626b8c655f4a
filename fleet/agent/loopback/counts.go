package loopback

import (
	"maps"
	"slices"
	"strings"
)

// Count sums up the requests of the agents of one role.
type Count struct {
	Role     string `json:"role"` // "ship" in a plan; "" for requests that do not say whose they are
	Requests int    `json:"requests"`
	Input    int    `json:"input"`   // tokens of the requests, including cached tokens
	Cached   int    `json:"cached"`  // tokens that the last request of the same conversation had too
	Refused  int    `json:"refused"` // tool calls that were refused or failed
	Woken    int    `json:"woken"`   // how often an agent was woken by a message or task
	InVain   int    `json:"inVain"`  // how often, apart from a ship's first time, it had done nothing by the next time
}

// Add returns the sum of u and c.
func (u Count) Add(o Count) Count {
	return Count{u.Role, u.Requests + o.Requests, u.Input + o.Input, u.Cached + o.Cached, u.Refused + o.Refused, u.Woken + o.Woken, u.InVain + o.InVain}
}

// Counts returns the counts so far, in the order of the roles.
func (a *API) Counts() []Count { return counts(a.Log(), a.Sessions()) }

// counts sums exchanges, oldest first, by the role of the ship whose session it is.
func counts(log []Exchange, sessions []Session) []Count {
	ships := map[string]string{}
	for _, s := range sessions {
		ships[s.ID] = readDesk(s.Last).ship
	}
	by := map[string]Count{}
	before := map[string]Exchange{} // the last exchange of each conversation
	begun := map[string]bool{}      // ships whose agent was woken at least once
	idle := map[string]bool{}       // agents that have done nothing since they were woken
	for _, e := range log {
		ship := ships[e.Session]
		role := roleOf(ship)
		u := Count{Role: role, Requests: 1, Input: e.Asked}
		if e.Length > 0 {
			if last := before[e.Session]; e.Length > last.Length {
				u.Cached = min(last.Asked, e.Asked)
			}
			before[e.Session] = e
		}
		for _, p := range e.Fresh {
			call := Call{Tool: p.Tool, Input: p.Input, Result: p.Text, Failed: p.Failed, Done: true}
			switch {
			case p.Type != "tool_result":
			case !call.OK():
				u.Refused++
			case p.Tool == "TaskUpdate" || p.Tool == "Bash":
				idle[ship] = false
			}
		}
		if len(e.Prompts) > 0 {
			u.Woken++
			if idle[ship] {
				u.InVain++
			}
			idle[ship], begun[ship] = begun[ship], true
		}
		by[role] = u.Add(by[role])
	}
	var all []Count
	for _, role := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[role])
	}
	return all
}

// Role returns the role of the ship whose agent makes the request, read from its prompt, or "".
func (r Request) Role() string { return roleOf(readDesk(r).ship) }

func roleOf(ship string) string {
	role, _, _ := strings.Cut(ship, "-")
	return role
}
