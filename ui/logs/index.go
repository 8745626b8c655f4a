package logs

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"ocaptain/fleet"
)

// The first batch holds the newest lines with their words, enough for a screen. The other batches
// follow with pauses, so that the goroutine that draws keeps up.
const (
	firstLines = 500
	between    = 50 * time.Millisecond
)

// Most is how many records the dashboard's Book holds.
const Most = 1_000_000

// maxFiles bounds how many logs an index distinguishes.
const maxFiles = 1 << 16

// IndexVoyage reads the logs of a voyage for a Book: first the newest lines, then the lines before,
// and at the same time new lines, until ctx ends or the voyage is gone. It calls hand with one
// batch at a time and waits for it to return: older lines wait while the caller takes new ones.
func IndexVoyage(ctx context.Context, d fleet.Dir, hand func(Batch)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := &indexer{dir: d, hand: hand, number: map[string]int{}}
	var b Batch
	ends, err := x.open(&b)
	if err != nil {
		x.close()
		return err
	}
	x.newest(b)
	past := make(chan struct{})
	go func() {
		defer close(past)
		defer x.close()
		x.readOlder(ctx)
	}()
	err = follow(ctx, d, ends, x.handOverAdded)
	cancel()
	<-past
	return err
}

// indexer is the state of IndexVoyage.
type indexer struct {
	dir   fleet.Dir
	files []*os.File
	heads []head
	todo  int64 // bytes that were there at the beginning
	read  int   // number of records of these bytes that hand got

	mu     sync.Mutex // one batch at a time
	hand   func(Batch)
	number map[string]int // the number of each ship's log
	count  int            // how many logs have a number
}

// head is the newest record of a log that is not yet handed over.
type head struct {
	found
	back  *backward
	words bool // read its words as well
}

func (x *indexer) close() {
	for _, f := range x.files {
		f.Close()
	}
}

// open opens all logs at their ends and adds them to the batch.
func (x *indexer) open(b *Batch) (Ends, error) {
	ends := Ends{}
	for _, ship := range ListShips(x.dir) {
		f, err := os.Open(x.dir.LogFile(ship))
		if errors.Is(err, os.ErrNotExist) || x.count == maxFiles {
			continue
		}
		if err != nil {
			return nil, err
		}
		x.files = append(x.files, f)
		end, err := wholeLines(f)
		if err != nil {
			return nil, err
		}
		h := head{back: newBackward(f, end), words: true}
		h.file = uint16(x.enlist(b, ship))
		x.heads = append(x.heads, h)
		ends[ship] = end
		x.todo += end
	}
	return ends, nil
}

// enlist gives a ship's log the next number.
func (x *indexer) enlist(b *Batch, ship string) int {
	n := x.count
	x.count++
	x.number[ship] = n
	b.files = append(b.files, File{Ship: ship, Path: x.dir.LogFile(ship)})
	return n
}

// newest hands over the newest lines of all logs.
func (x *indexer) newest(b Batch) {
	var heads []head
	for _, h := range x.heads {
		if h.readPrevious() {
			heads = append(heads, h)
		}
	}
	x.heads = heads
	for len(b.older) < firstLines && len(x.heads) > 0 {
		b.older = append(b.older, x.takeNewest())
	}
	for i := range x.heads {
		x.heads[i].words = false
	}
	x.handOverOlder(b)
}

// readOlder hands over the older lines, newest first.
func (x *indexer) readOlder(ctx context.Context) {
	last := time.Now()
	var b Batch
	for len(x.heads) > 0 && x.read < Most {
		b.older = append(b.older, x.takeNewest())
		if len(b.older)%1024 != 0 {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		if now := time.Now(); now.Sub(last) >= between {
			x.handOverOlder(b)
			b, last = Batch{}, now
		}
	}
	x.handOverOlder(b)
}

// handOverOlder hands over older records.
func (x *indexer) handOverOlder(b Batch) {
	left := int64(0)
	for i := range x.heads {
		left += x.heads[i].offset
	}
	b.share = 1
	if x.todo > 0 {
		b.share = 1 - float64(left)/float64(x.todo)
	}
	b.whole = len(x.heads) == 0 || x.read >= Most
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hand(b)
}

// takeNewest removes and returns the newest record of all logs.
func (x *indexer) takeNewest() found {
	newest := 0
	for i := 1; i < len(x.heads); i++ {
		if x.heads[i].at >= x.heads[newest].at { // at equal times, the order of ShowExisting
			newest = i
		}
	}
	h := &x.heads[newest]
	f := h.found
	if x.read++; !h.readPrevious() {
		x.heads = slices.Delete(x.heads, newest, newest+1)
	}
	return f
}

// readPrevious reads the record before, false when there is none. It skips what it cannot read.
func (h *head) readPrevious() bool {
	for {
		raw, offset, err := h.back.previousLine()
		if err != nil {
			return false
		}
		r, ok := parseRecord(raw, int(h.file), offset)
		if !ok {
			continue
		}
		h.found = found{record: r}
		if h.words {
			l, _ := Parse(raw)
			l.Data = nil // the words contain it
			h.line = &l
		}
		return true
	}
}

// handOverAdded hands over additions to the logs.
func (x *indexer) handOverAdded(all []news) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var b Batch
	queues := make([][]found, 0, len(all))
	for _, n := range all {
		file, known := x.number[n.ship]
		if n.anew && known {
			b.gone = append(b.gone, file)
			known = false
		}
		if !known {
			if x.count == maxFiles {
				continue
			}
			file = x.enlist(&b, n.ship)
		}
		queues = append(queues, n.records(file))
	}
	b.newer = mergeFound(queues)
	if len(b.files)+len(b.gone)+len(b.newer) > 0 {
		x.hand(b)
	}
	return nil
}

// records returns the lines with words, as records.
func (n news) records(file int) []found {
	var all []found
	for i := range n.lines {
		e := &n.lines[i]
		if e.line.Words == "" {
			continue
		}
		e.line.Data = nil // the words contain it
		all = append(all, found{record{
			at: e.line.At.UnixNano(), offset: e.offset, length: uint32(e.length), file: uint16(file), role: roleCode(e.line.Role),
		}, &e.line})
	}
	return all
}

// mergeFound merges the records of several logs by time.
func mergeFound(queues [][]found) []found {
	var all []found
	for {
		first := -1
		for i, q := range queues {
			if len(q) > 0 && (first < 0 || q[0].at < queues[first][0].at) {
				first = i
			}
		}
		if first < 0 {
			return all
		}
		all = append(all, queues[first][0])
		queues[first] = queues[first][1:]
	}
}
