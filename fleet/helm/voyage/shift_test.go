//go:build long

package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/link"
	"ocaptain/fleet/need"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// shift is the night of a session. Its agents share an account, and get on by one turn when a step of time has passed.
type shift struct {
	*simulation
	t    *testing.T
	all  gosync.WaitGroup
	step int

	mu     gosync.Mutex
	tick   chan struct{}               // closed and replaced when a step has passed
	limit  time.Time                   // until when the account is limited
	mute   bool                        // the service does not say until when
	gone   string                      // the ship whose machine does not answer
	dies   bool                        // the next worker that gets on loses its machine
	still  map[string]<-chan struct{}  // what agents wait for
	states map[string]proto.AgentState // that ships have reported
	ears   map[string]chan struct{}    // of agents, for being told to go on
	told   map[string]int              // how often they were
}

// newShift begins a night with two epics and three workers. A third epic is to come.
func newShift(t *testing.T, validators int) *shift {
	n := &shift{t: t, tick: make(chan struct{}), still: map[string]<-chan struct{}{}, states: map[string]proto.AgentState{}, ears: map[string]chan struct{}{}, told: map[string]int{}}
	n.simulation = &simulation{epics: 3, parts: 4, workers: 3, validators: validators, home: helmtest.Hub(t).Home, t: t, boarded: n.connect, around: n.around}
	n.create()
	f, err := fleet.LoadFleet(n.dir)
	for _, s := range f.Ships {
		s.Agent, n.ears[s.Name] = "claude", make(chan struct{}, 1)
	}
	if err := errors.Join(err, summed.Write(n.dir.FleetFile(), f, 0o600), saveSecrets(n.dir, map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test"})); err != nil {
		t.Fatal(err)
	}
	n.begin(&n.all)
	return n
}

// end ends the night: nothing is left to do.
func (n *shift) end() {
	close(n.over)
	n.close()
	n.all.Wait()
}

// connect gives a ship's agent ears, and what it has told before.
func (n *shift) connect(s *Ship) {
	n.mu.Lock()
	defer n.mu.Unlock()
	is := link.Status{State: link.Connected, Since: time.Now()}
	if n.gone == s.Name {
		is.State = link.Down
	}
	if s.Reach.Note(is); n.gone == s.Name {
		s.Remote = silent{}
		return
	}
	here, there := net.Pipe()
	far := wire.New(there, wire.Options{Handlers: wire.Handlers{proto.MethodSay: wire.Handle(func(_ context.Context, m proto.Say) (proto.Said, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if m.Text != told.AfterError { // it is about to ask what there is to do
			return proto.Said{Heard: true}, nil
		}
		n.told[s.Name]++
		if n.still[s.Name] == n.ears[s.Name] {
			delete(n.still, s.Name)
		}
		select {
		case n.ears[s.Name] <- struct{}{}:
		default:
		}
		return proto.Said{Heard: true}, nil
	})}})
	near := wire.New(here, wire.Options{})
	s.Reach.Greet(near)
	n.t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
	s.known.Pulse, s.known.PulseAt = proto.Pulse{Runner: true, Agent: true, Pane: true}, time.Now()
	s.restoring = true
	n.apply(s, n.states[s.Name])
	s.restoring = false
}

// silent is the tree of a machine that does not answer.
type silent struct{}

func (silent) Tree(context.Context, []string, io.Reader, io.Writer) error {
	return errors.New("it does not answer")
}

// apply has helm hear of an agent's state.
func (n *shift) apply(s *Ship, st proto.AgentState) {
	raw, err := json.Marshal(st)
	if err != nil {
		n.t.Error(err)
	}
	s.applyRecord(fleet.LogLine{At: time.Now(), Kind: proto.KindAgentState, Data: raw})
}

// reports has an agent tell helm of its state.
func (n *shift) reports(a *simulated, st proto.AgentState) {
	l := a.begun()
	if l == nil {
		return
	}
	defer l.calls.Done()
	s, err := l.v.ShipNamed(a.name)
	if err != nil {
		n.t.Error(err)
		return
	}
	n.mu.Lock()
	n.states[a.name] = st
	n.mu.Unlock()
	changes(l.v, func() { n.apply(s, st) })
}

// until has an agent stand still until then, and reports whether the night goes on.
func (n *shift) until(a *simulated, then <-chan struct{}) bool {
	n.mu.Lock()
	select {
	case <-then: // it has come already
		n.mu.Unlock()
		return true
	default:
		n.still[a.name] = then
	}
	n.mu.Unlock()
	select {
	case <-then:
		return true
	case <-a.over:
		return false
	}
}

// next is closed when the next step has passed, limit until when the account is limited.
func (n *shift) next() (tick <-chan struct{}, limit time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.tick, n.limit
}

// around is an agent's turns for a task. Its service may refuse it, its machine may be gone for a while or for good.
func (n *shift) around(a *simulated, g proto.Grant, do func(proto.Grant)) {
	n.reports(a, proto.AgentState{State: proto.StateWorking, Task: g.Task.ID})
	left := 1
	if strings.HasPrefix(a.name, fleet.Worker) {
		left = 3 // who reviews is quicker
	}
	for {
		tick, limit := n.next()
		if limit.After(time.Now()) {
			if n.mute {
				limit = time.Time{}
			}
			n.reports(a, proto.AgentState{State: proto.StateLimited, Why: "session limit", Trouble: "usage", Until: limit})
			if !n.until(a, n.ears[a.name]) {
				return
			}
			continue
		}
		if !n.until(a, tick) {
			return
		}
		n.mu.Lock()
		gone, dies, limited := n.gone == a.name, n.dies && strings.HasPrefix(a.name, fleet.Worker), n.limit.After(time.Now())
		if dies {
			n.dies = false
		}
		n.mu.Unlock()
		switch {
		case dies:
			a.die(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}, true)
			return
		case !gone && !limited && left > 1:
			left--
			n.reports(a, proto.AgentState{State: proto.StateWorking, Task: g.Task.ID, Tool: "Bash"})
		case !gone && !limited:
			n.reports(a, proto.AgentState{State: proto.StateWorking, Task: g.Task.ID, Tool: "Bash"})
			do(g)
			n.reports(a, proto.AgentState{State: proto.StateIdle})
			return
		}
	}
}

