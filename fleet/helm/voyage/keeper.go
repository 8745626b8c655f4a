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
	for retry.Sleep(v.Context, keepEvery) == nil {
		v.keepFiles()
	}
}

func (v *Voyage) keepFiles() {
	v.keeping.Lock()
	defer v.keeping.Unlock()
	sunk := v.Roster.Now().Phase == fleet.Sunk
	if _, err := os.Stat(string(v.Dir)); err != nil || sunk {
		return // the command that removes the whole directory of a voyage under way reports it
	}
	if !v.journal.Intact() {
		if err := v.restate(); err != nil {
			v.Log.Error("events.jsonl", "error", err)
			_ = v.Hinders.TryRoom()
			return
		}
		v.Notes.Add(fleet.Note{Text: "events.jsonl was changed by somebody else while helm ran; all that helm knows was written into it again, so that nothing of the tasks is lost"})
	}
	for _, path := range []string{v.Dir.Voyage(), v.Dir.FleetFile(), v.Dir.UsageFile(), v.Dir.BoardFile(), v.Dir.Secrets()} {
		if !v.files.Changed(path) {
			continue
		}
		var err error
		switch path {
		case v.Dir.Voyage():
			err = saved.WriteInfo(v.Dir, &v.files, v.Info)
		case v.Dir.FleetFile():
			v.Roster.Outdate()
			err = v.Roster.Save()
		case v.Dir.UsageFile():
			v.Spending.Outdate()
			v.files.Forget(path)
		case v.Dir.Secrets():
			err = v.Secrets.WriteAgain()
		case v.Dir.BoardFile():
			v.files.Forget(path)
		}
		v.requestBoard()
		if err != nil {
			v.Log.Error(filepath.Base(path), "error", err)
			continue // and tried again
		}
		v.Notes.Add(fleet.Note{Text: filepath.Base(path) + " was changed by somebody else while helm ran, and was written anew"})
	}
}
