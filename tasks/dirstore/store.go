// Package dirstore keeps the tasks of a voyage in Claude Code's task directory. The journal, written first, is the truth;
// the directory is a view of it, written again after every change and whenever somebody else has changed it. If several
// hubs share the tasks, a log in Redis is the truth and the journal is a copy of it.
package dirstore

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"ocaptain/tasks/reconcile"

	"ocaptain/tasks/ledger"
	"ocaptain/tasks/taskdir"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
)

// pace is the time between snapshots for one watcher: many changes at once are one.
const pace = 5 * time.Millisecond

// Store is a tasks.Store for one process: a second Open of the same directory is refused.
type Store struct {
	journal *journal.Journal
	view    *taskdir.View
	guard   *os.File // the locked directory
	closed  chan struct{}
	close   func() error
	shared  *shared // nil unless several hubs share the tasks
	forgot  int     // entries that Redis forgot and others have gone on without; guarded by mu
	hub     int     // number of this hub, to whose ships the claims of this store belong

	mu       sync.Mutex
	ledger   *ledger.Ledger
	seq      uint64
	unshown  []*ledger.Entry // changed entries that are not yet published
	problems []string        // descriptions of what was wrong with the journal
	snapshot tasks.Snapshot  // the last snapshot built
	current  bool            // no task has changed since snapshot was built
	watchers map[chan struct{}]bool
}

var _ tasks.Store = (*Store)(nil)

// Open opens a store with j as its truth and dir as its view. It creates dir if it is missing. The
// journal stays the caller's and may hold other records; close it after the store.
//
// The store calls report after it has undone changes that others made to the directory. report may be nil and may
// call the store, but must not wait in Flush or Close.
func Open(dir string, j *journal.Journal, report func([]taskdir.Tamper)) (*Store, error) {
	return open(dir, j, report, nil, nil)
}

// Mender returns what a journal has lost. known are the tasks in the journal, files the tasks in files that only
// ocaptain has written, and damaged says whether the journal has damaged lines.
type Mender func(known []*tasks.State, files map[string]tasks.State, damaged bool) (reconcile.Mend, error)

// OpenMended is Open for a journal that may have lost something. It calls mend before it writes anything, and
// adds what mend returns to the journal.
func OpenMended(dir string, j *journal.Journal, report func([]taskdir.Tamper), mend Mender) (*Store, error) {
	return open(dir, j, report, mend, nil)
}

func open(dir string, j *journal.Journal, report func([]taskdir.Tamper), mend Mender, log *redislog.Log) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make task directory: %w", err)
	}
	guard, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	r, err := ledger.Load(j.Path())
	if err != nil {
		release(guard)
		return nil, fmt.Errorf("load tasks: %w", err)
	}
	s := &Store{
		journal:  j,
		guard:    guard,
		closed:   make(chan struct{}),
		ledger:   r.Ledger,
		seq:      r.Applied,
		problems: r.Report(),
		watchers: map[chan struct{}]bool{},
	}
	s.close = sync.OnceValue(s.shutDown)
	if log != nil {
		if err := s.share(log, r); err != nil {
			release(guard)
			return nil, fmt.Errorf("load tasks: %w", err)
		}
	}
	if mend != nil {
		if err := s.mendLedger(mend, r.Damaged > 0); err != nil {
			release(guard)
			return nil, err
		}
	}
	s.view, err = taskdir.OpenView(dir, report, s.disturbed)
	if err != nil {
		release(guard)
		return nil, err
	}
	all := make([]tasks.Task, len(s.ledger.Order))
	for i, e := range s.ledger.Order {
		all[i] = e.TaskForFile()
	}
	s.view.Set(all)
	if s.shared != nil {
		s.shared.done.Go(s.follow)
		s.shared.done.Go(s.shared.commits.run)
	}
	return s, nil
}

// acquire locks the directory for this process, until the file is closed.
func acquire(dir string) (*os.File, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open task directory: %w", err)
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		d.Close()
		return nil, fmt.Errorf("task directory %s is in use by another process (%w): stop that first", dir, err)
	}
	return d, nil
}

// release unlocks the directory. Closing the file is not enough: a forked child shares the lock until it executes its program.
func release(d *os.File) {
	_ = syscall.Flock(int(d.Fd()), syscall.LOCK_UN)
	d.Close()
}

// Flush waits until the directory shows all changes made before the call.
func (s *Store) Flush(ctx context.Context) error { return s.view.Flush(ctx) }

// Close writes the remaining changes to the directory and closes the store.
func (s *Store) Close() error { return s.close() }

func (s *Store) shutDown() error {
	s.shared.close()
	err := s.view.Close()
	close(s.closed)
	release(s.guard)
	return err
}

// Snapshot returns the current state.
func (s *Store) Snapshot() tasks.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current {
		return s.snapshot
	}
	all := make([]*tasks.State, len(s.ledger.Order))
	for i, e := range s.ledger.Order {
		all[i] = e.State
	}
	problems := append(s.view.Problems(), s.problems...)
	// Tasks are never removed, so the same length means the same ids.
	if len(all) == len(s.snapshot.Tasks) {
		s.snapshot = s.snapshot.WithTasks(s.seq, all, problems)
	} else {
		s.snapshot = tasks.NewSnapshot(s.seq, all, problems)
	}
	s.current = true
	return s.snapshot
}

// Hindered says which task files the disk cannot read or write, and since when, "" for none. The store retries by itself.
// Neither the content of the files nor the tasks are damaged.
func (s *Store) Hindered() (why string, since time.Time) { return s.view.Hindered() }

// Watch sends the current snapshot, and newer snapshots as fast as the reader takes them.
func (s *Store) Watch(ctx context.Context) <-chan tasks.Snapshot {
	out := make(chan tasks.Snapshot)
	wake := make(chan struct{}, 1)
	s.mu.Lock()
	s.watchers[wake] = true
	s.mu.Unlock()
	go func() {
		defer close(out)
		defer func() {
			s.mu.Lock()
			delete(s.watchers, wake)
			s.mu.Unlock()
		}()
		sent := out  // nil when there is nothing new
		news := wake // nil while resting
		var rest <-chan time.Time
		snapshot := s.Snapshot()
		for {
			select {
			case sent <- snapshot:
				sent = nil
			case <-news:
				sent, snapshot = out, s.Snapshot()
				news, rest = nil, time.After(pace)
			case <-rest:
				news, rest = wake, nil
			case <-ctx.Done():
				return
			case <-s.closed:
				return
			}
		}
	}()
	return out
}

// notifyWatchers wakes the watchers. The caller holds the lock.
func (s *Store) notifyWatchers() {
	s.seq++
	s.current = false
	for w := range s.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// disturbed wakes the watchers when the view has new problems with files.
func (s *Store) disturbed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notifyWatchers()
}
