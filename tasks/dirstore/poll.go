package dirstore

import (
	"errors"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollEvery is how often a directory is looked at that the system does not watch.
const pollEvery = 2 * time.Second

// openWatcher is changed by tests.
var openWatcher = fsnotify.NewWatcher

// newWatcher returns nil when the system has none left: Linux gives every user 128, which many
// ships on one machine use up. The directory is then looked at now and then.
func newWatcher(dir string) (*fsnotify.Watcher, error) {
	w, err := openWatcher()
	if errors.Is(err, syscall.EMFILE) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := w.Add(dir); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// poll stands in for listen where nothing is watched.
func (v *View) poll() {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			v.agenda.add(everything, 0)
		case <-v.closing:
			return
		}
	}
}
