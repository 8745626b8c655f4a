// Package notes keeps what the captain was told last about a voyage, and has all of it written to the journal.
package notes

import (
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/wake"
)

// Notes are the notes of a voyage. Its methods are safe for concurrent use and wait for nothing, so that a caller may hold a lock.
type Notes struct {
	book   *book.Book
	redact func(string) string
	paint  wake.Signal

	mu  sync.Mutex
	all facts.Notes
}

// New goes on with the notes that were known. redact takes secrets out of a text; paint is sent when readers are shown something else.
func New(b *book.Book, redact func(string) string, paint wake.Signal, was facts.Notes) *Notes {
	return &Notes{book: b, redact: redact, paint: paint, all: was}
}

// Add tells the captain something. What was said a moment ago is not said again, it only becomes newer.
func (n *Notes) Add(note fleet.Note) {
	note.At, note.Text = time.Now(), n.redact(note.Text)
	n.mu.Lock()
	if again := n.all.Add(note); !again {
		n.book.Add(facts.KindNote, note)
	}
	n.mu.Unlock()
	n.paint.Send()
}

// Tell tells the captain something about the whole voyage.
func (n *Notes) Tell(text string) { n.Add(fleet.Note{Text: text}) }

// List lists the notes, the oldest first. The caller does not change them.
func (n *Notes) List() facts.Notes {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all
}

// Restate writes the notes to the journal, which has lost them.
func (n *Notes) Restate() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.all.Records() {
		n.book.Add(r.Kind, r.Data)
	}
}
