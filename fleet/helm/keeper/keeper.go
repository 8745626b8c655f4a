// Package keeper keeps the files of a voyage as helm has them in memory: it writes the board, and repairs files that
// others damage.
package keeper

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/journal"
)

// Options say what a Keeper needs from its voyage besides the Core.
type Options struct {
	*core.Core
	Journal *journal.Journal
	Board   func() fleet.Board // the voyage as a reader should see it now
	Restate func() error       // writes all that helm knows to the journal
}

// Keeper keeps the files of one voyage. Its methods are safe for concurrent use.
type Keeper struct {
	Options
	looking sync.Mutex // held while Look compares files
}

// New returns a Keeper.
func New(o Options) *Keeper { return &Keeper{Options: o} }

// Repaint is the longest time between two boards: statuses age without any event.
const Repaint = 20 * time.Second

// Paint writes the board after changes, until helm ends: at once after a quiet time, else so that writing takes at
// most a tenth of the time. On a slow disk it may take more, so that the board does not get old.
func (k *Keeper) Paint() {
	slow := time.NewTicker(Repaint)
	defer slow.Stop()
	for {
		select {
		case <-k.Core.Paint:
		case <-slow.C:
		case <-k.Context.Done():
			k.Save()
			return
		}
		began := time.Now()
		k.Save()
		if retry.Sleep(k.Context, max(200*time.Millisecond, min(10*time.Since(began), time.Second))) != nil {
			k.Save()
			return
		}
	}
}

// Save writes the board, and what could not be written before.
func (k *Keeper) Save() {
	k.missDir()
	_ = k.Roster.Save() // or with the next board
	k.Spending.Save()
	err := k.SaveBoard()
	if err != nil {
		k.Log.Error("snapshot.json", "error", err)
		_ = k.Hinders.TryRoom() // TryRoom tells the captain; the next write tries again
		if kept.ReserveOf(string(k.Dir)).Free() {
			err = k.SaveBoard()
		}
	}
	if err == nil {
		kept.ReserveOf(string(k.Dir)).Keep(k.Dir.BoardFile())
		_ = k.Hinders.CheckDisk()
	}
}

// SaveBoard writes the board as it is now.
func (k *Keeper) SaveBoard() error {
	b := k.Board()
	text, err := b.Encode()
	if err != nil {
		return err
	}
	return k.Files.Write(k.Dir.BoardFile(), text, 0o600)
}

// missDir notices when the captain has moved the voyage's directory away. It makes no new directory; once the old one
// is back, it writes all files again. Helm can sink the ships without the directory.
func (k *Keeper) missDir() {
	if _, err := os.Stat(string(k.Dir)); errors.Is(err, fs.ErrNotExist) {
		k.Roster.Outdate()
	}
}

// lookEvery is how often helm checks that its files are as it wrote them.
const lookEvery = time.Second

// Run writes again what others damage while helm has it in memory, until helm ends.
func (k *Keeper) Run() {
	for retry.Sleep(k.Context, lookEvery) == nil {
		k.Look()
	}
}

// Look repairs files that others have changed.
func (k *Keeper) Look() {
	k.looking.Lock()
	defer k.looking.Unlock()
	sunk := k.Roster.Now().Phase == fleet.Sunk
	if _, err := os.Stat(string(k.Dir)); err != nil || sunk {
		return // the command that removes the whole directory of a voyage under way reports it
	}
	if !k.Journal.Intact() {
		if err := k.Restate(); err != nil {
			k.Log.Error("events.jsonl", "error", err)
			_ = k.Hinders.TryRoom()
			return
		}
		k.Notes.Add(fleet.Note{Text: "events.jsonl was changed by somebody else while helm ran; all that helm knows was written into it again, so that nothing of the tasks is lost"})
	}
	for _, path := range []string{k.Dir.Voyage(), k.Dir.FleetFile(), k.Dir.UsageFile(), k.Dir.BoardFile(), k.Dir.Secrets()} {
		if !k.Files.Changed(path) {
			continue
		}
		err := k.writeAgain(path)
		k.Core.Paint.Send()
		if err != nil {
			k.Log.Error(filepath.Base(path), "error", err)
			continue // the next look tries again
		}
		k.Notes.Add(fleet.Note{Text: filepath.Base(path) + " was changed by somebody else while helm ran, and was written anew"})
	}
}

// writeAgain writes a file again, or has the next board do so.
func (k *Keeper) writeAgain(path string) error {
	switch path {
	case k.Dir.Voyage():
		return saved.WriteInfo(k.Dir, &k.Files, k.Info)
	case k.Dir.FleetFile():
		k.Roster.Outdate()
		return k.Roster.Save()
	case k.Dir.Secrets():
		return k.Secrets.WriteAgain()
	case k.Dir.UsageFile():
		k.Spending.Outdate()
	}
	k.Files.Forget(path)
	return nil
}
