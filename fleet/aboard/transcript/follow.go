// Package transcript reads the transcripts that the agent of a ship writes: what it says and does, and what it uses.
package transcript

import (
	"context"
	"hash/maphash"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"golang.org/x/time/rate"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// The timing of a tail. It reads a moment after a change, so that it reads a burst of lines at once. It also looks at
// the files at intervals, in case a notice of a change gets lost.
const (
	tailPause  = 200 * time.Millisecond
	tailGlance = 10 * time.Second
	UsageEvery = time.Second
)

// tail follows the transcripts of the ship's sessions and writes what they contain to the ship's journal. It runs as
// long as the runner does; the tail of the next runner continues where it ended.
type tail struct {
	home      shipdir.Dir
	workspace string
	from      *agentlog.Transcript
	book      *shipdir.Journal
	state     tailState
	readers   map[string]func([]byte) agentlog.Step // by path of the file
	seed      maphash.Seed
	seen      [2]map[uint64]struct{} // hashes of what was read, the newer and the older half
	ration    *rate.Limiter          // limits how many entries are logged
	left      int                    // how many entries were not logged because of ration
	told      proto.Usage            // the usage that the journal has
	toldAt    time.Time              // when told was written to the journal
	over      bool                   // a turn has ended since told was written
}

// Follow starts a tail that writes what the ship's transcripts contain to its journal. The returned function reads the
// rest and stops the tail. If from is nil, the agent has no transcripts, and Follow does nothing.
func Follow(h shipdir.Dir, workspace string, from *agentlog.Transcript, book *shipdir.Journal) (stop func()) {
	if from == nil {
		return func() {}
	}
	t := newTail(h, workspace, from, book)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func newTail(h shipdir.Dir, workspace string, from *agentlog.Transcript, book *shipdir.Journal) *tail {
	t := &tail{
		home: h, workspace: workspace, from: from, book: book,
		readers: map[string]func([]byte) agentlog.Step{}, seed: maphash.MakeSeed(), ration: rate.NewLimiter(rationRate, rationSize),
	}
	t.load()
	return t
}

// run reads the transcripts until ctx ends.
func (t *tail) run(ctx context.Context) {
	t.recall()
	w := newTailWatch(t)
	defer w.close()
	glance := time.NewTicker(tailGlance)
	defer glance.Stop()
	for {
		w.follow()
		more := t.pass()
		if ctx.Err() != nil {
			for end := time.Now().Add(5 * time.Second); more && time.Now().Before(end); {
				more = t.pass()
			}
			t.tell(true)
			return
		}
		var later <-chan time.Time
		if wait := t.tell(false); wait > 0 {
			later = time.After(wait)
		}
		if !more {
			select {
			case <-w.news:
			case <-later:
			case <-glance.C:
			case <-ctx.Done():
			}
		}
		select {
		case <-time.After(tailPause):
		case <-ctx.Done():
		}
	}
}

// tell writes the usage to the journal: at once when a turn has ended, and otherwise about once a second at most. It
// returns how long to wait until it may be written, 0 if it was.
func (t *tail) tell(now bool) time.Duration {
	if t.left > 0 && t.ration.TokensAt(time.Now()) > rationSize/2 {
		t.book.Log("note", leftOut(t.left), "")
		t.left = 0
	}
	u := t.state.Usage
	if u.Equal(t.told) {
		t.over = false
		return 0
	}
	if wait := UsageEvery - time.Since(t.toldAt); wait > 0 && !now && !t.over {
		return wait
	}
	t.book.Add(proto.KindUsage, u)
	t.told, t.toldAt, t.over = u.Clone(), time.Now(), false
	return 0
}
