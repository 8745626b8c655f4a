package taskdir

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/watch"
)

// maxNames bounds how many names of a directory are read, since others may fill it.
const maxNames = 200_000

// errMoved means that a file changed between a look and taking its lock.
var errMoved = errors.New("changed meanwhile")

// TaskOf returns the id in a task file's name, or false if path is no task file.
func TaskOf(path string) (id string, ok bool) {
	name := filepath.Base(path)
	id, ok = strings.CutSuffix(name, suffix)
	return id, ok && !strings.HasPrefix(name, ".")
}

// runAgenda looks at the files on the agenda until it ends. Nothing else in this process writes into the directory.
func (v *View) runAgenda() {
	var top uint64
	for more := true; more; {
		var ids []string
		if ids, more = v.agenda.wait(); slices.Contains(ids, everything) {
			ids = v.survey(ids)
		}
		slices.SortFunc(ids, byName)
		before := v.state()
		var tampers []Tamper
		for _, id := range slices.Compact(ids) {
			tampers = append(tampers, v.reconcileFile(id)...)
		}
		top = v.updateHighWater(top)
		if len(tampers) > 0 {
			v.report(tampers)
		}
		if !slices.Equal(before, v.state()) {
			v.disturb()
		}
	}
}

// byName puts the sentinel first: it must exist before the last task is completed.
func byName(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == tasks.Sentinel:
		return -1
	case b == tasks.Sentinel:
		return 1
	}
	return tasks.CompareIDs(a, b)
}

// survey adds to ids all ids that are in the directory or stated. It watches the directory again,
// since another directory may have taken its place.
func (v *View) survey(ids []string) []string {
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == everything })
	v.watcher.Remove(v.dir)
	names, err := func() ([]string, error) {
		// The parent directories must exist: if the voyage was moved away, do not recreate it.
		for _, dir := range []string{filepath.Dir(filepath.Dir(v.dir)), filepath.Dir(v.dir), v.dir} {
			if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		if err := v.watcher.Add(v.dir); err != nil && !errors.Is(err, watch.ErrClosed) {
			return nil, err
		}
		d, err := os.Open(v.dir)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		names, err := d.Readdirnames(maxNames)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return names, err
	}()
	if v.trouble(".", err); err != nil {
		v.agenda.add(everything, time.Second)
	}
	for _, name := range names {
		if id, ok := TaskOf(name); ok {
			ids = append(ids, id)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for id := range v.files {
		ids = append(ids, id)
	}
	return ids
}

// reconcileFile makes one file show the stated task and returns what others did to it.
func (v *View) reconcileFile(id string) []Tamper {
	v.mu.Lock()
	if !v.stated {
		v.mu.Unlock()
		return nil
	}
	var w *wanted
	if file := v.files[id]; file != nil {
		w = &wanted{}
		*w = *file
		w.expected = slices.Clone(w.expected)
	}
	v.mu.Unlock()
	if w == nil {
		return v.stranger(id)
	}

	data, err := Read(v.taskPath(id))
	if isOfDisk(err) {
		v.postpone(id, err)
		return nil
	}
	verdict := w.judgeFile(time.Now(), data, err)
	if verdict.torn && v.retryRead(id) {
		return nil
	}
	delete(v.looks, id)
	if verdict.write {
		if err := v.write(w, data, err, verdict); errors.Is(err, errLocked) || errors.Is(err, errMoved) {
			v.agenda.add(id, retry) // the file has changed: judge it again
			return nil
		} else if errors.Is(err, fs.ErrNotExist) {
			v.agenda.add(everything, retry) // the directory is missing
			return nil
		} else if v.trouble(id+suffix, err); err != nil {
			v.agenda.add(id, time.Second)
			return nil
		}
	} else {
		v.trouble(id+suffix, nil)
	}
	if verdict.wait > 0 {
		v.agenda.add(id, verdict.wait)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if file := v.files[id]; file != nil {
		file.present = true
		if file.version == w.version {
			file.shown = w.shown
			v.settled(file)
		}
	}
	return verdict.tamper
}

// retryRead schedules another look at a file that may be half written. It returns false when there were enough looks.
func (v *View) retryRead(id string) bool {
	if v.looks[id]++; v.looks[id] < reads {
		v.agenda.add(id, retry)
		return true
	}
	delete(v.looks, id)
	return false
}

// write writes the stated task over data, which the file held, or over nothing if missing is set.
func (v *View) write(w *wanted, data []byte, missing error, verdict verdict) error {
	content, err := render(w.task)
	if err != nil {
		return err
	}
	path := v.taskPath(w.task.ID)
	mutex := path + ".lock"
	if errors.Is(missing, fs.ErrNotExist) {
		mutex = filepath.Join(v.dir, ".lock.lock") // Claude Code's lock for creating tasks
	}
	return locked(mutex, func() error {
		now, err := Read(path)
		if !bytes.Equal(now, data) || (err == nil) != (missing == nil) {
			return errMoved
		}
		if verdict.aside {
			kept, err := journal.MoveAside(path, "damaged")
			if err != nil {
				return err
			}
			verdict.tamper[0].Kept = kept
		}
		err = replace(path, content)
		if err == nil {
			w.shown = maphash.Bytes(seed, content)
		}
		return err
	})
}

// stranger handles a file without a stated task. It removes a file that only ocaptain wrote, moves a task that
// somebody created aside as a proposal, and leaves a file that is no task alone.
func (v *View) stranger(id string) (done []Tamper) {
	name, path := id+suffix, v.taskPath(id)
	data, err := Read(path)
	if isOfDisk(err) {
		v.postpone(id, err)
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		delete(v.looks, id)
		v.trouble(name, nil)
		return nil
	}
	var found tasks.Task
	if err == nil {
		found, err = Parse(data)
	}
	if err == nil && !tasks.ValidID(id) {
		err = errors.New("the name is not that of a task: use letters, digits, - and _")
	}
	if err != nil {
		if !v.retryRead(id) {
			v.trouble(name, fmt.Errorf("not a task: %w", err))
		}
		return nil
	}
	delete(v.looks, id)
	err = locked(path+".lock", func() error {
		if found.ID == id && SignatureOf(found) == SignedAs(found) {
			return os.Remove(path)
		}
		kept, err := journal.MoveAside(path, "proposed")
		if err == nil {
			done = []Tamper{{Task: id, What: Created, Change: found, Kept: kept}}
		}
		return err
	})
	if errors.Is(err, errLocked) {
		v.agenda.add(id, retry)
		return nil
	}
	v.trouble(name, err)
	v.mu.Lock()
	v.top = max(v.top, tasks.NumberOf(id)) // so that Claude Code does not use the number again
	v.mu.Unlock()
	return done
}

// updateHighWater raises the high-water mark if ids have grown above top.
func (v *View) updateHighWater(top uint64) uint64 {
	v.mu.Lock()
	now := v.top
	v.mu.Unlock()
	if now == top {
		return top
	}
	err := raiseHighWater(v.dir, now)
	if v.trouble(highWater, err); err != nil {
		return top
	}
	return now
}

func (v *View) taskPath(id string) string { return filepath.Join(v.dir, id+suffix) }
