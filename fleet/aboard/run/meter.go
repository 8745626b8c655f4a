package run

import (
	"cmp"
	"os"
	"slices"
	"sync"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/transcript"
	"ocaptain/fleet/proto"
)

// meter counts what an agent that takes turns tells of its use. It is kept in a file, so
// that a runner that is started again goes on counting.
type meter struct {
	home  shipdir.Dir
	book  *shipdir.Journal
	model string // under which tokens are counted: no event names one

	mu    sync.Mutex
	state meterState
	told  time.Time   // when the journal got the usage
	news  bool        // there is something that it has not
	later *time.Timer // tells it then; nil for nothing that waits
}

// meterState is the file of a meter.
type meterState struct {
	Usage proto.Usage `json:"usage"`
	Whole []total     `json:"whole,omitempty"` // for programs that count a whole session, the newest last
}

// total is how far a session was counted.
type total struct {
	Session string          `json:"session"`
	Tokens  agentlog.Tokens `json:"tokens"`
}

// maxWhole is how many sessions are remembered.
const maxWhole = 10

// mostTokens bounds what one event may tell, and mostSum what comes together: no program
// gets there, and sums stay numbers.
const (
	mostTokens = int64(1e13)
	mostSum    = int64(1e15)
	mostCost   = 1e6 // US dollars of one event
)

func newMeter(h shipdir.Dir, book *shipdir.Journal, model, name string) *meter {
	m := &meter{home: h, book: book, model: cmp.Or(model, name)}
	_ = os.MkdirAll(h.Usage(""), 0o700)
	m.state = readMeter(h)
	if m.state.Usage.Models == nil {
		m.state.Usage.Models = map[string]agentlog.Tokens{}
	}
	return m
}

// readMeter reads the file of a meter. Without one, nothing was used.
func readMeter(h shipdir.Dir) (state meterState) {
	if shipdir.ReadJSON(h.Usage("turns.json"), &state) != nil {
		return meterState{}
	}
	return state
}

// turn is how many answers of the model were counted on this ship.
func (m *meter) turn() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Usage.Turn
}

// countTurn counts one more and returns its number.
func (m *meter) countTurn() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Usage.Turn++
	m.publishSoon()
	return m.state.Usage.Turn
}

// addEvent takes in what an event of a session tells, if it tells anything.
func (m *meter) addEvent(session string, e agentlog.Event) {
	used := clampTokens(e.Tokens, mostTokens)
	cost := min(max(0, e.Cost), mostCost)
	if used.Sum() == 0 && !(cost > 0) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Whole {
		used = m.sinceLast(session, used)
	}
	u := &m.state.Usage
	if used.Sum() > 0 {
		u.Messages++
	}
	u.Models[m.model] = clampTokens(u.Models[m.model].Add(used), mostSum)
	if cost > 0 { // and no NaN
		u.CostUSD += cost
	}
	m.publishSoon()
}

// sinceLast is what a session has used since it was last reported, number by number. A program that
// restarts its count in the middle of a session has not used less for that.
func (m *meter) sinceLast(session string, now agentlog.Tokens) agentlog.Tokens {
	var before agentlog.Tokens
	if i := slices.IndexFunc(m.state.Whole, func(w total) bool { return w.Session == session }); i >= 0 {
		before = m.state.Whole[i].Tokens
		m.state.Whole = slices.Delete(m.state.Whole, i, i+1)
	}
	m.state.Whole = append(m.state.Whole, total{session, now})
	m.state.Whole = m.state.Whole[max(0, len(m.state.Whole)-maxWhole):]
	return clampTokens(now.Sub(before), mostTokens)
}

// publishSoon has what is new told, at most once a second: what the agent does next may take long. The caller holds m.mu.
func (m *meter) publishSoon() {
	m.news = true
	wait := transcript.UsageEvery - time.Since(m.told)
	switch {
	case wait <= 0:
		m.publishLocked()
	case m.later == nil:
		m.later = time.AfterFunc(wait, m.publish)
	}
}

// publish writes what is new into the file and the journal. The file is first: what the journal has is never forgotten.
func (m *meter) publish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.publishLocked()
}

func (m *meter) publishLocked() {
	if m.later != nil {
		m.later.Stop()
		m.later = nil
	}
	if !m.news {
		return
	}
	if err := shipdir.WriteJSON(m.home.Usage("turns.json"), m.state); err != nil {
		m.book.Log("error", "what the agent has used could not be written: "+err.Error(), "")
	}
	m.book.Add(proto.KindUsage, m.state.Usage)
	m.told, m.news = time.Now(), false
}

// clampTokens keeps every number from 0 to most.
func clampTokens(t agentlog.Tokens, most int64) agentlog.Tokens {
	in := func(n int64) int64 { return min(max(0, n), most) }
	return agentlog.Tokens{Input: in(t.Input), Output: in(t.Output), CacheRead: in(t.CacheRead), CacheWrite: in(t.CacheWrite)}
}
