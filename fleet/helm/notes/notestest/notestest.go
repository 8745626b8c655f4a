// Package notestest makes the directory of a voyage, with its journal and notes, for tests of what writes notes.
package notestest

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/wake"
	"ocaptain/tasks/journal"
)

// Voyage is a voyage without ships or tasks.
type Voyage struct {
	Dir     fleet.Dir
	Journal *journal.Journal
	Book    *book.Book
	Notes   *notes.Notes
}

// New makes the voyage kite, which lasts as long as the test.
func New(t testing.TB) *Voyage {
	t.Helper()
	v := &Voyage{Dir: fleet.Dir(filepath.Join(t.TempDir(), "kite"))}
	if err := os.Mkdir(string(v.Dir), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if v.Journal, err = journal.Open(v.Dir.Events()); err != nil {
		t.Fatal(err)
	}
	v.Book = book.Open(v.Journal, func(string, error) {})
	t.Cleanup(func() { v.Book.Close(); v.Journal.Close() })
	v.Notes = notes.New(v.Book, func(text string) string { return text }, wake.New(), nil)
	return v
}

// Told returns the texts of all notes, in order.
func (v *Voyage) Told() (texts []string) {
	for _, n := range v.Notes.List() {
		texts = append(texts, n.Text)
	}
	return texts
}
