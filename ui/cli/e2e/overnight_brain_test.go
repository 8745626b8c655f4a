package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/agent/loopback"
)

// night is the model behind four agents that meet every trouble of a night. What goes wrong for an agent depends on
// its ship's name; otherwise the agent works as loopback.Worker does.
type night struct {
	mu     sync.Mutex
	ships  map[string]*sailor
	merged int       // number of accepted completions
	chatty bool      // ship-2 never stops talking while it holds nothing
	storm  time.Time // the service is overloaded for all until then
}

// sailor is what the service knows of one agent.
type sailor struct {
	had    map[string]bool // troubles that the agent has had
	holds  string
	done   int
	limit  time.Time // the agent is over its limit until then
	last   time.Time // time of its last answer
	over   bool      // the last answer ended its turn
	failed bool      // the last answer was a refusal
}

func newNight() *night { return &night{ships: map[string]*sailor{}} }

var nameOfShip = regexp.MustCompile(`[Yy]ou are (ship-\d+)`)

// whose returns the name of the ship that asks. A compacted session is told the name again.
func whose(r loopback.Request) string {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if found := nameOfShip.FindStringSubmatch(p.Text); found != nil {
				return found[1]
			}
		}
	}
	if found := nameOfShip.FindStringSubmatch(r.System); found != nil {
		return found[1]
	}
	return ""
}

// brain answers a request.
func (n *night) brain(r loopback.Request) loopback.Reply {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.sailor(whose(r))
	s.learn(n, r.Fresh())
	reply := n.trouble(whose(r), s)
	if reply == nil {
		usual := loopback.Worker(r)
		reply = &usual
	}
	s.last, s.failed = time.Now(), reply.Error != nil
	s.over = reply.Error == nil
	for _, b := range reply.Blocks {
		s.over = s.over && b.Tool == ""
	}
	return *reply
}

func (n *night) sailor(name string) *sailor {
	if n.ships[name] == nil {
		n.ships[name] = &sailor{had: map[string]bool{}}
	}
	return n.ships[name]
}

// learn takes in the results of claims and completions.
func (s *sailor) learn(n *night, fresh []loopback.Part) {
	for _, p := range fresh {
		if p.Type != "tool_result" || p.Tool != "TaskUpdate" {
			continue
		}
		c := loopback.Call{Tool: p.Tool, Input: p.Input, Result: p.Text, Failed: p.Failed, Done: true}
		switch ok := c.OK(); {
		case ok && c.Arg("status") == "in_progress":
			s.holds = c.Arg("taskId")
		case ok && c.Arg("status") == "completed":
			s.holds = ""
			s.done++
			n.merged++
		}
	}
}

// once reports whether a trouble is new to the agent.
func (s *sailor) once(trouble string) bool {
	first := !s.had[trouble]
	s.had[trouble] = true
	return first
}

// How long the troubles last: as long as a test can wait.
const (
	limitTime = 8 * time.Second
	stormTime = 6 * time.Second
)

// trouble returns what goes wrong now, or nil.
func (n *night) trouble(name string, s *sailor) *loopback.Reply {
	now := time.Now()
	pick := func(r loopback.Reply) *loopback.Reply { return &r }
	task := func(id, status string) *loopback.Reply {
		return pick(loopback.Use("TaskUpdate", map[string]any{"taskId": id, "status": status}))
	}
	if n.merged >= 6 && n.sailor("all").once("storm") {
		n.storm = now.Add(stormTime)
	}
	talks := name == "ship-2" && n.chatty && s.holds == "" // it first completes what it holds
	if now.Before(n.storm) && !talks {                     // a talking agent that is refused might get no more messages
		storm := loopback.Fail(529, "overloaded_error", "Overloaded")
		storm.Error.Header = http.Header{"x-should-retry": {"false"}} // otherwise each agent would retry by itself for minutes
		return &storm
	}
	switch {
	case name == "ship-0" && s.done >= 1 && s.once("limit"):
		s.limit = now.Add(limitTime)
	case name == "ship-1" && s.done >= 1 && s.holds != "" && s.once("deletes"): // not during its first task, in which it is killed
		return task("16", "deleted")
	case name == "ship-3" && s.holds != "" && s.once("claims twice"):
		return task("16", "in_progress")
	case talks:
		s.had["babbles"] = true
		return &loopback.Reply{After: 300 * time.Millisecond, Blocks: []loopback.Block{
			{Text: "One more thing that comes to my mind."}, {Tool: "Bash", Input: map[string]any{"command": "true", "description": "Think"}},
		}}
	}
	if now.Before(s.limit) {
		limit := loopback.Fail(429, "rate_limit_error", "This request would exceed your account's rate limit.")
		limit.Error.Header = http.Header{
			"anthropic-ratelimit-unified-status":               {"rejected"},
			"anthropic-ratelimit-unified-reset":                {fmt.Sprint(s.limit.Unix())},
			"anthropic-ratelimit-unified-representative-claim": {"five_hour"},
		}
		return &limit
	}
	return nil
}

func (n *night) chat() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.chatty = true
}

// fact is what the service knows about a ship.
type fact struct {
	over, failed bool
	since        time.Time
}

func (n *night) fact(name string) fact {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.sailor(name)
	return fact{s.over, s.failed, s.last}
}

func (n *night) hadAll() (missing []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, want := range strings.Fields("ship-0/limit ship-1/deletes ship-2/babbles ship-3/claims_twice all/storm") {
		name, trouble, _ := strings.Cut(strings.ReplaceAll(want, "_", " "), "/")
		if !n.sailor(name).had[trouble] {
			missing = append(missing, want)
		}
	}
	return missing
}
