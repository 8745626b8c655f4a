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

// night is the model behind four agents that get into every trouble that a night has. What
// each does wrong depends on its name; otherwise it works as loopback.Worker does.
type night struct {
	mu     sync.Mutex
	ships  map[string]*sailor
	merged int       // completions that were accepted
	chatty bool      // ship-2 never stops talking once it holds nothing
	storm  time.Time // until when the service is overloaded for all
}

// sailor is one agent as the service sees it.
type sailor struct {
	had    map[string]bool // the troubles that it has had
	holds  string
	done   int
	limit  time.Time // until when it is over its limit
	last   time.Time // its last answer
	over   bool      // that answer ended its turn
	failed bool      // that answer was a refusal
}

func newNight() *night { return &night{ships: map[string]*sailor{}} }

var nameOfShip = regexp.MustCompile(`[Yy]ou are (ship-\d+)`)

// whose finds out which ship asks. A session that was compacted is told its name again.
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

// learn follows what became of claims and completions.
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

// once reports whether this is the first time for a trouble.
func (s *sailor) once(trouble string) bool {
	first := !s.had[trouble]
	s.had[trouble] = true
	return first
}

// How long they last: as long as a test can wait for.
const (
	limitTime = 8 * time.Second
	stormTime = 6 * time.Second
)

// trouble is what goes wrong now, or nil.
func (n *night) trouble(name string, s *sailor) *loopback.Reply {
	now := time.Now()
	pick := func(r loopback.Reply) *loopback.Reply { return &r }
	task := func(id, status string) *loopback.Reply {
		return pick(loopback.Use("TaskUpdate", map[string]any{"taskId": id, "status": status}))
	}
	if n.merged >= 6 && n.sailor("all").once("storm") {
		n.storm = now.Add(stormTime)
	}
	talks := name == "ship-2" && n.chatty && s.holds == "" // what it holds it completes first
	if now.Before(n.storm) && !talks {                     // else that one may be told nothing any more
		storm := loopback.Fail(529, "overloaded_error", "Overloaded")
		storm.Error.Header = http.Header{"x-should-retry": {"false"}} // else each agent tries by itself for minutes
		return &storm
	}
	switch {
	case name == "ship-0" && s.done >= 1 && s.once("limit"):
		s.limit = now.Add(limitTime)
	case name == "ship-1" && s.done >= 1 && s.holds != "" && s.once("deletes"): // not while it is being killed, at its first task
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

// fact is what the service knows of a ship.
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
