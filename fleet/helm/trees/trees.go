// Package trees syncs the shared tree of a voyage between hub and ships (ocaptain help live).
//
// It uses Mutagen: for each ship, a session syncs the hub's workspace and the ship's in both directions, and never overwrites a
// change that the other side has not seen. Mutagen's daemon goes on when helm ends.
package trees

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
	"ocaptain/sync/mutagen"
)

// Options say where Mutagen finds its files and the ships.
type Options struct {
	Dir  string   // Mutagen's data directory
	Link string   // a short path that has to lead to Dir
	Key  string   // file of the key that logs in to ships
	Nc   []string // the command that connects to a ship; VOYAGE/SHIP and the port are appended

	// Tell is called with the state of a ship's tree, first and at every change.
	Tell func(voyage, ship string, is fleet.SharedTree)
	Log  *slog.Logger
}

// Trees syncs the shared trees of all voyages.
type Trees struct {
	o    Options
	ctx  context.Context // ends when helm ends
	jobs func(func())

	using gosync.RWMutex // held for reading while a session is made or flushed, and for writing while Mutagen is stopped; taken before mu
	mu    gosync.Mutex
	home  *mutagen.Home // nil while it is not needed
	end   func()        // stops the goroutine that watches home
}

// New returns a Trees. It looks for Mutagen when the first ship joins. jobs starts functions that run until ctx ends.
func New(ctx context.Context, o Options, jobs func(func())) *Trees {
	return &Trees{o: o, ctx: ctx, jobs: jobs}
}

// Member is the sync session of a ship.
type Member struct {
	Voyage, Ship  string
	Built         int    // the number of the ship's machine
	User, Keys    string // user and host keys of the ship, one key per line
	Local, Remote string // directories on the hub and on the ship
	Ignore        []string

	// Artifact is the directory of an artifact that is synced from the ship to the hub only, "" for the shared tree.
	Artifact string
}

// Labels of a session.
const (
	labelVoyage = "ocaptain.voyage"
	labelShip   = "ocaptain.ship"
	labelBuilt  = "ocaptain.built"

	labelArtifact = "ocaptain.artifact" // marks, with any value, a session that copies a ship's artifact to the hub
)

// host returns the name of the ship for ssh.
func (m Member) host() string { return fmt.Sprintf("%s.%d.%s", m.Ship, m.Built, m.Voyage) }

func (m Member) spec() mutagen.Spec {
	if m.Artifact != "" {
		sum := sha256.Sum256([]byte(m.Artifact))
		return mutagen.Spec{
			Mode: mutagen.Replica, A: mutagen.Endpoint{Host: m.host(), Path: m.Remote}, B: mutagen.Endpoint{Path: m.Local}, Ignore: m.Ignore,
			Labels: map[string]string{labelVoyage: m.Voyage, labelShip: m.Ship, labelBuilt: strconv.Itoa(m.Built), labelArtifact: hex.EncodeToString(sum[:8])},
		}
	}
	return mutagen.Spec{
		Mode: mutagen.TwoWay, A: mutagen.Endpoint{Path: m.Local}, B: mutagen.Endpoint{Host: m.host(), Path: m.Remote}, Ignore: m.Ignore,
		Labels: map[string]string{labelVoyage: m.Voyage, labelShip: m.Ship, labelBuilt: strconv.Itoa(m.Built)},
	}
}

// Join starts to sync a ship with its voyage's tree, and returns once the ship has all of it.
func (t *Trees) Join(ctx context.Context, m Member) error {
	t.using.RLock()
	defer t.using.RUnlock()
	home, err := t.open(ctx)
	if err != nil {
		return err
	}
	host := mutagen.Host{Name: m.host(), User: m.User, Login: t.o.Key, Keys: strings.Split(strings.TrimSpace(m.Keys), "\n")}
	host.Proxy = append(append(host.Proxy, t.o.Nc...), m.Voyage+"/"+m.Ship, "22")
	if err := home.AddHost(host); err != nil {
		return err
	}
	id, err := home.Ensure(ctx, m.spec())
	if err != nil {
		return err
	}
	return flush(ctx, home, id)
}

