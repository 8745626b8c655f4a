package voyage

import (
	"encoding/json"
	"errors"
	gosync "sync"
	"time"

	"ocaptain/fleet"
)

// change alters the fleet and keeps it. When it cannot be written, the change holds
// all the same and the painter writes it as soon as that works.
func (v *Voyage) change(fn func(*fleet.Fleet)) error {
	changes(v, func() { v.changeLocked(fn) })
	return v.saveFleet()
}

// changeAnyway is change for what goes on even when it cannot be written now.
func (v *Voyage) changeAnyway(fn func(*fleet.Fleet)) {
	v.logUnsaved(v.change(fn))
}

// saveAnyway is saveFleet for what goes on even when it cannot be written now.
func (v *Voyage) saveAnyway() { v.logUnsaved(v.saveFleet()) }

func (v *Voyage) logUnsaved(err error) {
	if err != nil {
		v.log.Error("fleet.json", "error", err)
	}
}

// fleetFile is what helm knows of fleet.json. Its lock is held while the file is written, and taken before v.mu.
type fleetFile struct {
	mu     gosync.Mutex
	saved  uint64 // changes of the fleet that the file has
	closed bool   // nothing is written any more
}

// close waits until the file is written, and leaves it to the voyage that is opened next.
func (f *fleetFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// outdateFleet has saveFleet write fleet.json although the fleet has not changed.
func (v *Voyage) outdateFleet() {
	changes(v, func() { v.changes++ })
}

// changeLocked alters the fleet and notes the change in the journal. The caller holds v.mu, and calls saveFleet once it has unlocked v.mu.
func (v *Voyage) changeLocked(fn func(*fleet.Fleet)) {
	was := v.fleet.Phase
	fn(&v.fleet)
	if v.fleet.Phase != was {
		v.fleet.Since = time.Now()
		v.book.Add("voyage.phase", map[string]any{"phase": v.fleet.Phase})
		v.news.Send()
	}
	v.requestBoard()
	v.recordLocked()
}

// saveFleet writes fleet.json, unless another call has written it since the last change. Calls that wait while the file is being written
// are answered by one more write. The caller does not hold v.mu: ships and dashboards would wait for the disk.
func (v *Voyage) saveFleet() error {
	v.file.mu.Lock()
	defer v.file.mu.Unlock()
	if v.file.closed {
		return errHelmEnds
	}
	var upTo uint64
	var raw []byte
	var err error
	changes(v, func() {
		if v.recorded != nil {
			v.recordLocked()
		}
		if upTo = v.changes; upTo != v.file.saved {
			raw, err = json.Marshal(&v.fleet)
		}
	})
	v.book.Flush()
	if raw != nil {
		err = v.files.Write(v.dir.FleetFile(), json.RawMessage(raw), 0o600)
	}
	if err == nil {
		v.file.saved = upTo
	}
	return reads(v, func() error { return errors.Join(v.recorded, err) })
}

// isSaved reports whether the journal and fleet.json have all changes of the fleet.
func (v *Voyage) isSaved() bool {
	v.book.Flush()
	v.file.mu.Lock()
	defer v.file.mu.Unlock()
	return reads(v, func() bool { return v.recorded == nil && v.file.saved == v.changes })
}

// recordLocked has the book write what has changed of the fleet, and has the next saveFleet write fleet.json. The caller holds v.mu.
func (v *Voyage) recordLocked() {
	v.changes++
	c, changed, err := v.recorder.Change(&v.fleet)
	if err == nil && changed {
		v.book.Add(fleet.KindFleet, c)
	}
	v.recorded = err
}

// notWritten takes in that a record could not be written to the journal.
func (v *Voyage) notWritten(kind string, err error) {
	if v.ctx.Err() == nil {
		v.log.Error("journal", "kind", kind, "error", err)
	}
	if kind == fleet.KindFleet {
		changes(v, func() { v.recorder, v.recorded = fleet.Recorder{}, err }) // the next record is to tell all
	}
}
