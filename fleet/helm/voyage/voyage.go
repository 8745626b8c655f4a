// Package voyage looks after a voyage: it hands out the tasks, merges the work, and has machines made, reached and destroyed.
package voyage

import (
	"context"
	"errors"
	"fmt"
	"os"
	gosync "sync"
	"time"

	"golang.org/x/time/rate"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/captain"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/embeddings"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/issues"
	"ocaptain/fleet/helm/jobs"
	"ocaptain/fleet/helm/keeper"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/lacks"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/measures"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/helm/pauses"
	"ocaptain/fleet/helm/plan"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/helm/session"
	"ocaptain/fleet/helm/sharing"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/spending"
	"ocaptain/fleet/helm/steering"
	"ocaptain/fleet/helm/verify"
	"ocaptain/fleet/helm/watchman"
	"ocaptain/fleet/helm/work"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
)

// Voyage is one voyage that helm looks after.
type Voyage struct {
	*core.Core
	common  *Common
	journal *journal.Journal
	redis   *redislog.Log    // nil unless hubs share the store
	Sharing *sharing.Sharing // of a session
	stop    context.CancelFunc
	jobs    jobs.Group

	measures   *measures.Measures
	vectors    *embeddings.Maker
	issues     *issues.Issues
	lacks      *lacks.Lacks
	watchman   *watchman.Watchman
	Dispatcher *dispatcher.Dispatcher
	Pauses     *pauses.Pauses
	Captain    *captain.Captain
	Tree       *livetree.Tree // that hub and ships share

	Fit      *fit.Fit
	caller   *notify.Caller
	claims   *claims.Claims
	Verifier *verify.Verifier
	Requests *work.Work // carries out what ships ask about tasks

	keeper *keeper.Keeper
	poke   wake.Signal // asks for a look at agents that rest

	mu gosync.Mutex
	memory
}

// memory is what helm remembers of a voyage. It is guarded by the voyage's mu.
type memory struct {
	limits limits.Limits    // limits of the services behind agents
	ships  map[string]*Ship // ships that have a machine
	noted  *rate.Limiter    // bounds the records of holds that concern no single ship
}