// open finds and starts Mutagen.
func (t *Trees) open(ctx context.Context) (*mutagen.Home, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.home != nil {
		return t.home, nil
	}
	p, err := mutagen.Find(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(t.o.Dir, 0o700); err != nil {
		return nil, err
	}
	if to, err := os.Readlink(t.o.Link); err != nil || to != t.o.Dir {
		if err := os.RemoveAll(t.o.Link); err != nil {
			return nil, err
		}
		if err := os.Symlink(t.o.Dir, t.o.Link); err != nil {
			return nil, err
		}
	}
	if t.home, err = mutagen.Open(ctx, p, t.o.Link); err != nil {
		return nil, err
	}
	home, ctx := t.home, t.ctx
	ctx, t.end = context.WithCancel(ctx)
	t.jobs(func() { t.watch(ctx, home) })
	return home, nil
}

// watch reports the states of all ships' trees until ctx ends.
func (t *Trees) watch(ctx context.Context, home *mutagen.Home) {
	pauses := retry.Doubling(100*time.Millisecond, 10*time.Second)
	for {
		began := time.Now()
		err := home.Watch(ctx, func(all []mutagen.State) {
			for m, is := range together(all) {
				t.o.Tell(m[0], m[1], is)
			}
		})
		if ctx.Err() != nil {
			return
		}
		t.o.Log.Warn("trees", "error", err)
		if time.Since(began) > time.Minute {
			pauses.Reset()
		}
		if retry.Sleep(ctx, pauses.NextBackOff()) != nil {
			return
		}
	}
}

// patience is how long a session may be out of reach of a side before a flush fails.
const patience = 30 * time.Second

// flush makes a session sync all changes. A session that waits before its next attempt tries at once.
func flush(ctx context.Context, home *mutagen.Home, id string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	end := time.Now().Add(patience)
	for {
		err := home.Flush(ctx, id)
		if err == nil || ctx.Err() != nil {
			return err
		}
		s, e := find(ctx, home, func(s mutagen.State) bool { return s.ID == id })
		if e != nil || s.Halted() != "" || s.Paused || time.Now().After(end) {
			return errors.Join(stands(s), e, err)
		}
		if !s.Connected() {
			_ = home.Resume(ctx, id)
		}
		if retry.Sleep(ctx, 200*time.Millisecond) != nil {
			return err
		}
	}
}

// stands returns an error with the reason why a session does not sync, nil if the reason is unknown.
func stands(s mutagen.State) error {
	is := Of(s)
	switch is.State {
	case fleet.TreeAway, fleet.TreePaused, fleet.TreeEmptied:
		return fmt.Errorf("its tree is %s: %s", is.State, is.Why)
	}
	return nil
}

var errNone = errors.New("the ship does not share the voyage's tree yet")

func find(ctx context.Context, home *mutagen.Home, is func(mutagen.State) bool) (mutagen.State, error) {
	all, err := home.List(ctx)
	if err != nil {
		return mutagen.State{}, err
	}
	for _, s := range all {
		if is(s) {
			return s, nil
		}
	}
	return mutagen.State{}, errNone
}

func of(voyage, ship string) func(mutagen.State) bool {
	return func(s mutagen.State) bool { return belongs(s, voyage, ship) && s.Labels[labelArtifact] == "" }
}

func belongs(s mutagen.State, voyage, ship string) bool {
	return s.Labels[labelVoyage] == voyage && s.Labels[labelShip] == ship
}

// FlushArtifacts copies the current content of a ship's artifacts home.
func (t *Trees) FlushArtifacts(ctx context.Context, voyage, ship string) error {
	artifact := func(s mutagen.State) bool { return belongs(s, voyage, ship) && s.Labels[labelArtifact] != "" }
	return t.each(ctx, artifact, func(home *mutagen.Home, ctx context.Context, id string) error { return flush(ctx, home, id) })
}

// Flush syncs the ship and the hub, and returns the state of the trees after that. Files in conflict and files that cannot be synced stay
// as they are.
func (t *Trees) Flush(ctx context.Context, voyage, ship string) (fleet.SharedTree, error) {
	t.using.RLock()
	defer t.using.RUnlock()
	home, err := t.open(ctx)
	if err != nil {
		return fleet.SharedTree{}, err
	}
	s, err := find(ctx, home, of(voyage, ship))
	if err != nil {
		return fleet.SharedTree{}, err
	}
	if err := flush(ctx, home, s.ID); err != nil {
		return fleet.SharedTree{}, err
	}
	if s, err = find(ctx, home, of(voyage, ship)); err != nil {
		return fleet.SharedTree{}, err
	}
	return Of(s), nil
}

// Pause pauses the syncing of all trees of a voyage. GoOn resumes it.
func (t *Trees) Pause(ctx context.Context, voyage string) error {
	return t.each(ctx, in(voyage), (*mutagen.Home).Pause)
}

// GoOn resumes the syncing of all trees of a voyage.
func (t *Trees) GoOn(ctx context.Context, voyage string) error {
	return t.each(ctx, in(voyage), (*mutagen.Home).Resume)
}

func in(voyage string) func(mutagen.State) bool {
	return func(s mutagen.State) bool { return s.Labels[labelVoyage] == voyage }
}

// each calls do for all sessions that satisfy fits.
func (t *Trees) each(ctx context.Context, fits func(mutagen.State) bool, do func(*mutagen.Home, context.Context, string) error) error {
	t.using.RLock()
	defer t.using.RUnlock()
	home, err := t.open(ctx)
	if err != nil {
		return err
	}
	all, err := home.List(ctx)
	for _, s := range all {
		if fits(s) {
			err = errors.Join(err, do(home, ctx, s.ID))
		}
	}
	return err
}

// Reset lets a halted tree of a ship sync again: files that one side lacks are copied from the other.
func (t *Trees) Reset(ctx context.Context, voyage, ship string) error {
	t.using.RLock()
	defer t.using.RUnlock()
	home, err := t.open(ctx)
	if err != nil {
		return err
	}
	s, err := find(ctx, home, of(voyage, ship))
	if err == nil {
		err = home.Reset(ctx, s.ID)
	}
	return err
}

// Leave ends the syncing of a ship. Files on both sides stay as they are. If no ship is left in any tree, Mutagen's
// daemon is stopped.
func (t *Trees) Leave(ctx context.Context, voyage, ship string) error {
	t.using.Lock()
	defer t.using.Unlock()
	home, err := t.open(ctx)
	if errors.Is(err, mutagen.ErrAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := home.List(ctx)
	left := len(all)
	for _, s := range all {
		if belongs(s, voyage, ship) {
			left--
			err = errors.Join(err, home.Terminate(ctx, s.ID))
			home.DropHost(s.A.Host + s.B.Host)
		}
	}
	if err != nil || left > 0 {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
	t.home = nil
	return home.Stop(ctx)
}

// together returns the states of all ships' trees, by voyage and ship. A problem with a ship's artifacts counts as a problem of
// its tree.
func together(all []mutagen.State) map[[2]string]fleet.SharedTree {
	ships := map[[2]string]fleet.SharedTree{}
	for _, s := range all {
		if s.Labels[labelArtifact] == "" {
			ships[[2]string{s.Labels[labelVoyage], s.Labels[labelShip]}] = Of(s)
		}
	}
	for _, s := range all {
		if s.Labels[labelArtifact] == "" {
			continue
		}
		m := [2]string{s.Labels[labelVoyage], s.Labels[labelShip]}
		ship, ok := ships[m]
		if !ok {
			ship.State = fleet.TreeSame
		}
		is := Of(s)
		if is.State == fleet.TreeEmptied {
			is.Problems = append(is.Problems, fleet.TreeProblem{Path: s.A.Path, Why: is.Why + " there, and stay here"})
		}
		ship.Problems, ship.MoreProblems = append(ship.Problems, is.Problems...), ship.MoreProblems+is.MoreProblems
		ships[m] = ship
	}
	return ships
}

// Of returns the state of a session's tree.
func Of(s mutagen.State) fleet.SharedTree {
	is := fleet.SharedTree{State: fleet.TreeSame, MoreConflicts: s.MoreConflicts}
	for _, c := range s.Conflicts {
		is.Conflicts = append(is.Conflicts, c.Root)
	}
	problems, more := s.Problems()
	for _, p := range problems {
		is.Problems = append(is.Problems, fleet.TreeProblem{Path: p.Path, Why: p.Why})
	}
	is.MoreProblems = more
	switch {
	case s.Halted() != "":
		is.State, is.Why = fleet.TreeEmptied, s.Halted()
	case s.Paused:
		is.State, is.Why = fleet.TreePaused, "it was paused; to go on: ocaptain conflicts --go-on"
	case s.Error != "":
		is.State, is.Why = fleet.TreeAway, s.Error
	case !s.Connected():
		is.State, is.Why = fleet.TreeAway, "the ship is being reached"
	case s.Cycles == 0:
		is.State = fleet.TreeMoving
	}
	return is
}
