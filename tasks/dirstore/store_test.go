package dirstore_test

import (
	"path/filepath"
	"testing"

	"ocaptain/tasks/taskdir"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/storetest"
)

// closing closes the journal together with the store.
type closing struct {
	*dirstore.Store
	journal *journal.Journal
}

func (c closing) Close() error {
	if err := c.Store.Close(); err != nil {
		return err
	}
	return c.journal.Close()
}

// openAt opens the store of a voyage directory.
func openAt(t testing.TB, home string, report func([]taskdir.Tamper)) closing {
	t.Helper()
	j, err := journal.Open(filepath.Join(home, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := dirstore.Open(filepath.Join(home, "tasks"), j, report)
	if err != nil {
		t.Fatal(err)
	}
	return closing{s, j}
}

// fresh makes a new voyage directory. Only the store writes its files, so any report of tampering is an error.
func fresh(t testing.TB) storetest.Opener {
	home := t.TempDir()
	return func(t testing.TB) tasks.Store {
		return openAt(t, home, func(all []taskdir.Tamper) { t.Errorf("nobody touched the files, but %+v", all) })
	}
}

func TestContract(t *testing.T) { storetest.Run(t, raceTasks, fresh) }
