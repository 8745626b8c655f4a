package helm

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/archive"
	"ocaptain/fleet/retry"
)

// archiveEvery is how often helm checks the size of sunk voyages.
const archiveEvery = time.Hour

// archivePast archives sunk voyages when they exceed the disk space that the captain has configured for them. It runs
// until helm ends.
func (h *Helm) archivePast(keep Keep) {
	for {
		if limit, err := keep(); err != nil {
			h.log.Warn("disk.keep", "error", err)
		} else if limit > 0 {
			h.archiveExcess(limit, time.Now())
		}
		if retry.Sleep(h.ctx, archiveEvery) != nil {
			return
		}
	}
}

// archiveExcess archives the oldest sunk voyages until the rest have at most limit bytes.
func (h *Helm) archiveExcess(limit int64, now time.Time) {
	all := fleet.Voyages(h.hub.Voyages)
	dirs, err := all.List()
	if err != nil {
		h.log.Error("voyages cannot be listed", "error", err)
	}
	var past []archive.Past
	for _, d := range dirs {
		info, err := os.Stat(string(d))
		if f, e := fleet.LoadFleet(d); err == nil && e == nil && f.Phase == fleet.Sunk {
			past = append(past, archive.Past{Dir: d, Size: archive.Size(string(d)), At: info.ModTime()})
		}
	}
	for _, d := range archive.Excess(past, limit, now) {
		if h.ctx.Err() != nil {
			return
		}
		if err := h.archiveVoyage(all, d); err != nil {
			h.log.Error("voyage cannot be archived", "voyage", d.ID(), "error", err)
			continue
		}
		h.log.Info("voyage is archived, as sunk voyages have more than disk.keep", "voyage", d.ID())
	}
}

// archiveVoyage archives a sunk voyage, and removes its directory.
func (h *Helm) archiveVoyage(all fleet.Voyages, d fleet.Dir) error {
	if err := os.MkdirAll(all.Archives(), 0o700); err != nil {
		return err
	}
	file := filepath.Join(all.Archives(), archive.Name(d))
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a helm that ended before it removed the directory
		return err
	}
	if _, err := archive.WriteFile(h.ctx, d, file); err != nil {
		return err
	}
	return h.set.Remove(h.ctx, d.ID())
}
