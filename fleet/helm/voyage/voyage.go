// Package voyage looks after a voyage: it hands out the tasks, merges the work, and has machines made, reached and destroyed.
package voyage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	gosync "sync"
	"time"

	"golang.org/x/time/rate"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/captain"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/embeddings"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/issues"
	"ocaptain/fleet/helm/jobs"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/lacks"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/measures"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/helm/pauses"
	"ocaptain/fleet/helm/plan"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/helm/session"
	"ocaptain/fleet/helm/spending"
	"ocaptain/fleet/helm/steering"
	"ocaptain/fleet/helm/watchman"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
	"ocaptain/fleet/wake"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
)

// Voyage is one voyage that helm looks after.
type Voyage struct {
	common  *Common
	dir     fleet.Dir
	info    fleet.Voyage
	kind    kind.Kind // decides; all else here carries out
	journal *journal.Journal
	book    *book.Book // writes to the journal what the store does not
	store   *dirstore.Store
	forgot  int           // changes that Redis forgot, as far as that is settled; only followStore uses it
	redis   *redislog.Log // of a store that hubs share, else nil
	work    *hub.Hub
	log     *slog.Logger
	ctx     context.Context // ends with helm
	stop    context.CancelFunc
	jobs    jobs.Group

	measures   *measures.Measures
	paces      *pace.Paces // of ships that are being provisioned
	vectors    *embeddings.Maker
	issues     *issues.Issues
	lacks      *lacks.Lacks
	hinders    *hindrance.Hindrances
	spending   *spending.Spending
	steering   *steering.Steering
	proposals  *proposals.Proposals
	watchman   *watchman.Watchman
	dispatcher *dispatcher.Dispatcher
	Pauses     *pauses.Pauses
	Captain    *captain.Captain
	Tree       *livetree.Tree // that hub and ships share

	roster  *roster.Roster
	Fit     *fit.Fit
	post    *post.Post
	notes   *notes.Notes
	caller  *notify.Caller
	secrets *secrets.Keeper // of its agents
	grants  gosync.RWMutex  // read by claims, written by what must not meet one
	guards  fleet.Guards

	keeping gosync.Mutex // held while files are looked at; before roster.Save
	files   kept.Files
	merges  turn.Turn   // held while what was approved is merged
	news    wake.News   // is sent when tasks, phase or mail change
	paint   wake.Signal // asks for a new board
	poke    wake.Signal // asks for a look at agents that rest

	mu gosync.Mutex
	memory
}

// memory is what helm remembers of a voyage. It is guarded by the voyage's mu.
type memory struct {
	facts  facts.State
	limits limits.Limits // of the services behind agents
	orders fleet.Orders  // as the captain last agreed to them

	head string // of the branch

	ships    map[string]*Ship // ships that have a machine
	offers   facts.Offers
	view     *kind.View // of the newest snapshot that was looked at
	failures facts.Failures
	dropped  map[string]string // commit of each task whose work was missing on the branch, and that was said
	noted    *rate.Limiter     // of what is written down about holds for no ship of its own
	runs     int               // of verify.sh that are under way
	checking map[*Ship]string  // what validators check: a task, "" for several
	commits  pool.Watch        // of a pool's workers
}

