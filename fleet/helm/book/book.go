// Package book writes records to a voyage's journal in the order in which they are added. Adding a record never waits for the disk, so that a
// caller may hold a lock.
package book

import (
	"encoding/json"
	"sync"
	"time"

	"ocaptain/tasks/journal"
)

// Book queues records for a journal. A goroutine writes them while there are any. Its methods are safe for concurrent use.
type Book struct {
	journal *journal.Journal
	failed  func(kind string, err error) // called for each record that could not be written

	mu    sync.Mutex
	queue []*Record
	last  *Record // that was added
	ended sync.WaitGroup
}

// Record is a record that was added.
type Record struct {
	at   time.Time
	kind string
	data json.RawMessage
	done chan struct{} // closed when it is written, or could not be
	err  error         // set before that
}

// Open begins a book for a journal, which the caller closes after the book. The book tells failed, in its own goroutine, of each record that
// could not be written; Wait and Flush return after that.
func Open(j *journal.Journal, failed func(kind string, err error)) *Book {
	return &Book{journal: j, failed: failed}
}

// Add has a record written after all that were added before. It does not wait for the disk: after the death of this process the
// record may be missing, unless Wait or Flush has returned. What data holds may change once Add has returned.
func (b *Book) Add(kind string, data any) *Record { return b.AddAt(time.Now(), kind, data) }

// AddAt is Add for what happened at another time than now.
func (b *Book) AddAt(at time.Time, kind string, data any) *Record {
	r := &Record{at: at, kind: kind, done: make(chan struct{})}
	r.data, r.err = json.Marshal(data)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = r
	if b.queue = append(b.queue, r); len(b.queue) == 1 {
		b.ended.Go(b.write)
	}
	return r
}

// Wait waits until the record is written, as journal.AddRecord writes it. After an error it is not in the journal.
func (r *Record) Wait() error {
	<-r.done
	return r.err
}

// Flush waits until all records are written, or could not be, that were added before.
func (b *Book) Flush() {
	b.mu.Lock()
	last := b.last
	b.mu.Unlock()
	if last != nil {
		<-last.done
	}
}

// Close waits for the records that were added.
func (b *Book) Close() { b.ended.Wait() }

// write writes records until there are none. The record that is being written stays at the head of the queue.
func (b *Book) write() {
	for r := b.head(); r != nil; r = b.next() {
		if r.err == nil {
			_, r.err = b.journal.NoteAt(r.at, r.kind, r.data)
		}
		if r.err != nil {
			b.failed(r.kind, r.err)
		}
		close(r.done)
	}
}

func (b *Book) head() *Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue[0]
}

func (b *Book) next() *Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.queue = b.queue[1:]; len(b.queue) == 0 {
		b.queue, b.last = nil, nil
		return nil
	}
	return b.queue[0]
}
