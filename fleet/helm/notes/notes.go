// Package notes keeps the newest notes for the captain about a voyage, and writes all notes to the journal.
package notes

import (
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/wake"
)

// Notes are the notes of a voyage. Its methods are safe for concurrent use and do not block, so callers may hold
// locks.
type Notes struct {
	book   *book.Book
	redact func(string) string
	paint  wake.Signal

	mu  sync.Mutex
	all facts.Notes
}

// New returns Notes that begin with was. redact removes secrets from a text; paint is sent when the notes have
// changed.
func New(b *book.Book, redact func(string) string, paint wake.Signal, was facts.Notes) *Notes {
	return &Notes{book: b, redact: redact, paint: paint, all: was}
}

// Add adds a note for the captain. If there was the same note a moment ago, Add only updates its time.
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

// Restate writes the notes to a journal that has lost them.
func (n *Notes) Restate() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.all.Records() {
		n.book.Add(r.Kind, r.Data)
	}
}
