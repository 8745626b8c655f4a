package voyage

import (
	"context"
	"net"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/ignored"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/reach"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/helm/shiptree"
	"ocaptain/fleet/helm/tasklist"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Ship is the running side of a ship: its connection, what it reports, and what
// helm asks of it.
type Ship struct {
	sync.Remote // its tree, once there is a connection

	v        *Voyage
	name     string
	role     string
	here     bool // on this machine
	reach    *reach.Ship
	copies   *copies.Copies // of its tree
	gifts    *dispatcher.Ship
	ctx      context.Context // ends when the ship is let go
	stop     context.CancelFunc
	done     chan struct{} // closed when nothing of it runs any more
	tree     turn.Turn     // one tree operation at a time; a claim or a completion holds it throughout
	ignores  *ignored.Files
	feed     turn.Turn                                                                              // one batch of its journal at a time
	parcels  turn.Turn                                                                              // one parcel of its telemetry at a time
	logs     *shiplog.File                                                                          // guarded by feed
	check    func(ctx context.Context, dir, command string, script []byte) (said string, err error) // inClean
	agent    agent.Agent
	model    string // that it is asked to use, "" for its own choice
	unsure   string // claim whose merge may not be recorded; guarded by tree
	answered string // the claim of the last review that it handed in; guarded by tree

	shipMemory // guarded by v.mu
}

// shipMemory is what helm remembers of a ship.
type shipMemory struct {
	known     resolve.Known
	waits     int // calls that wait for something to do
	mail      int // messages on their way: a waiting agent should listen
	idle      facts.Idle
	said      string // the last words of its agent
	asked     string // the question on its screen that the captain was told of
	flooded   bool   // it knows that helm takes no further proposals
	restoring bool   // what is applied is old
	restored  bool   // all of that was
	launching bool   // the runner is being started
	leaving   bool   // it is about to be sunk, and gets no new tasks
	starts    facts.Starts
	trouble   facts.Trouble
	prompts   facts.Prompts
	refusals  facts.Refusals
	limit     limits.Ship

	quit         context.CancelFunc // ends a verification that runs on it
	batch        batch              // that a validator has begun
	settingAside bool               // what is left in its tree is being set aside
	asideAfter   time.Time          // before which that is not tried again

	budgets
}

// budgets bound what a ship has helm do.
type budgets struct {
	logged   facts.Budget  // of its log
	kept     facts.Budget  // of copies of its tree
	asking   facts.Budget  // of its requests
	measured facts.Budget  // of what its agent measured
	noted    *rate.Limiter // of what the ship makes helm write down
}

func newShip(v *Voyage, f *fleet.Ship) *Ship {
	s := &Ship{
		v: v, name: f.Name, role: f.Role, here: registry.Of(f.Provider).Here, agent: v.Info.AgentOf(f), model: v.Info.ModelOf(f),
		tree: turn.New(), feed: turn.New(), parcels: turn.New(), ignores: ignored.New(v.requestBoard), done: make(chan struct{}),
	}
	s.check = s.inClean
	s.logged, s.kept, s.asking, s.measured, s.noted = logBudget(), copyBudget(), askBudget(), telemetryBudget(), newRation()
	s.limit = limits.Ship{Name: f.Name, Login: v.Secrets.LoginName(s.agent, s.name), Longest: s.agent.LongestLimit()}
	s.ctx, s.stop = context.WithCancel(v.Context)
	s.known.Ship = *f
	s.reach = reach.New(reach.Options{
		Access: v.common.Access, Ship: *f, Machine: machines.IDOf(v.Dir.ID(), f), Replace: v.Dir.Command("ship replace %s", f.Name),
		Redact: v.Secrets.Redact, Log: v.Log, Notes: v.Notes, Paint: v.Paint, Go: v.Go, Keep: s.keep,
		Lost: func() { s.settleLost(rights.Provider, "its machine no longer exists") },
		Away: func() { v.Offers.Withdraw(s.name) },
	})
	s.copies, s.gifts = s.newCopies(), s.newGifts()
	return s
}

// startWork connects and keeps everything going until close.
func (s *Ship) startWork() {
	s.v.Go(func() {
		defer close(s.done)
		defer s.stop()
		logs, err := s.openLog()
		if err != nil {
			return
		}
		defer logs.Close()
		if s.feed.Lock(s.ctx) != nil {
			return
		}
		s.logs = logs
		s.restore()
		s.feed.Unlock()
		changes(s.v, func() { s.restored = true })
		if err = s.reach.Open(); err != nil {
			s.v.Notes.Add(fleet.Note{Ship: s.name, Text: err.Error()})
			return
		}
		defer s.reach.Close()
		tree := shiptree.New(s.ctx, s.reach.Link(), s.known.Ship.Home)
		defer tree.Close()
		s.Remote = tree
		s.reach.Serve(s.ctx, reach.Service{Answer: s.methods, During: s.goOn})
	})
}

// goOn starts what goes on for as long as the ship is connected.
func (s *Ship) goOn(jobs context.Context, conn *wire.Conn) {
	s.v.Go(func() { s.pushTasks(jobs, conn) })
	s.v.Go(func() {
		s.v.Tree.Keep(jobs, s.inTree()) // before that the ship has no files, which is no work
		s.copies.Run(jobs)
	})
	s.v.Go(func() { s.courier(jobs, conn) })
	s.v.Go(func() { s.pushAllowance(jobs, conn) })
}

// keep keeps what has changed of the ship in fleet.json.
func (s *Ship) keep(change func(*fleet.Ship)) {
	built := 0
	changes(s.v, func() {
		change(&s.known.Ship)
		built = s.known.Ship.Built
	})
	s.v.Roster.ChangeShip(s.name, func(f *fleet.Ship) {
		if f.Built == built {
			change(f)
		}
	})
}

// DialSSH reaches the ship's SSH server.
func (s *Ship) DialSSH(ctx context.Context) (net.Conn, error) { return s.reach.DialSSH(ctx) }

// openLog opens the ship's log, trying as long as the ship is looked after.
func (s *Ship) openLog() (*shiplog.File, error) {
	for {
		logs, err := shiplog.Open(s.v.Dir.LogFile(s.name))
		if err == nil {
			return logs, nil
		}
		s.v.Notes.Add(fleet.Note{Ship: s.name, Text: "its log cannot be written: " + err.Error()})
		if err := retry.Sleep(s.ctx, 10*time.Second); err != nil {
			return nil, err
		}
	}
}

// close lets go of the ship, which sails on. What is under way on it fails.
func (s *Ship) close() {
	s.stop()
	<-s.done
	s.reach.LetGo()
	s.v.Offers.Withdraw(s.name)
}

// pushTasks keeps the ship's view of the task list up to date, as long as the connection lasts.
func (s *Ship) pushTasks(ctx context.Context, conn *wire.Conn) {
	tasklist.Push(ctx, tasklist.Ship{Conn: conn, Store: s.v.Store, Is: s.claimant(), Look: s.v.Look}, func(err error) {
		s.v.Notes.Add(fleet.Note{Ship: s.name, Text: "its task list cannot be kept up to date: " + clean.Bound(err.Error(), maxText)})
	})
}

// sendMessage has a message typed to the agent.
func (s *Ship) sendMessage(ctx context.Context, text string) (api.Said, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn := s.reach.Conn()
	changes(s.v, func() {
		s.mail++ // an agent that waits for a task must end its turn to read
		s.v.News.Send()
	})
	defer func() {
		changes(s.v, func() { s.mail-- })
	}()
	if conn == nil {
		return api.Said{}, api.Refused("%s cannot be reached now", s.name)
	}
	var said proto.Said
	err := conn.Call(ctx, proto.MethodSay, proto.Say{ID: fleet.NewID(), Text: text}, &said)
	return api.Said{Submitted: said.Heard}, err
}

// conflicted notes a merge that was vetoed for conflicts in paths, as far as the ship's ration goes.
func (s *Ship) conflicted(t *tasks.State, paths []string) {
	c := facts.Conflict{Task: t.ID, Ship: s.name}
	for _, p := range paths[:min(len(paths), 20)] { // names of files are as many and as long as a ship likes
		c.Paths = append(c.Paths, clean.Bound(p, 200))
	}
	changes(s.v, func() {
		s.refusals.Clash(time.Now(), tasks.ClaimID(t.ID, t.Epoch), c.Paths)
		s.v.requestBoard()
	})
	ok := s.noted.Allow()
	s.v.Records.Conflict(c, ok)
	if !ok {
		return
	}
	s.v.Notes.Add(fleet.Note{Ship: s.name, Task: c.Task, Text: clean.Bound("merge conflict in "+strings.Join(c.Paths[:min(len(c.Paths), 5)], ", ")+"; its agent was asked to resolve it", 500)})
}

// refused notes why a completion was refused, for as long as the claim lasts.
func (s *Ship) refused(t *tasks.State, why string) {
	changes(s.v, func() {
		s.refusals.Veto(tasks.ClaimID(t.ID, t.Epoch), why)
		s.v.requestBoard()
	})
}
