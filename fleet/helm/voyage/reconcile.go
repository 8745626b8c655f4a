package voyage

import (
	"cmp"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/reconcile"
)

// openStore opens the tasks. It restores what the journal has lost of them from the branch, the task files and the last board.
func (v *Voyage) openStore(last fleet.Board) (err error) {
	if v.Info.Shared != nil {
		return v.openShared()
	}
	board := make(map[string]tasks.State, len(last.Tasks))
	for i := range last.Tasks {
		board[last.Tasks[i].ID] = last.Tasks[i]
	}
	mended := false
	var reverted map[string]bool
	v.Store, err = dirstore.OpenMended(v.Dir.TasksDir(), v.journal, v.tampered, func(known []*tasks.State, files map[string]tasks.State, damaged bool) (reconcile.Mend, error) {
		history, err := v.claims.History()
		if err != nil {
			return reconcile.Mend{}, err
		}
		there := make(map[string]bool, len(history))
		for _, c := range history {
			there[c.ID] = true
		}
		reverted = kind.Reverted(v.Dir.ID(), history)
		cut := v.journal.Size() < last.Journal
		m := reconcile.Tasks(known, reconcile.Evidence{
			Views: []map[string]tasks.State{files, board}, Landed: kind.Landed(v.Dir.ID(), history),
			Has: func(commit string) bool { return there[commit] }, Damaged: damaged || cut,
			Reverted: reverted,
		})
		if mended = !m.IsEmpty(); mended {
			v.Notes.Tell(m.Text() + " Check: ocaptain tasks " + v.Dir.ID())
		}
		return m, nil
	})
	if err != nil {
		return err
	}
	if v.Info.Kind.TakesEpics() {
		v.Store.WaitForParts()
	}
	if mended {
		v.claims.Resume(last)
	}
	return v.claims.ReopenReverted(reverted)
}

// restate writes all that helm knows to the journal, after somebody has damaged it.
func (v *Voyage) restate() error {
	if err := v.journal.Reclaim(); err != nil {
		return err
	}
	changes(v, func() {
		v.Records.Restate()
		for _, r := range v.limits.Records() {
			v.Book.AddAt(cmp.Or(r.At, time.Now()), r.Kind, r.Data)
		}
		v.Notes.Restate()
		v.Spending.Restate()
		v.Steering.Restate()
		v.Proposals.Restate()
		v.Book.Add(fleet.KindVoyage, v.Info)
		v.Verifier.Restate()
		v.Roster.Restate()
	})
	v.Book.Flush()
	if err := v.Roster.Recorded(); err != nil {
		return err
	}
	return v.Store.Restate()
}