// Open loads a voyage and repairs what a crash left. Begin starts its work, which ends with ctx.
func Open(ctx context.Context, c *Common, d fleet.Dir) (_ *Voyage, err error) {
	v := &Voyage{
		Core:   &core.Core{Dir: d, Log: c.Log.With("voyage", d.ID()), Post: post.New(d), Paint: wake.New(), Clock: c.Clock},
		common: c, poke: wake.New(),
		memory: memory{
			ships: map[string]*Ship{}, noted: ship.NewRation(),
		},
	}
	v.Go, v.Secrets = v.jobs.Go, secrets.New(d, &v.Files)
	v.Context, v.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			v.Close()
		}
	}()
	was, err := v.load()
	if err != nil {
		return nil, err
	}
	v.claims = claims.New(claims.Options{Core: v.Core, Ship: v.shipOf, Ships: v.allShips, Awake: c.Awake})
	v.Verifier = verify.New(v.Core, was.Orders, v.shipOf)
	v.caller = c.Calls.NewCaller(d.ID(), d.Told(), v.Notes.Tell)
	for _, s := range v.Roster.Now().Ships {
		if c.Providers[s.Provider] == nil {
			return nil, fmt.Errorf("%s: this ocaptain does not know its provider %q", s.Name, s.Provider)
		}
	}
	v.measures = measures.New(measures.Options{Dir: d, Order: v.Info.Telemetry, Redact: v.Secrets.Redact, Tell: v.Notes.Tell, Log: v.Log, Closed: core.ErrEnds})
	v.vectors = embeddings.New(c.Hub, d, v.Info.Embeddings, v.Secrets.Redact, v.Notes.Tell)
	v.Guards = v.Info.Guards
	lost := func(err error) {
		was.Found = append(was.Found, "secrets.json "+saved.WasLost(err)+"; it was written again from its copy")
	}
	if err := v.Secrets.Restore(lost); err != nil && !errors.Is(err, os.ErrNotExist) {
		v.Log.Error("secrets.json", "error", err)
	}
	for _, text := range was.Found {
		v.Notes.Tell(text)
	}
	if v.Work, err = hub.Open(ctx, d.Workspace(), v.Info.Branch, hub.Options{Clean: v.Secrets.Redact, Withheld: d.Bring(), Shared: v.Info.Sync == fleet.SyncLive, Upstream: v.upstream(), Tell: v.Notes.Tell}); err != nil {
		return nil, err
	}
	if err := v.openStore(was.Board); err != nil {
		return nil, err
	}
	v.Fit = newFit(v)
	v.Hinders = hindrance.New(hindrance.Options{
		Dir: d, Shared: v.Info.Shared, Journal: v.journal, Store: v.Store, Work: v.Work, Log: v.Log, Script: v.Verifier.Script, News: &v.News, Paint: v.Paint, Notes: v.Notes,
	})
	v.Spending = spending.New(spending.Options{
		Dir: d, Guards: &v.Guards, Files: &v.Files, Book: v.Book, Hinders: v.Hinders, Log: v.Log, News: &v.News, Paint: v.Paint, Notes: v.Notes,
	}, was.Spending)
	v.Pauses, v.Dispatcher, v.watchman = newPauses(v), newDispatcher(v), newWatchman(v)
	v.Steering = steering.New(steering.Options{
		Dir: d, Guard: v.Guards.Steering, Book: v.Book, Redact: v.Secrets.Redact, News: &v.News, Paint: v.Paint,
	}, was.Steering)
	v.issues = issues.New(issues.Options{Core: v.Core, Moved: v.claims.HeadMoved, Propose: v.propose})
	v.Tree = livetree.New(livetree.Options{Core: v.Core, Trees: c.Trees})
	v.Sharing = sharing.New(sharing.Options{Core: v.Core, Claims: v.claims, Redis: v.redis, Tree: v.Tree, Issues: v.issues.Tasks})
	in := newReview(v)
	v.Captain = captain.New(captain.Options{Core: v.Core, Claims: v.claims, Review: in, Tell: v.tellAgent})
	v.lacks = lacks.New(lacks.Options{Here: c.Here, Config: c.Hub.ConfigFile(), Notes: v.Notes, Go: v.Go})
	v.Requests = work.New(work.Options{Core: v.Core, Claims: v.claims, Review: in, Captain: v.Captain, Tree: v.Tree, Share: v.Sharing.Refs.HandIn})
	v.keeper = newKeeper(v)
	v.Proposals.DropAdded(v.Store.Snapshot())
	if v.Info.Shared == nil {
		if err := v.claims.Settle(); err != nil {
			return nil, err
		}
	}
	v.Records.DropCurrent(v.Store.Snapshot().Task)
	head, err := v.Work.Head(v.Context)
	if err != nil {
		return nil, err
	}
	v.claims.SetHead(head)
	if !v.Sharing.Refs.IsShared() { // with a shared repository, the branch may be behind
		v.claims.NameDropped()
	}
	if had, is := v.Info.Version, v.Info.AgentOf(&fleet.Ship{Agent: v.Info.Agent, Release: v.Info.Releases[v.Info.Agent]}).Gets(); had != "" && is != had && v.Roster.Now().Phase != fleet.Sunk {
		v.Notes.Add(fleet.Note{Text: fmt.Sprintf("was provisioned with %s %s, and this ocaptain works with %s: ships that are started again or added get that", v.Info.Agent, had, is)})
	}
	v.Roster.Record()
	v.Paint.Send()
	return v, nil
}

// kindOf returns the kind of a voyage, nil for an unknown kind. A new kind is a line here.
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
	v.Go(v.watchman.Run)
}

