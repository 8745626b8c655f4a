package voyage

import (
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/helm/reach"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/helm/shiptree"
	"ocaptain/fleet/helm/tasklist"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
)

// Ship is a ship with what it reports, and what helm asks of it.
type Ship struct {
	*ship.Ship
	v     *Voyage
	gifts *dispatcher.Ship
	done  chan struct{} // closed once all its goroutines have ended
	feed  turn.Turn     // held while a batch of its journal is taken
	logs  *shiplog.File // guarded by feed

	shipMemory // guarded by v.mu
}

// shipMemory is what helm remembers of a ship.
type shipMemory struct {
	known     resolve.Known
	waits     int // calls that wait for something to do
	mail      int // messages on their way: a waiting agent must end its turn to read them
	idle      facts.Idle
	asked     string // the question on its screen that was reported to the captain
	flooded   bool   // it was told that helm takes no further proposals
	restoring bool   // helm is applying the records of its own log of the ship
	restored  bool   // helm has applied its own log of the ship
	launching bool   // the runner is being started
	starts    facts.Starts
	prompts   facts.Prompts
	limit     limits.Ship

	settingAside bool      // stale work in its tree is being parked
	asideAfter   time.Time // when that may be tried again
}

func newShip(v *Voyage, f *fleet.Ship) *Ship {
	s := &Ship{v: v, feed: turn.New(), done: make(chan struct{})}
	s.Ship = ship.New(ship.Options{
		Core: v.Core, Access: v.common.Access,
		Works:  func() bool { return reads(v, func() bool { return s.known.State.State == proto.StateWorking }) },
		Rests:  func() bool { return reads(v, func() bool { return s.activity().Done(time.Now()) }) },
		Lost:   func() { v.claims.SettleLost(s.Ship, rights.Provider, "its machine no longer exists") },
		Stands: func(at time.Time, commit string) { v.Dispatcher.Watch.Stands(s.Name, commit, at) },
	}, f)
	s.limit = limits.Ship{Name: f.Name, Login: v.Secrets.LoginName(s.Agent, s.Name), Longest: s.Agent.LongestLimit()}
	s.gifts = newGifts(s)
	return s
}

// activity returns what helm knows of the ship's agent now. The caller holds v.mu.
func (s *Ship) activity() facts.Activity {
	return facts.Activity{Known: s.known, Talks: s.Agent.Talks, Connected: s.Reach.Conn() != nil, Waits: s.waits, Mail: s.mail}
}

// startWork connects to the ship and looks after it until close.
func (s *Ship) startWork() {
	s.v.Go(func() {
		defer close(s.done)
		defer s.Stop()
		logs, err := openLog(s.Ship, s.v.Dir, s.v.Notes)
		if err != nil {
			return
		}
		defer logs.Close()
		if s.feed.Lock(s.Context) != nil {
			return
		}
		s.logs = logs
		s.restore()
		s.feed.Unlock()
		changes(s.v, func() { s.restored = true })
		if err = s.Reach.Open(); err != nil {
			s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: err.Error()})
			return
		}
		defer s.Reach.Close()
		tree := shiptree.New(s.Context, s.Reach.Link(), s.Record().Home)
		defer tree.Close()
		s.Remote = tree
		s.Reach.Serve(s.Context, reach.Service{Answer: s.methods, During: s.goOn})
	})
}

// goOn starts the goroutines that run while the ship is connected.
func (s *Ship) goOn(jobs context.Context, conn *wire.Conn) {
	s.v.Go(func() { s.pushTasks(jobs, conn) })
	s.v.Go(func() {
		s.v.Tree.Keep(jobs, s.InTree()) // before that the ship has no files, which must not count as work
		s.Copies.Run(jobs)
	})
	s.v.Go(func() { s.courier(jobs, conn) })
	s.v.Go(func() { s.PushAllowance(jobs, conn, func() int { return len(s.v.allShips()) }) })
}

// openLog opens the ship's log. It tries until helm no longer looks after the ship.
func openLog(s *ship.Ship, d fleet.Dir, tell *notes.Notes) (*shiplog.File, error) {
	for {
		logs, err := shiplog.Open(d.LogFile(s.Name))
		if err == nil {
			return logs, nil
		}
		tell.Add(fleet.Note{Ship: s.Name, Text: "its log cannot be written: " + err.Error()})
		if err := retry.Sleep(s.Context, 10*time.Second); err != nil {
			return nil, err
		}
	}
}

// close ends helm's work on the ship, which sails on. Requests under way fail.
func (s *Ship) close() {
	s.Stop()
	<-s.done
	s.Reach.LetGo()
	s.v.Offers.Withdraw(s.Name)
}

// pushTasks keeps the ship's view of the task list up to date, as long as the connection lasts.
func (s *Ship) pushTasks(ctx context.Context, conn *wire.Conn) {
	tasklist.Push(ctx, tasklist.Ship{Conn: conn, Store: s.v.Store, Is: s.Claimant(), Look: s.v.Look}, func(err error) {
		s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: "its task list cannot be kept up to date: " + clean.Bound(err.Error(), clean.MaxText)})
	})
}

// sendMessage has a message typed to the agent.
func (s *Ship) sendMessage(ctx context.Context, text string) (api.Said, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn := s.Reach.Conn()
	changes(s.v, func() {
		s.mail++ // an agent that waits for a task must end its turn to read
		s.v.News.Send()
	})
	defer func() {
		changes(s.v, func() { s.mail-- })
	}()
	if conn == nil {
		return api.Said{}, api.Refused("%s cannot be reached now", s.Name)
	}
	var said proto.Said
	err := conn.Call(ctx, proto.MethodSay, proto.Say{ID: fleet.NewID(), Text: text}, &said)
	return api.Said{Submitted: said.Heard}, err
}