// Open loads a voyage and settles what a crash left open. Begin goes on with it. The voyage's work ends with ctx.
func Open(ctx context.Context, c *Common, d fleet.Dir) (_ *Voyage, err error) {
	v := &Voyage{
		common: c, dir: d, log: c.Log.With("voyage", d.ID()), merges: turn.New(),
		post: post.New(d), paint: wake.New(), poke: wake.New(),
		memory: memory{
			ships: map[string]*Ship{}, checking: map[*Ship]string{},
			dropped: map[string]string{}, noted: newRation(),
		},
	}
	v.secrets = secrets.New(d, &v.files)
	v.ctx, v.stop = context.WithCancel(ctx)
	ticks := pace.Ticks
	if c.paceTicks != nil {
		ticks = c.paceTicks
	}
	v.paces = pace.New(v.ctx, ticks, v.requestBoard)
	defer func() {
		if err != nil {
			v.Close()
		}
	}()
	was, err := v.load()
	if err != nil {
		return nil, err
	}
	v.caller = c.Calls.NewCaller(d.ID(), d.Told(), v.notes.Tell)
	for _, s := range v.roster.Now().Ships {
		if c.Providers[s.Provider] == nil {
			return nil, fmt.Errorf("%s: this ocaptain does not know its provider %q", s.Name, s.Provider)
		}
	}
	v.measures = measures.New(measures.Options{Dir: d, Order: v.info.Telemetry, Redact: v.secrets.Redact, Tell: v.notes.Tell, Log: v.log, Closed: errHelmEnds})
	v.vectors = embeddings.New(c.Hub, d, v.info.Embeddings, v.secrets.Redact, v.notes.Tell)
	v.guards = v.info.Guards
	lost := func(err error) {
		was.Found = append(was.Found, "secrets.json "+saved.WasLost(err)+"; it was written again from its copy")
	}
	if err := v.secrets.Restore(lost); err != nil && !errors.Is(err, os.ErrNotExist) {
		v.log.Error("secrets.json", "error", err)
	}
	for _, text := range was.Found {
		v.notes.Tell(text)
	}
	if v.work, err = hub.Open(ctx, d.Workspace(), v.info.Branch, hub.Options{Clean: v.secrets.Redact, Withheld: d.Bring(), Shared: v.info.Sync == fleet.SyncLive, Upstream: v.upstream(), Tell: v.notes.Tell}); err != nil {
		return nil, err
	}
	if err := v.openStore(was.Board); err != nil {
		return nil, err
	}
	v.Fit = v.newFit()
	v.hinders = hindrance.New(hindrance.Options{
		Dir: d, Shared: v.info.Shared, Journal: v.journal, Store: v.store, Work: v.work, Log: v.log, Script: v.verifyScript, News: &v.news, Paint: v.paint, Notes: v.notes,
	})
	v.spending = spending.New(spending.Options{
		Dir: d, Guards: &v.guards, Files: &v.files, Book: v.book, Hinders: v.hinders, Log: v.log, News: &v.news, Paint: v.paint, Notes: v.notes,
	}, was.Spending)
	v.Pauses, v.dispatcher, v.watchman = v.newPauses(), v.newDispatcher(), v.newWatchman()
	v.steering = steering.New(steering.Options{
		Dir: d, Guard: v.guards.Steering, Book: v.book, Redact: v.secrets.Redact, News: &v.news, Paint: v.paint,
	}, was.Steering)
	v.Captain = v.newCaptain()
	v.issues = v.newIssues()
	v.lacks = lacks.New(lacks.Options{Here: c.Here, Config: c.Hub.ConfigFile(), Notes: v.notes, Go: v.jobs.Go})
	v.Tree = livetree.New(livetree.Options{Trees: c.Trees, Info: &v.info, Dir: d, Work: v.work, Log: v.log, Notes: v.notes, Paint: v.paint})
	v.proposals.DropAdded(v.store.Snapshot())
	if v.info.Shared == nil {
		if err := v.settle(); err != nil {
			return nil, err
		}
	}
	v.facts.Claims.DropCurrent(v.store.Snapshot().Task)
	if v.head, err = v.work.Head(v.ctx); err != nil {
		return nil, err
	}
	v.namesDropped()
	if had, is := v.info.Version, v.info.AgentOf(&fleet.Ship{Agent: v.info.Agent, Release: v.info.Releases[v.info.Agent]}).Gets(); had != "" && is != had && v.roster.Now().Phase != fleet.Sunk {
		v.notes.Add(fleet.Note{Text: fmt.Sprintf("was provisioned with %s %s, and this ocaptain works with %s: ships that are started again or added get that", v.info.Agent, had, is)})
	}
	v.roster.Record()
	v.requestBoard()
	return v, nil
}

// kindOf is the kind of a voyage, nil for an unknown kind. A new kind is a line here.
func kindOf(v fleet.Voyage) kind.Kind {
	switch v.Kind {
	case fleet.Plan:
		return plan.Plan{Voyage: v.ID, Fixes: v.Fix, Validators: v.Validators}
	case fleet.Session:
		return session.Session{Spec: v.SessionSpec, Plan: plan.Plan{Voyage: v.SessionID(), Fixes: v.Fix, Validators: v.Validators, MaxQueue: v.MaxQueue, HandsIn: v.Shared != nil && v.Shared.Reviewed, Hub: v.HubNumber()}}
	case fleet.Pool:
		return pool.Pool{Voyage: v.ID, Name: v.Name}
	}
	return nil
}