// startWork begins all work but that of the watchman.
func (v *Voyage) startWork() {
	old, _ := fleet.LoadBoard(v.Dir) // if there is no board, the next copies show the state
	v.Go(v.keeper.Paint)
	if onward := v.measures.Forward(); onward != nil { // forwards from the start, before ships deliver measurements
		v.Go(func() { onward.Run(v.Context) })
	}
	v.Go(func() { v.caller.Run(v.Context) })
	v.Go(v.keeper.Run)
	v.Go(v.followStore)
	v.Go(func() { v.issues.KeepFile(v.Context) })
	v.Go(func() { v.Tree.Run(v.Context) })
	v.Go(func() { v.issues.Follow(v.Context) })
	v.Go(func() { v.issues.KeepDatabase(v.Context) })
	v.Go(v.claims.Listen)
	v.Go(func() { v.Hinders.Run(v.Context) })
	v.Go(v.Verifier.Run)
	v.Go(v.rouser)
	v.Go(v.Dispatcher.Run)
	v.Requests.Review.Run()
	v.Go(v.Dispatcher.Watch.Run)
	v.Go(v.Fit.Run)
	for _, s := range v.Roster.Now().Ships {
		if s.Phase == fleet.Afloat {
			v.launch(s)
			if s, err := v.ShipNamed(s.Name); err == nil {
				s.RecallCopy(old)
			}
		}
	}
	if v.Info.Shared != nil {
		v.Go(v.Sharing.Settle)
		v.Go(v.Sharing.KeepLease)
		v.Go(v.Sharing.KeepRefs)
	}
	v.Go(v.Captain.FinishCancels)
	v.Go(v.Fit.Resume)
}

// Close ends helm's work on the voyage. Its ships continue without helm.
func (v *Voyage) Close() {
	v.stop()
	v.jobs.Close()
	if v.Roster != nil {
		v.Roster.Close()
	}
	if v.Book != nil {
		v.Book.Close()
	}
	if v.measures != nil {
		v.measures.Close()
	}
	if v.Store != nil {
		_ = v.Store.Close()
	}
	if v.redis != nil {
		_ = v.redis.Close()
	}
	if v.Work != nil {
		_ = v.Work.Close()
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
		if f := v.Roster.Ship(name); f != nil {
			return nil, api.Refused("%s is %s", name, f.Phase)
		}
		return nil, api.NotFound("voyage %s has no %s", v.Dir.ID(), name)
	})
}

// shipOf returns a ship that has a machine, nil for none.
func (v *Voyage) shipOf(name string) *ship.Ship {
	return reads(v, func() *ship.Ship {
		if s := v.ships[name]; s != nil {
			return s.Ship
		}
		return nil
	})
}

// allShips returns the ships that have a machine.
func (v *Voyage) allShips() []*ship.Ship {
	return reads(v, func() (all []*ship.Ship) {
		for _, s := range v.ships {
			all = append(all, s.Ship)
		}
		return all
	})
}

// launch begins to look after a ship that is afloat.
func (v *Voyage) launch(f *fleet.Ship) {
	var s *Ship
	v.Pauses.Forget(f.Name)
	changes(v, func() {
		s = newShip(v, f)
		v.ships[f.Name] = s
		v.Dispatcher.Watch.Change(func(is *pool.Watch) { is.Forget(f.Name) })
	})
	s.startWork()
}

// followStore follows the store: it wakes waiting calls and sees when all is done.
func (v *Voyage) followStore() {
	for range v.Store.Watch(v.Context) {
		v.News.Send()
		v.Paint.Send()
		v.Sharing.SettleForgotten()
		said := ""
		for err := v.Captain.Coordinate(); err != nil && retry.Sleep(v.Context, time.Second) == nil; err = v.Captain.Coordinate() {
			if text := err.Error(); text != said { // the usual cause is a full disk, which is a need already
				v.Log.Error("tasks that consist of others", "error", text)
				said = text
			}
		}
		if v.issues.WriteSoon(); v.Kind.IsDone(v.Store.Snapshot()) {
			_ = v.issues.Write(v.Context) // before the voyage is verified; when it fails, KeepFile tries again
		}
		v.Verifier.Progressed()
	}
}
