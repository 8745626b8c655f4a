package pauses

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/spending"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/wake"
)

// still is the pauses of a voyage whose one ship is as the test says.
type still struct {
	*Pauses
	ship        Ship
	interrupted int
	fails       error // of the next interruption
}

func newStill(t *testing.T, g fleet.Guards) *still {
	v := notestest.New(t)
	o := spending.Options{Dir: v.Dir, Guards: &g, Files: &kept.Files{}, Book: v.Book, Log: slog.New(slog.DiscardHandler), News: &wake.News{}, Paint: wake.New(), Notes: v.Notes}
	o.Hinders = hindrance.New(hindrance.Options{Dir: v.Dir, Journal: v.Journal, Log: o.Log, News: o.News, Paint: o.Paint, Notes: v.Notes})
	s := &still{ship: Ship{Name: "ship-0", State: proto.AgentState{State: proto.StateWorking}, Reached: true, TakesMessages: true}}
	s.Pauses = New(Options{
		Core:  &core.Core{Dir: v.Dir, Spending: spending.New(o, spending.State{}), Post: post.New(v.Dir), Log: o.Log},
		Ships: func() []Ship { return []Ship{s.ship} },
		Interrupt: func(string) error {
			s.interrupted++
			return s.fails
		},
	})
	return s
}

// looks has the pauses look until no interruption is under way.
func (s *still) looks() {
	done := make(chan struct{})
	s.Go = func(f func()) {
		go func() {
			f()
			close(done)
		}()
	}
	s.Look(time.Now())
	s.mu.Lock()
	waits := s.ships["ship-0"].underWay
	s.mu.Unlock()
	if waits {
		<-done
	}
}

// With StopAtMaxCost agents are interrupted, once, when the budget is spent; else they end their turns.
func TestStopAtMaxCost(t *testing.T) {
	for stop, want := range map[bool]int{false: 0, true: 1} {
		s := newStill(t, fleet.Guards{StopAtMaxCost: stop, MaxCost: 1})
		s.Spending.Spend("ship-0", 1, time.Now(), func(u *facts.Used) { u.AddExported(2) })
		s.looks()
		if s.looks(); s.interrupted != want {
			t.Errorf("stop %v: it is interrupted %d times", stop, s.interrupted)
		}
	}
}

// An agent that could not be interrupted is interrupted later, and once: it does what the captain tells it then.
func TestStopsLater(t *testing.T) {
	for name, c := range map[string]struct {
		first func(*still)
		want  int
	}{
		"it is out of reach":     {func(s *still) { s.ship.Reached = false }, 1},
		"it fails":               {func(s *still) { s.fails = errors.New("it is deaf") }, 2},
		"its agent has stopped":  {func(s *still) { s.ship.State.State = proto.StateIdle }, 0},
		"it waits with its task": {func(s *still) { s.ship.State.State, s.ship.Holds = proto.StateIdle, true }, 1},
	} {
		s := newStill(t, fleet.Guards{})
		if err := s.Spending.Pause(api.PauseRequest{Now: true}); err != nil {
			t.Fatal(err)
		}
		c.first(s)
		s.looks()
		s.fails, s.ship.Reached, s.ship.State.State = nil, true, proto.StateWorking
		s.looks()
		if s.looks(); s.interrupted != c.want {
			t.Errorf("%s: it is interrupted %d times, want %d", name, s.interrupted, c.want)
		}
		s.Forget("ship-0")
		if s.looks(); s.interrupted != c.want+1 {
			t.Errorf("%s: its new machine is not interrupted", name)
		}
	}
}

// An interrupted agent is told to go on, once, when nothing pauses it any more.
func TestGoesOn(t *testing.T) {
	s := newStill(t, fleet.Guards{})
	s.ship.State, s.ship.StateAt = proto.AgentState{State: proto.StateWaiting, Why: proto.Interrupted}, time.Now()
	told := func() int { n, _ := s.Post.Unread("ship-0"); return n }
	for _, ships := range [][]string{nil, {"ship-0"}} {
		if err := s.Spending.Pause(api.PauseRequest{Ships: ships}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Unpause(nil); err != nil || told() != 0 {
		t.Errorf("it is paused, and told %d times: %v", told(), err)
	}
	if _, err := s.Unpause([]string{"ship-0"}); err != nil || told() != 1 {
		t.Errorf("it is told %d times: %v", told(), err)
	}
	if s.goOn(nil); told() != 1 {
		t.Errorf("it is told %d times", told())
	}
}
