package dirstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ocaptain/tasks/journal"
	"ocaptain/tasks/ledger"
	"ocaptain/tasks/redislog"
	"ocaptain/tasks/taskdir"
)

// pollPause is the time between looks at what other hubs have changed.
const pollPause = 250 * time.Millisecond

// haltPause is the time between looks at a log that is lost or forged, since somebody may restore it.
const haltPause = time.Minute

// maxRecords is how many records one entry may hold.
const maxRecords = 64

// shared is the part of a store by which hubs share its tasks: a log in Redis. All hubs apply the same entries by the same rules, and so
// have the same state. Each hub judges an operation by that state; the operation counts once its entry is in the log.
type shared struct {
	log  *redislog.Log
	ctx  context.Context // ends when the store closes
	stop context.CancelFunc
	done sync.WaitGroup

	commits *committer

	turn chan struct{} // a mutex that a context can interrupt: held while reading the log or appending to it; taken before mu

	// Guarded by turn.
	replay  *ledger.Replay
	at      redislog.Mark // the last entry that was applied
	journal bool          // whether entries are copied to the journal; if not, the journal first needs a restatement
	halted  error         // why the store applies no more entries, nil while it does
	tried   time.Time     // when halted was last set by a look at the log; zero if the store never looks again

	// Guarded by the store's mu.
	why   error // the error of the last request to Redis
	since time.Time
}

// entry is the decoded content of a log entry: records of one kind, made at the same time.
type entry struct {
	At   time.Time         `json:"at"`
	Kind string            `json:"kind"` // with the prefix ledger.Prefix
	Data []json.RawMessage `json:"data"`
}

func (e entry) encode() ([]byte, error) { return json.Marshal(e) }

// decode reads the content of a log entry.
func decode(e redislog.Entry) (in entry, err error) {
	err = json.Unmarshal(e.Data, &in)
	if err == nil && (!strings.HasPrefix(in.Kind, ledger.Prefix) || in.At.IsZero() || len(in.Data) == 0 || len(in.Data) > maxRecords) {
		err = errors.New("it has not the form of an entry")
	}
	return in, err
}

// apply carries out an entry.
func (e entry) apply(r *ledger.Replay) error {
	before := r.Applied
	for _, data := range e.Data {
		if err := r.Apply(e.At, strings.TrimPrefix(e.Kind, ledger.Prefix), data); err != nil {
			return err
		}
	}
	if r.Applied == before {
		return errors.New("it is not whole")
	}
	return nil
}

// OpenShared opens a store that shares its tasks with other hubs by a log. hub is the number of this hub, which Join returns. While Redis
// does not answer, the store shows what its journal holds; see Apart. The caller keeps the log, and closes it after the store.
func OpenShared(dir string, j *journal.Journal, report func([]taskdir.Tamper), log *redislog.Log, hub int) (*Store, error) {
	s, err := open(dir, j, report, nil, log)
	if err == nil {
		s.hub = hub
	}
	return s, err
}

// share makes the store share its tasks. It reads the log from the entry that the journal names last. If the journal
// is damaged, it reads the whole log.
func (s *Store) share(log *redislog.Log, r *ledger.Replay) error {
	at, err := redislog.ParseMark(r.From)
	whole := err == nil && len(r.Report()) == 0
	if !whole {
		r, at = ledger.NewReplay(), redislog.Mark{}
	}
	r.Ledger.Wholes = true
	ctx, stop := context.WithCancel(context.Background())
	s.shared = &shared{log: log, ctx: ctx, stop: stop, turn: make(chan struct{}, 1), replay: r, at: at, journal: whole}
	s.shared.commits = &committer{store: s, wake: make(chan struct{}, 1)}
	s.ledger, s.problems = r.Ledger, nil
	return nil
}

// mark returns the mark of the last applied entry, "" when no other hub shares the tasks.
func (h *shared) mark() string {
	if h == nil {
		return ""
	}
	return h.at.String()
}

// close stops the goroutines that follow the log and append to it, and then all others that use it.
func (h *shared) close() {
	if h == nil {
		return
	}
	h.stop()
	h.done.Wait()
	h.turn <- struct{}{} // kept for good: take fails from now on
}

// take waits for the turn, and returns the function that ends it.
func (h *shared) take(ctx context.Context) (end func(), err error) {
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn }, nil
	case <-h.ctx.Done():
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// advance applies the newer entries of the log. If there are none, it appends the changes of a batch, which may be nil, and applies them. news
// is the number of applied entries. The caller holds the turn.
func (s *Store) advance(ctx context.Context, b *batch) (news int, err error) {
	newer, mine, err := s.exchange(ctx, b.data(), b.begins())
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, errAdopted) { // the batch is to be judged again
		return 1, nil
	}
	if ctx.Err() == nil || err == nil {
		s.setApart(err)
	}
	if err != nil {
		return 0, err
	}
	if mine > 0 || len(newer) == 0 {
		b.confirm()
	}
	return s.fold(newer, func(i int) {
		if i < mine {
			b.changes[i].end(nil)
		}
	})
}

