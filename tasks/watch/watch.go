// Package watch reports changes in directories. All watchers of a process share one inotify instance, as Linux
// allows each user only 128. If none is left, watchers poll instead.
package watch

import (
	"errors"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// every is how often a polling watcher reports that something may have changed.
const every = time.Second

// queued bounds the events that wait for a slow reader. Beyond that the reader gets Missed instead.
const queued = 256

// Watcher reports changes in the directories added to it. Close closes both channels.
type Watcher struct {
	Events chan fsnotify.Event
	Missed chan struct{} // anything may have changed

	ended chan struct{}
	blind bool // the system does not report all changes; guarded by hub.mu
	close func()
}

// ErrClosed is the error of a closed watcher.
var ErrClosed = fsnotify.ErrClosed

// hub holds the inotify instance of the process, and its watchers.
type hub struct {
	mu   sync.Mutex
	from *fsnotify.Watcher // nil without watchers, or when the system has no instance left
	all  map[*Watcher]map[string]bool
	open func() (*fsnotify.Watcher, error)
}

var shared = &hub{all: map[*Watcher]map[string]bool{}, open: fsnotify.NewWatcher}

// New returns a watcher without directories.
func New() *Watcher { return shared.addWatcher() }

func (h *hub) addWatcher() *Watcher {
	w := &Watcher{Events: make(chan fsnotify.Event, queued), Missed: make(chan struct{}, 1), ended: make(chan struct{})}
	w.close = sync.OnceFunc(func() { h.removeWatcher(w) })
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[w] = map[string]bool{}
	if h.from == nil {
		if from, err := h.open(); err == nil {
			h.from = from
			go h.forwardEvents(from)
		}
	}
	if h.from == nil {
		w.startPolling()
	}
	return w
}

// startPolling makes a watcher report now and then that something may have changed. The caller holds h.mu.
func (w *Watcher) startPolling() {
	if w.blind {
		return
	}
	w.blind = true
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				shared.mu.Lock()
				w.overflow()
				shared.mu.Unlock()
			case <-w.ended:
				return
			}
		}
	}()
}

// overflow reports that anything may have changed. The caller holds h.mu.
func (w *Watcher) overflow() {
	select {
	case <-w.ended:
	default:
		select {
		case w.Missed <- struct{}{}:
		default: // already reported
		}
	}
}

// Add starts reporting changes in a directory. Adding it again watches it again, since another directory may
// have taken its place.
func (w *Watcher) Add(dir string) error { return shared.add(w, filepath.Clean(dir)) }

func (h *hub) add(w *Watcher, dir string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	dirs := h.all[w]
	if dirs == nil {
		return ErrClosed
	}
	if h.from != nil {
		err := h.from.Add(dir)
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		if err != nil {
			w.startPolling()
		}
	}
	dirs[dir] = true
	return nil
}

// Remove stops reporting changes in a directory.
func (w *Watcher) Remove(dir string) { shared.remove(w, filepath.Clean(dir)) }

func (h *hub) remove(w *Watcher, dir string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all[w], dir)
	h.unwatchIfUnused(dir)
}

// unwatchIfUnused stops watching a directory without watchers.
func (h *hub) unwatchIfUnused(dir string) {
	for _, dirs := range h.all {
		if dirs[dir] {
			return
		}
	}
	if h.from != nil {
		_ = h.from.Remove(dir) // an error means that the directory is gone
	}
}

// Close ends the watcher.
func (w *Watcher) Close() { w.close() }

func (h *hub) removeWatcher(w *Watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	dirs := h.all[w]
	delete(h.all, w)
	for dir := range dirs {
		h.unwatchIfUnused(dir)
	}
	close(w.ended)
	close(w.Events)
	close(w.Missed)
	if len(h.all) == 0 && h.from != nil {
		_ = h.from.Close()
		h.from = nil
	}
}

// forwardEvents passes the system's events to the watchers.
func (h *hub) forwardEvents(from *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-from.Events:
			if !ok {
				return
			}
			h.notifyWatchers(e)
		case _, ok := <-from.Errors:
			if !ok {
				return
			}
			h.mu.Lock()
			for w := range h.all {
				w.overflow()
			}
			h.mu.Unlock()
		}
	}
}

func (h *hub) notifyWatchers(e fsnotify.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w, dirs := range h.all {
		if !dirs[filepath.Dir(e.Name)] && !dirs[e.Name] {
			continue
		}
		select {
		case w.Events <- e:
		default:
			w.overflow()
		}
	}
}

// OpenBy replaces how watchers get their instance, for tests of systems without one; nil restores the
// default.
func OpenBy(open func() (*fsnotify.Watcher, error)) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.open = open; open == nil {
		shared.open = fsnotify.NewWatcher
	}
}
