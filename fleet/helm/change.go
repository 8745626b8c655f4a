package helm

import (
	"encoding/json"
	"errors"
	"time"

	"ocaptain/fleet"
)

// change alters the fleet and keeps it. When it cannot be written, the change holds
// all the same and the painter writes it as soon as that works.
func (v *voyage) change(fn func(*fleet.Fleet)) error {
	v.mu.Lock()
	v.changeLocked(fn)
	v.mu.Unlock()
	return v.saveFleet()
}

// changeAnyway is change for what goes on even when it cannot be written now.
func (v *voyage) changeAnyway(fn func(*fleet.Fleet)) {
	v.mu.Lock()
	v.changeLocked(fn)
	v.mu.Unlock()
	v.saveAnyway()
}

// saveAnyway is saveFleet for what goes on even when it cannot be written now.
func (v *voyage) saveAnyway() {
	if err := v.saveFleet(); err != nil {
		v.log.Error("fleet.json", "error", err)
	}
}

// changeLocked alters the fleet and notes it in the journal. The caller holds v.mu, and calls saveFleet when it does no more.
func (v *voyage) changeLocked(fn func(*fleet.Fleet)) {
	was := v.fleet.Phase
	fn(&v.fleet)
	if v.fleet.Phase != was {
		v.fleet.Since = time.Now()
		v.addEvent("voyage.phase", map[string]any{"phase": v.fleet.Phase})
		v.wakeLocked()
	}
	v.requestBoard()
	v.recordLocked()
}

// saveFleet writes fleet.json as the fleet is now, unless that has been done since it changed. Changes that come while the file is
// written go into it together after that. The caller does not hold v.mu, as everybody else would wait for the disk.
func (v *voyage) saveFleet() error {
	v.saving.Lock()
	defer v.saving.Unlock()
	if v.closed {
		return errHelmEnds // who opens the voyage next has the file
	}
	v.mu.Lock()
	if v.recorded != nil {
		v.recordLocked()
	}
	changes, unrecorded := v.changes, v.recorded
	if changes == v.saved {
		v.mu.Unlock()
		return unrecorded
	}
	raw, err := json.Marshal(&v.fleet)
	v.mu.Unlock()
	if err == nil {
		err = v.files.write(v.dir.FleetFile(), json.RawMessage(raw), 0o600)
	}
	if err == nil {
		v.saved = changes
	}
	return errors.Join(unrecorded, err)
}

// isSaved reports whether journal and fleet.json tell of all changes.
func (v *voyage) isSaved() bool {
	v.saving.Lock()
	defer v.saving.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.recorded == nil && v.saved == v.changes
}

// recordLocked tells the journal what has changed of the fleet, and has fleet.json written with the next board at the latest. The caller
// holds v.mu.
func (v *voyage) recordLocked() {
	v.changes++
	c, changed, err := v.recorder.Change(&v.fleet)
	if err == nil && changed {
		_, err = v.journal.AddRecord(fleet.KindFleet, c)
	}
	if err != nil {
		v.recorder = fleet.Recorder{} // the next record is to tell all
	}
	v.recorded = err
}