// Begin begins all work on a voyage that was loaded.
func (v *Voyage) Begin() {
	v.startWork()
	v.jobs.Go(v.watchman.Run)
}

// startWork begins all work but that of the watchman.
func (v *Voyage) startWork() {
	old, _ := fleet.LoadBoard(v.dir) // without it the next copies tell
	v.jobs.Go(v.painter)
	if onward := v.measures.Forward(); onward != nil { // before ships deliver
		v.jobs.Go(func() { onward.Run(v.ctx) })
	}
	v.jobs.Go(func() { v.caller.Run(v.ctx) })
	v.jobs.Go(v.keeper)
	v.jobs.Go(v.followStore)
	v.jobs.Go(func() { v.issues.KeepFile(v.ctx) })
	v.jobs.Go(func() { v.Tree.Run(v.ctx) })
	v.jobs.Go(func() { v.issues.Follow(v.ctx) })
	v.jobs.Go(func() { v.issues.KeepDatabase(v.ctx) })
	v.jobs.Go(v.listen)
	v.jobs.Go(func() { v.hinders.Run(v.ctx) })
	v.jobs.Go(v.verifier)
	v.jobs.Go(v.rouser)
	v.jobs.Go(v.dispatcher.Run)
	v.reviewers()
	v.jobs.Go(v.watchPool)
	v.jobs.Go(v.Fit.Run)
	for _, s := range v.roster.Now().Ships {
		if s.Phase == fleet.Afloat {
			v.launch(s)
			if s, err := v.ShipNamed(s.Name); err == nil {
				s.recallCopy(old)
			}
		}
	}
	if v.info.Shared != nil {
		v.jobs.Go(v.settleShared)
		v.jobs.Go(v.keepLease)
	}
	v.jobs.Go(v.Captain.FinishCancels)
	v.jobs.Go(v.Fit.Resume)
}

// Close ends helm's work on the voyage, as far as it was begun; its ships sail on.
func (v *Voyage) Close() {
	v.stop()
	v.jobs.Close()
	if v.roster != nil {
		v.roster.Close()
	}
	if v.book != nil {
		v.book.Close()
	}
	if v.measures != nil {
		v.measures.Close()
	}
	if v.store != nil {
		_ = v.store.Close()
	}
	if v.redis != nil {
		_ = v.redis.Close()
	}
	if v.work != nil {
		_ = v.work.Close()
	}
	if v.journal != nil {
		_ = v.journal.Close()
	}
}

// ShipNamed returns the running side of a ship.
func (v *Voyage) ShipNamed(name string) (*Ship, error) {
	return reads2(v, func() (*Ship, error) {
		if s := v.ships[name]; s != nil {
			return s, nil
		}
		if f := v.roster.Ship(name); f != nil {
			return nil, api.Refused("%s is %s", name, f.Phase)
		}
		return nil, api.NotFound("voyage %s has no %s", v.dir.ID(), name)
	})
}

// launch begins to look after a ship that is afloat.
func (v *Voyage) launch(f *fleet.Ship) {
	var s *Ship
	v.Pauses.Forget(f.Name)
	changes(v, func() {
		s = newShip(v, f)
		v.ships[f.Name] = s
		v.commits.Forget(f.Name)
	})
	s.startWork()
}

// requestBoard asks for a new board.
func (v *Voyage) requestBoard() {
	v.paint.Send()
}

// followStore follows the store: it wakes waiting calls and sees when all is done.
func (v *Voyage) followStore() {
	for range v.store.Watch(v.ctx) {
		v.news.Send()
		v.requestBoard()
		v.settleForgotten()
		said := ""
		for err := v.Captain.Coordinate(); err != nil && retry.Sleep(v.ctx, time.Second) == nil; err = v.Captain.Coordinate() {
			if text := err.Error(); text != said { // most often there is no room for it now, which the captain is told
				v.log.Error("tasks that consist of others", "error", text)
				said = text
			}
		}
		if v.issues.WriteSoon(); v.kind.IsDone(v.store.Snapshot()) {
			_ = v.issues.Write(v.ctx) // before that is verified; where it fails, KeepFile goes on trying
		}
		v.progressed()
	}
}

// errHelmEnds makes the ship ask again, rather than tell its agent no.
var errHelmEnds = &wire.Error{Code: proto.CodeAway, Text: "helm is being restarted"}
