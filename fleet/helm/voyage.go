package helm

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	gosync "sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/sync/gitflow"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
)

// voyage is one voyage that helm looks after.
type voyage struct {
	helm    *Helm
	dir     fleet.Dir
	info    fleet.Voyage
	journal *journal.Journal
	store   tasks.Store
	work    *gitflow.Hub
	log     *slog.Logger
	ctx     context.Context // ends with helm
	stop    context.CancelFunc
	jobs    gosync.WaitGroup
	busy    gosync.Mutex // held by what changes the set of ships: sail, add, remove, sink

	verifyBegun atomic.Bool // a verification of the finished voyage is under way

	mu        gosync.Mutex
	fleet     fleet.Fleet
	ships     map[string]*ship // those that have a machine
	notes     []fleet.Note
	offers    map[string]offer  // ready tasks that a waiting ship was told of
	checkouts map[string]uint64 // epoch of each task's claim whose checkout is done
	head      string
	changed   chan struct{} // closed and replaced at every change
	paint     chan struct{} // asks for a new board
}

// openVoyage loads a voyage, settles what a crash left open, and goes on with it.
func openVoyage(h *Helm, d fleet.Dir) (*voyage, error) {
	info, err := fleet.LoadVoyage(d)
	if err != nil {
		return nil, err
	}
	f, err := fleet.LoadFleet(d)
	if err != nil {
		return nil, err
	}
	v := &voyage{
		helm: h, dir: d, info: info, fleet: f,
		log:   h.log.With("voyage", d.ID()),
		ships: map[string]*ship{}, offers: map[string]offer{}, checkouts: map[string]uint64{},
		changed: make(chan struct{}), paint: make(chan struct{}, 1),
	}
	if v.journal, err = journal.Open(d.Events()); err != nil {
		return nil, err
	}
	if err := v.replay(); err != nil {
		return nil, err
	}
	store, err := dirstore.Open(d.Tasks(), v.journal, v.tampered)
	if err != nil {
		return nil, err
	}
	v.store = store
	if v.work, err = gitflow.Open(h.ctx, d.Workspace(), info.Branch, gitflow.Options{}); err != nil {
		return nil, err
	}
	v.ctx, v.stop = context.WithCancel(h.ctx)
	if err := v.settle(); err != nil {
		v.close()
		return nil, err
	}
	if v.head, err = v.work.Head(v.ctx); err != nil {
		v.close()
		return nil, err
	}
	v.jobs.Go(v.painter)
	v.jobs.Go(v.watch)
	v.jobs.Go(v.listen)
	for _, s := range v.fleet.Ships {
		if s.Phase == fleet.Afloat {
			v.launch(s)
		}
	}
	v.resume()
	return v, nil
}

// close ends helm's work on the voyage; its ships sail on.
func (v *voyage) close() {
	v.stop()
	v.mu.Lock()
	ships := v.ships
	v.mu.Unlock()
	for _, s := range ships {
		s.close()
	}
	v.jobs.Wait()
	_ = v.store.Close()
	_ = v.work.Close()
	_ = v.journal.Close()
}

// settle records completions that were merged but not journaled before a crash:
// the branch is the proof.
func (v *voyage) settle() error {
	for _, t := range v.store.Snapshot().Tasks {
		if t.Status != tasks.InProgress {
			continue
		}
		commit, err := v.work.Find(v.ctx, trailerClaim, claimID(t.ID, t.Epoch))
		if err != nil {
			return err
		}
		if commit == "" {
			continue
		}
		done := tasks.Completion{Task: t.ID, Owner: t.Owner, Epoch: t.Epoch, Commit: commit}
		if err := v.store.Complete(v.ctx, done); err != nil {
			return err
		}
	}
	return nil
}

// resume goes on with what helm was doing when it ended.
func (v *voyage) resume() {
	v.mu.Lock()
	phase := v.fleet.Phase
	v.mu.Unlock()
	switch phase {
	case fleet.Fitting, fleet.Sailing, fleet.Verifying, fleet.Complete, fleet.VerifyFailed:
		v.jobs.Go(func() {
			v.busy.Lock()
			defer v.busy.Unlock()
			v.finishRemovals()
			if err := v.fitAll(v.ctx, nil); err != nil && v.ctx.Err() == nil {
				v.note(fleet.Note{Text: "fitting out: " + err.Error()})
			}
		})
	case fleet.Sinking:
		v.jobs.Go(func() {
			v.busy.Lock()
			defer v.busy.Unlock()
			if err := v.sinkAll(v.ctx, func(Progress) {}); err != nil && v.ctx.Err() == nil {
				v.note(fleet.Note{Text: "sinking: " + err.Error()})
			}
		})
	}
}

// finishRemovals destroys the ships that helm was destroying when it ended.
func (v *voyage) finishRemovals() {
	v.mu.Lock()
	var going []string
	for _, s := range v.fleet.Ships {
		if s.Phase == fleet.Going {
			going = append(going, s.Name)
		}
	}
	v.mu.Unlock()
	for _, name := range going {
		if err := v.removeShip(v.ctx, name, func(Progress) {}, true); err != nil && v.ctx.Err() == nil {
			v.note(fleet.Note{Ship: name, Text: "sinking: " + err.Error()})
		}
	}
}

