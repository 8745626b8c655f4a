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

// meter counts the tokens and costs that an agent that takes turns reports. Its state is in a file, so that a
// restarted runner continues the count.
type meter struct {
	home  shipdir.Dir
	book  *shipdir.Journal
	model string // the model under which tokens are counted, as no event names one

	mu    sync.Mutex
	state meterState
	told  time.Time   // when the usage was last written to the journal
	news  bool        // there is usage that the journal does not have
	later *time.Timer // calls publish later; nil when nothing is to be published
}

// meterState is the content of the meter's file.
type meterState struct {
	Usage proto.Usage `json:"usage"`
	Whole []total     `json:"whole,omitempty"` // for programs that report totals of a session; the newest last
}

// total is the last reported total of a session.
type total struct {
	Session string          `json:"session"`
	Tokens  agentlog.Tokens `json:"tokens"`
}

// maxWhole bounds how many sessions are remembered.
const maxWhole = 10

// mostTokens bounds what one event may report, and mostSum bounds a sum. No real program reaches either; they keep
// sums from overflowing.
const (
	mostTokens = int64(1e13)
	mostSum    = int64(1e15)
	mostCost   = 1e6 // US dollars in one event
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

// readMeter reads the file of a meter. If there is none, nothing was used.
func readMeter(h shipdir.Dir) (state meterState) {
	if shipdir.ReadJSON(h.Usage("turns.json"), &state) != nil {
		return meterState{}
	}
	return state
}

// turn returns how many answers of the model were counted on this ship.
func (m *meter) turn() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Usage.Turn
}

// countTurn counts one more answer and returns its number.
func (m *meter) countTurn() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Usage.Turn++
	m.publishSoon()
	return m.state.Usage.Turn
}

// addEvent adds the usage in an event of a session, if the event has any.
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
	if cost > 0 { // also false for NaN
		u.CostUSD += cost
	}
	m.publishSoon()
}

// sinceLast returns what a session has used since its last report, for each number separately. A program may restart
// its count in the middle of a session; the result is never negative.
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

// publishSoon publishes new usage, at most once a second, since the agent's next step may take long. The caller holds
// m.mu.
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

// publish writes new usage to the file, and then to the journal. In this order the file never lacks what the journal
// has.
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

// clampTokens limits every number to the range from 0 to most.
func clampTokens(t agentlog.Tokens, most int64) agentlog.Tokens {
	in := func(n int64) int64 { return min(max(0, n), most) }
	return agentlog.Tokens{Input: in(t.Input), Output: in(t.Output), CacheRead: in(t.CacheRead), CacheWrite: in(t.CacheWrite)}
}