// exchange returns the newer entries of the log. If there are none, it appends entries and returns them; mine is how many of the returned
// entries, from the first, it has appended. The caller holds the turn.
func (s *Store) exchange(ctx context.Context, data [][]byte, begins bool) (newer []redislog.Entry, mine int, err error) {
	h := s.shared
	switch {
	case h.halted != nil && (h.tried.IsZero() || time.Since(h.tried) < haltPause):
		return nil, 0, h.halted
	case len(data) == 0:
		newer, err = h.log.Read(ctx, h.at)
	default:
		newer, mine, err = h.log.Append(ctx, h.at, data, begins)
	}
	if errors.Is(err, redislog.ErrLost) {
		if err = s.putBack(ctx); err == nil {
			return s.exchange(ctx, data, begins)
		}
	}
	if errors.Is(err, redislog.ErrForged) || errors.Is(err, redislog.ErrLost) {
		h.halted, h.tried = err, time.Now()
	}
	return newer, mine, err
}

// encode returns the content of a log entry for a change.
func encode(now time.Time, c *ledger.Change) ([]byte, error) {
	records, err := c.Records()
	if err != nil {
		return nil, err
	}
	if len(records) > maxRecords {
		return nil, fmt.Errorf("%d records are more than the %d of an entry: add less at a time", len(records), maxRecords)
	}
	e := entry{At: now, Kind: ledger.Prefix + c.Kind}
	for _, r := range records {
		raw, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		e.Data = append(e.Data, raw)
	}
	return e.encode()
}

// fold applies entries of the log: to the journal first, and then to the state. It calls then after each, and returns how many it has applied. If
// the rules refuse an entry, the store applies no more entries, since its state would differ from that of other hubs. The caller holds the turn
// and mu.
func (s *Store) fold(newer []redislog.Entry, then func(i int)) (n int, err error) {
	h := s.shared
	var all []entry
	var copies []journal.Record
	var bad error // error of the first malformed entry
	for _, e := range newer {
		var in entry
		if in, bad = decode(e); bad != nil {
			break
		}
		all = append(all, in)
		for _, data := range in.Data {
			copies = append(copies, journal.Record{At: in.At, Kind: in.Kind, Data: data, From: e.String()})
		}
	}
	if h.journal && len(copies) > 0 {
		if _, err := s.journal.AddRecords(copies); err != nil {
			return 0, err // no entry is applied, and all will be read again
		}
	}
	for n < len(newer) {
		err := bad
		if n < len(all) {
			err = all[n].apply(h.replay)
		}
		if err != nil {
			h.halted, h.tried = fmt.Errorf("%w: entry %d: %w; is this the newest ocaptain?", redislog.ErrForged, newer[n].Number, err), time.Time{}
			return n, h.halted
		}
		h.at = newer[n].Mark
		then(n)
		n++
	}
	return n, nil
}

// follow applies what other hubs change, until the store closes.
func (s *Store) follow() {
	for s.shared.ctx.Err() == nil {
		if more, err := s.catchUp(); more && err == nil {
			continue
		}
		select {
		case <-s.shared.ctx.Done():
		case <-time.After(pollPause):
		}
	}
}

// CatchUp applies all changes that other hubs have made so far.
func (s *Store) CatchUp(ctx context.Context) error {
	for {
		more, err := s.catchUp()
		if err = cmp.Or(err, ctx.Err()); err != nil || !more {
			return err
		}
	}
}

// farBehind is how many entries in one answer of Redis mean that this hub is far behind, and mostReads how many such answers are applied before
// their changes are published: a hub that reads a long log writes each task file once.
const (
	farBehind = 32
	mostReads = 1000
)

// catchUp applies newer entries of the log, and reports whether there may be more. When there are none left, it restates a damaged journal.
func (s *Store) catchUp() (more bool, err error) {
	var changed []*ledger.Entry
	for news, reads := farBehind, 0; news >= farBehind && err == nil && reads < mostReads; reads++ {
		var some []*ledger.Entry
		news, some, err = s.readNewer()
		changed, more = append(changed, some...), news > 0
	}
	if len(changed) > 0 {
		err = errors.Join(err, s.publishDurable(changed))
	}
	return more, err
}

// readNewer applies one answer of Redis.
func (s *Store) readNewer() (news int, changed []*ledger.Entry, err error) {
	h := s.shared
	end, err := h.take(h.ctx)
	if err != nil {
		return 0, nil, err
	}
	defer end()
	news, err = s.advance(h.ctx, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && news == 0 && !h.journal && h.at != (redislog.Mark{}) {
		err = s.restate(timeNow())
		h.journal = err == nil
	}
	return news, s.ledger.TakeChanged(), err
}

// Apart returns why the store cannot share changes with other hubs at the moment, and since when; why is nil when it can. The store
// retries by itself, unless the error is redislog.ErrForged or redislog.ErrLost.
func (s *Store) Apart() (since time.Time, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		return time.Time{}, nil
	}
	return s.shared.since, s.shared.why
}

// setApart records the result of a request to Redis, and wakes the watchers if Redis stopped or began to answer. The
// caller holds mu.
func (s *Store) setApart(err error) {
	h := s.shared
	was := h.why
	if h.why = err; (was == nil) == (err == nil) {
		return
	}
	if h.since = (time.Time{}); err != nil {
		h.since = timeNow()
	}
	s.notifyWatchers()
}
