package voyage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
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
	err := writes(string(v.dir))
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
			v.wakeLocked()
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

// writes tries whether a directory takes more than a little. Nothing is left there.
func writes(dir string) error {
	f, err := os.CreateTemp(dir, ".room-")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, 256<<10)); err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			return at.Err // its file has a name that says nothing
		}
		return err
	}
	return nil
}

// reserveFile holds room on the disk for one more board, so that readers learn of a disk that is full.
func (v *Voyage) reserveFile() string { return filepath.Join(string(v.dir), ".reserve") }

// keepReserve makes sure that there is a reserve as large as the board, as long as the disk has room for it.
func (v *Voyage) keepReserve() {
	board, err := os.Stat(v.dir.BoardFile())
	if err != nil {
		return
	}
	have, err := os.Stat(v.reserveFile())
	if err == nil && have.Size() >= board.Size() {
		return
	}
	if os.WriteFile(v.reserveFile(), make([]byte, 2*board.Size()), 0o600) != nil {
		v.freeReserve()
	}
}

// freeReserve gives the reserve back to the disk, and reports whether there was one.
func (v *Voyage) freeReserve() bool { return os.Remove(v.reserveFile()) == nil }