// isQuiet reports whether nothing happens before more time has passed.
func (n *shift) isQuiet() bool { return reads(n.life.v, n.isQuietLocked) }

func (n *shift) isQuietLocked() bool {
	v, now := n.life.v, time.Now()
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, s := range v.ships {
		h := v.limits[s.limit.Login]
		tries := h != nil && s.limit.HeldBack && s.activity().Reached() && s.known.State.State == proto.StateLimited && h.MayTellNow(now) && !now.Before(h.NextTry(name))
		if n.still[name] == nil && name != n.gone && (s.waits == 0 || s.hasWork(now)) && v.Kind.Over(v.Roster.Now().Phase) == "" || s.mail > 0 || tries {
			return false
		}
	}
	waits, under, validators := 0, 0, 0
	for _, f := range v.Roster.Now().Ships {
		if f.Role == fleet.Validator && f.Name != n.gone {
			validators++
		}
	}
	for _, t := range v.Store.Snapshot().Open() {
		switch {
		case !t.InReview():
		case t.Approved():
			return false
		case t.HandIn.Checked == "":
			waits++
		default:
			under++
		}
	}
	return v.Roster.Now().Phase != fleet.Verifying && (waits == 0 || validators == 0 || under > 0)
}

// hasWork reports whether a ship that waits is about to be told of a task. The caller holds the voyage's mutex.
func (s *Ship) hasWork(now time.Time) bool {
	v := s.v
	if v.Kind.Closed(v.Roster.Now().Phase) != nil || s.Barred(now) != nil || s.State().Trouble.Rest(now) > 0 || v.limits.HoldsBack(now, &s.limit) {
		return false
	}
	return v.Look().First(s.Claimant(), now) != ""
}

