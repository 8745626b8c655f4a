package voyage

import (
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/proto"
)

// checkDisk fails while the hub's disk does not take what helm must write down: nothing is handed
// out, merged or taken back then. Ships ask again until it does, so that no agent is blamed.
func (v *Voyage) checkDisk() error {
	full := reads(v, func() bool { return !v.hinders.Disk.IsNone() })
	if !full {
		return nil
	}
	return v.tryRoom()
}

// tryRoom writes something to the voyage's directory, and what its journal has to bring to the disk. It tells
// the captain when that does not work, or works again.
func (v *Voyage) tryRoom() error {
	err := kept.TryRoom(string(v.dir))
	if err == nil {
		err = v.journal.Sync()
	}
	why := ""
	if err != nil {
		why = fmt.Sprintf("nothing is handed out or merged, as the hub cannot write to %s: %v; make room there, and it goes on by itself", v.dir, err)
	}
	var was bool
	changes(v, func() {
		was = !v.hinders.Disk.IsNone()
		v.hinders.Disk.Set(time.Now(), why)
		if was != (err != nil) {
			v.news.Send()
			v.requestBoard()
		}
	})
	switch {
	case err == nil && was:
		v.addNote(fleet.Note{Text: "the hub can write again, and goes on"})
	case err != nil && !was:
		v.addNote(fleet.Note{Text: why})
	}
	if err != nil {
		return &wire.Error{Code: proto.CodeAway, Text: "the hub's disk is full"}
	}
	return nil
}

// diskTrouble is what the hub's disk hinders: all that is written of the voyage, or its task files alone. The caller holds v.mu.
func (v *Voyage) diskTrouble() fleet.Hindrance {
	why, since := v.store.Hindered()
	if !v.hinders.Disk.IsNone() || why == "" {
		return v.hinders.Disk
	}
	return fleet.Hindrance{Why: fmt.Sprintf("task files cannot be written (%s); make room, or mend the disk, and it goes on by itself: %s", why, v.dir.TasksDir()), Since: since}
}
