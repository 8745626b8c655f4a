// Package book writes records to a voyage's journal in the order in which they are added. Adding a record never waits for the disk, so it may
// be done while holding a lock.
package book

import (
	"encoding/json"
	"sync"
	"time"

	"ocaptain/tasks/journal"
)

// Book queues records for a journal. A goroutine writes them while the queue is not empty. Its methods are safe for
// concurrent use.
type Book struct {
	journal *journal.Journal
	failed  func(kind string, err error) // called with each record that could not be written

	mu    sync.Mutex
	queue []*Record
	last  *Record // the last added record
	ended sync.WaitGroup
}

// Record is a record that was added to a Book.
type Record struct {
	at   time.Time
	kind string
	data json.RawMessage
	done chan struct{} // closed when the record was written, or could not be
	err  error         // set before done is closed
}

// Open returns a Book for a journal. The caller closes the journal after the Book. The Book calls failed, in its own goroutine, for each
// record that could not be written; Wait and Flush return only after that call.
func Open(j *journal.Journal, failed func(kind string, err error)) *Book {
	return &Book{journal: j, failed: failed}
}

// Add adds a record, which is written after all records before it. It does not wait for the disk: if this process dies, the
// record may be lost, unless Wait or Flush has returned. The caller may change data once Add has returned.
func (b *Book) Add(kind string, data any) *Record { return b.AddAt(time.Now(), kind, data) }

// AddAt is Add for an event at another time than now.
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

// Wait waits until the record is written by journal.AddRecord. If it returns an error, the record is not in the
// journal.
func (r *Record) Wait() error {
	<-r.done
	return r.err
}

// Flush waits until all earlier records are written, or could not be.
func (b *Book) Flush() {
	b.mu.Lock()
	last := b.last
	b.mu.Unlock()
	if last != nil {
		<-last.done
	}
}

// Close waits until all added records are written.
func (b *Book) Close() { b.ended.Wait() }

// write writes records until the queue is empty. A record stays at the head of the queue while it is being written.
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