// ship returns the running side of a ship.
func (v *voyage) ship(name string) (*ship, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.ships[name]; s != nil {
		return s, nil
	}
	if f := v.fleet.Ship(name); f != nil {
		return nil, &answerError{fmt.Sprintf("%s is %s", name, f.Phase), ErrRefused}
	}
	return nil, &answerError{fmt.Sprintf("voyage %s has no %s", v.dir.ID(), name), ErrNotFound}
}

// launch begins to look after a ship that is afloat.
func (v *voyage) launch(f *fleet.Ship) {
	s := newShip(v, f)
	v.mu.Lock()
	v.ships[f.Name] = s
	v.mu.Unlock()
	s.begin()
}

// change alters the fleet and keeps it.
func (v *voyage) change(fn func(*fleet.Fleet)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changeLocked(fn)
}

func (v *voyage) changeLocked(fn func(*fleet.Fleet)) error {
	was := v.fleet.Phase
	fn(&v.fleet)
	if v.fleet.Phase != was {
		v.fleet.Since = time.Now()
		v.event("voyage.phase", map[string]any{"phase": v.fleet.Phase})
	}
	v.touchLocked()
	return v.fleet.Save(v.dir)
}

// touch wakes everybody who waits for a change.
func (v *voyage) touch() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.touchLocked()
}

func (v *voyage) touchLocked() {
	close(v.changed)
	v.changed = make(chan struct{})
	select {
	case v.paint <- struct{}{}:
	default:
	}
}

// event adds to the voyage's journal what the store does not.
func (v *voyage) event(kind string, data any) {
	if _, err := v.journal.Note(kind, data); err != nil && v.ctx.Err() == nil {
		v.log.Error("journal", "error", err)
	}
}

// maxNotes bounds what the board shows; the journal has all.
const maxNotes = 50

// note tells the captain something.
func (v *voyage) note(n fleet.Note) {
	n.At = time.Now()
	v.event(kindNote, n)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keepNote(n)
	v.touchLocked()
}

func (v *voyage) keepNote(n fleet.Note) {
	v.notes = append(v.notes, n)
	if len(v.notes) > maxNotes {
		v.notes = append([]fleet.Note(nil), v.notes[len(v.notes)-maxNotes:]...)
	}
}

// watch follows the store: it wakes those who wait and sees when all is done.
func (v *voyage) watch() {
	for range v.store.Watch(v.ctx) {
		v.touch()
		v.progressed()
	}
}

// listen gives a ship's task to others after the silence that the captain chose. A
// ship's silence is counted while helm runs and the hub is awake: a laptop that slept
// proves nothing.
func (v *voyage) listen() {
	if v.info.Reclaim <= 0 {
		return
	}
	for sleep(v.ctx, 5*time.Second) == nil {
		v.mu.Lock()
		var silent []string
		for name, s := range v.ships {
			if !s.known.Connected && !s.known.LinkSince.IsZero() && time.Since(s.known.LinkSince) > v.info.Reclaim {
				silent = append(silent, name)
			}
		}
		v.mu.Unlock()
		for _, name := range silent {
			v.reclaim(name, fmt.Sprintf("nothing was heard of %s for %s", name, v.info.Reclaim))
		}
	}
}

// held returns the task that a ship works on, or nil.
func held(s tasks.Snapshot, ship string) *tasks.State {
	for _, t := range s.Tasks {
		if t.Status == tasks.InProgress && t.Owner == ship {
			return t
		}
	}
	return nil
}

// allDone reports whether every task is completed. A voyage without tasks is never done.
func allDone(s tasks.Snapshot) bool {
	n := 0
	for _, t := range s.Tasks {
		if t.Internal() {
			continue
		}
		if t.Status != tasks.Completed {
			return false
		}
		n++
	}
	return n > 0
}

// errHelmEnds makes the ship ask again, rather than tell its agent no.
var errHelmEnds = &wire.Error{Code: aboard.CodeAway, Text: "helm is being restarted"}

// tampered tells the captain what others did to the task directory, which the store
// has undone already. Metadata alone is theirs to add.
func (v *voyage) tampered(all []dirstore.Tamper) {
	for _, t := range all {
		var text string
		switch t.What {
		case dirstore.Annotated:
			if err := v.store.Annotate(v.ctx, t.Task, t.Metadata); err != nil {
				v.log.Warn("metadata not kept", "task", t.Task, "error", err)
			}
			continue
		case dirstore.Edited:
			text = "its file was edited (" + strings.Join(t.Fields, ", ") + ") and restored: only claims and completions through ocaptain count"
		case dirstore.Created:
			text = fmt.Sprintf("a task file was added and put aside as a proposal: %s", t.Kept)
		default:
			text = "its file was " + string(t.What) + " and restored"
		}
		v.note(fleet.Note{Task: t.Task, Text: text})
	}
}