// linkedBefore has the state of the ship's link begin earlier.
func (s *Ship) linkedBefore(by time.Duration) {
	var k resolve.Known
	s.Reach.Show(&k)
	is := link.Status{State: link.Down, Since: k.LinkSince}
	if k.Connected {
		is.State = link.Connected
	}
	back(&is.Since, by)
	s.Reach.Note(is)
}

// passes lets time pass once all is quiet: what is known gets older by it. The laptop may sleep meanwhile.
func (n *shift) passes(by time.Duration, asleep bool) {
	n.t.Helper()
	eventually.Holds(n.t, "all is quiet", n.isQuiet)
	v := n.life.v
	n.mu.Lock()
	back(&n.limit, by)
	n.mu.Unlock()
	changes(v, func() {
		for _, s := range v.ships {
			s.linkedBefore(by)
			s.Change(func(is *ship.State) { back(&is.Trouble.Until, by) })
			k := &s.known
			for _, at := range []*time.Time{&k.StateAt, &k.EventAt, &k.ActAt, &k.PulseAt, &k.State.Until, &s.idle.Free, &s.limit.Tried, &s.limit.Doubted, &s.prompts.Woken, &s.prompts.After} {
				back(at, by)
			}
		}
		for _, h := range v.limits {
			for _, at := range []*time.Time{&h.Since, &h.Until, &h.Next, &h.Tried, &h.Last, &h.Heard, &h.Asked} {
				back(at, by)
			}
			for name, until := range h.Words {
				back(&until, by)
				h.Words[name] = until
			}
			v.Book.Add(facts.KindHold, *h)
		}
		for name := range v.ships {
			v.Offers.Withdraw(name)
		}
	})
	n.life.helm.times.pass(by, asleep)
	n.mu.Lock()
	n.step += int(by / step)
	for name, st := range n.states {
		back(&st.Until, by)
		n.states[name] = st
	}
	for name, then := range n.still {
		if then == n.tick {
			delete(n.still, name)
		}
	}
	close(n.tick)
	n.tick = make(chan struct{})
	n.mu.Unlock()
	v.News.Send()
}

// kill ends helm in the middle of whatever goes on, and starts another.
func (n *shift) kill() {
	n.close()
	n.open()
}

// needs are what the captain is told that is needed, as the words he reads.
func (n *shift) needs() (all []string) {
	b := n.life.v.Board()
	for _, need := range need.All(time.Now(), &b, need.Away{}) {
		all = append(all, need.String())
	}
	return all
}

// done counts the tasks that are merged.
func (n *shift) done() (done int) {
	for _, t := range n.life.v.Store.Snapshot().Tasks {
		if t.Status == tasks.Completed && t.Type() != tasks.Epic && !t.Internal() {
			done++
		}
	}
	return done
}

// at lets steps pass until so many tasks are merged.
func (n *shift) at(done int) {
	n.t.Helper()
	for end := n.step + 200; n.done() < done; n.passes(step, false) {
		if n.step > end {
			n.t.Fatalf("at step %d only %d tasks are merged: %q", n.step, n.done(), n.needs())
		}
	}
}

// loses has the machine of a ship not answer any more, or answer again.
func (n *shift) loses(name string, gone bool) {
	n.mu.Lock()
	if n.gone = ""; gone {
		n.gone = name
	}
	n.mu.Unlock()
	v := n.life.v
	s := n.board(v, v.Roster.Ship(name), n.newestTree(name))
	var old *Ship
	changes(v, func() { old, v.ships[name] = v.ships[name], s })
	old.Stop()
}

// reviewing lets steps pass until the validator has a review.
func (n *shift) reviewing(name string) {
	n.t.Helper()
	has := func() bool { return n.life.v.Store.Snapshot().Held(name) != nil }
	for eventually.Holds(n.t, "all is quiet", n.isQuiet); !has(); eventually.Holds(n.t, "all is quiet", n.isQuiet) {
		n.passes(step, false)
	}
}
