package voyage

import (
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/retry"
)

// keepEvery is how often helm looks whether its files are as it left them.
const keepEvery = time.Second

// keeper writes again what others damage while helm has it in memory.
func (v *Voyage) keeper() {
	for retry.Sleep(v.ctx, keepEvery) == nil {
		v.keepFiles()
	}
}

func (v *Voyage) keepFiles() {
	v.keeping.Lock()
	defer v.keeping.Unlock()
	sunk := v.roster.Now().Phase == fleet.Sunk
	if _, err := os.Stat(string(v.dir)); err != nil || sunk {
		return // the command that removes the whole directory of a voyage under way reports it
	}
	if !v.journal.Intact() {
		if err := v.restate(); err != nil {
			v.log.Error("events.jsonl", "error", err)
			_ = v.hinders.TryRoom()
			return
		}
		v.notes.Add(fleet.Note{Text: "events.jsonl was changed by somebody else while helm ran; all that helm knows was written into it again, so that nothing of the tasks is lost"})
	}
	for _, path := range []string{v.dir.Voyage(), v.dir.FleetFile(), v.dir.UsageFile(), v.dir.BoardFile(), v.dir.Secrets()} {
		if !v.files.Changed(path) {
			continue
		}
		var err error
		switch path {
		case v.dir.Voyage():
			err = saved.WriteInfo(v.dir, &v.files, v.info)
		case v.dir.FleetFile():
			v.roster.Outdate()
			err = v.roster.Save()
		case v.dir.UsageFile():
			v.spending.Outdate()
			v.files.Forget(path)
		case v.dir.Secrets():
			err = v.secrets.WriteAgain()
		case v.dir.BoardFile():
			v.files.Forget(path)
		}
		v.requestBoard()
		if err != nil {
			v.log.Error(filepath.Base(path), "error", err)
			continue // and tried again
		}
		v.notes.Add(fleet.Note{Text: filepath.Base(path) + " was changed by somebody else while helm ran, and was written anew"})
	}
}
