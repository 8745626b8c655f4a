package loopback

import (
	"maps"
	"slices"
	"strings"
)

// Count is what the agents of one role asked of their service.
type Count struct {
	Role     string `json:"role"` // ship in a plan, "" for requests that do not tell whose they are
	Requests int    `json:"requests"`
	Input    int    `json:"input"`   // tokens of the requests, cached ones included
	Cached   int    `json:"cached"`  // tokens that the request before in the same conversation had as well
	Refused  int    `json:"refused"` // calls of tools that were refused, or failed
	Woken    int    `json:"woken"`   // times that an agent was told something
	InVain   int    `json:"inVain"`  // those of them, but for a ship's first, after which it had done nothing when it was told the next thing
}

// Add returns the sum of both.
func (u Count) Add(o Count) Count {
	return Count{u.Role, u.Requests + o.Requests, u.Input + o.Input, u.Cached + o.Cached, u.Refused + o.Refused, u.Woken + o.Woken, u.InVain + o.InVain}
}

// Counts returns what was asked so far, in the order of the roles.
func (a *API) Counts() []Count { return counts(a.Log(), a.Sessions()) }

// counts sums exchanges, oldest first, by the role of the ship whose session it is.
func counts(log []Exchange, sessions []Session) []Count {
	ships := map[string]string{}
	for _, s := range sessions {
		ships[s.ID] = readDesk(s.Last).ship
	}
	by := map[string]Count{}
	before := map[string]Exchange{} // the last one of each conversation
	begun := map[string]bool{}      // ships that were told something
	idle := map[string]bool{}       // agents that were woken and have done nothing since
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

// Role is the role of the ship whose agent asks, as its prompt says, or "".
func (r Request) Role() string { return roleOf(readDesk(r).ship) }

func roleOf(ship string) string {
	role, _, _ := strings.Cut(ship, "-")
	return role
}
