package transcript

import (
	"os"
	"path/filepath"

	"ocaptain/fleet/wake"
	"ocaptain/tasks/watch"
)

// tailWatch reports when a file that a tail reads may have changed. It watches the directories of the transcripts or,
// if one is missing, its nearest existing parent.
type tailWatch struct {
	tail    *tail
	watcher *watch.Watcher
	dirs    map[string]bool // directories that are watched
	news    wake.Signal
	done    chan struct{}
}

func newTailWatch(t *tail) *tailWatch {
	w := &tailWatch{tail: t, dirs: map[string]bool{}, news: wake.New(), done: make(chan struct{})}
	w.watcher = watch.New()
	go w.listen()
	return w
}

func (w *tailWatch) close() {
	w.watcher.Close()
	<-w.done
}

// listen passes on events until the watcher is closed, except those for the files that the tail itself writes.
func (w *tailWatch) listen() {
	defer close(w.done)
	own, cost := filepath.Dir(costFile(w.tail.home)), costFile(w.tail.home)
	for {
		select {
		case e, ok := <-w.watcher.Events:
			if !ok {
				return
			}
			if filepath.Dir(e.Name) == own && e.Name != cost {
				continue
			}
		case _, ok := <-w.watcher.Missed: // some events may have been lost
			if !ok {
				return
			}
		}
		w.news.Send()
	}
}

// follow updates the list of watched directories.
func (w *tailWatch) follow() {
	t := w.tail
	newest := ""
	if n := len(t.state.Sessions); n > 0 {
		newest = t.state.Sessions[n-1]
	}
	want := map[string]bool{filepath.Dir(costFile(t.home)): true}
	for _, dir := range t.from.Dirs(string(t.home), t.workspace, newest) {
		want[there(dir)] = true
	}
	for dir := range w.dirs {
		if !want[dir] {
			w.watcher.Remove(dir)
			delete(w.dirs, dir)
		}
	}
	for dir := range want {
		if !w.dirs[dir] && w.watcher.Add(dir) == nil {
			w.dirs[dir] = true
		}
	}
}

// there returns dir, or its nearest existing parent.
func there(dir string) string {
	for {
		info, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if err == nil && info.IsDir() || up == dir {
			return dir
		}
		dir = up
	}
}
