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

// haltPause is the time between looks at a log that is lost or forged: somebody may bring it back.
const haltPause = time.Minute

// maxRecords is how many records one entry may hold.
const maxRecords = 64

// shared is the part of a store by which hubs share its tasks. Each hub has the same entries, applies the same rules to them, and so has the
// same state; an operation is judged by that state, and counts once its entry is in the log.
type shared struct {
	log  *redislog.Log
	ctx  context.Context // ends with the store
	stop context.CancelFunc
	done sync.WaitGroup

	turn chan struct{} // held by who reads the log or appends to it; before mu

	// Guarded by turn.
	replay  *ledger.Replay
	at      redislog.Mark // the last entry that was applied
	journal bool          // entries are copied to the journal; else it gets the state as a whole
	halted  error         // why no entry is applied any more, nil when entries are
	tried   time.Time     // when that was found in the log, zero when it is for good

	// Guarded by the store's mu.
	why   error // of the last request that failed
	since time.Time
}

// entry is the content of an entry: records of one kind, made at one moment.
type entry struct {
	At   time.Time         `json:"at"`
	Kind string            `json:"kind"` // with ledger.Prefix
	Data []json.RawMessage `json:"data"`
}

func (e entry) encode() ([]byte, error) { return json.Marshal(e) }

// OpenShared opens a store whose tasks other hubs share in a log. Without an answer of Redis it has what its journal has: see Apart. The log
// stays the caller's; close it after the store.
func OpenShared(dir string, j *journal.Journal, report func([]taskdir.Tamper), log *redislog.Log) (*Store, error) {
	return open(dir, j, report, nil, log)
}

// share begins to share the tasks, from where the journal ends. A damaged journal is written again from the log.
func (s *Store) share(log *redislog.Log, r *ledger.Replay) error {
	at, err := redislog.ParseMark(r.From)
	whole := err == nil && len(r.Report()) == 0
	if !whole {
		r, at = ledger.NewReplay(), redislog.Mark{}
	}
	r.Ledger.Wholes = true
	ctx, stop := context.WithCancel(context.Background())
	s.shared = &shared{log: log, ctx: ctx, stop: stop, turn: make(chan struct{}, 1), replay: r, at: at, journal: whole}
	s.ledger, s.problems = r.Ledger, nil
	return nil
}

// mark returns where the state of the store ends in the log, "" when no other hub shares the tasks.
func (h *shared) mark() string {
	if h == nil {
		return ""
	}
	return h.at.String()
}

// close ends what reads the log, after what uses it.
func (h *shared) close() {
	if h == nil {
		return
	}
	h.stop()
	h.done.Wait()
	h.turn <- struct{}{} // and is never given back
}

// take waits for the turn. Call the function that it returns to end the turn.
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

// changeShared changes tasks that hubs share. It judges by what it knows, and again as soon as the log has something newer.
// It fails at once while Redis does not answer, which follow finds out.
func (s *Store) changeShared(ctx context.Context, do judge, then func()) (changed []*ledger.Entry, err error) {
	if _, why := s.Apart(); errors.Is(why, redislog.ErrUnreachable) {
		return nil, why
	}
	end, err := s.shared.take(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	for {
		s.mu.Lock()
		now := timeNow()
		c, no := do(now)
		s.mu.Unlock()
		if no != nil {
			c = nil
		}
		news, mine, err := s.advance(ctx, now, c, then)
		s.mu.Lock()
		changed = append(changed, s.ledger.TakeChanged()...)
		if err == nil && news == 0 && no == nil {
			then()
		}
		s.mu.Unlock()
		switch {
		case err != nil || mine:
			return changed, err
		case news == 0:
			return changed, no
		}
	}
}

// advance appends a change, nil for none, unless the log has something newer, and takes over what it has. It calls then right after the
// change was taken over, which mine tells. The caller has the turn.
func (s *Store) advance(ctx context.Context, now time.Time, c *ledger.Change, then func()) (news int, mine bool, err error) {
	newer, mine, err := s.exchange(ctx, now, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil || err == nil {
		s.setApart(err)
	}
	for i, e := range newer {
		if err := s.fold(e); err != nil {
			return i, false, err
		}
		if mine && i == 0 {
			then()
		}
	}
	return len(newer), mine, err
}

// exchange appends a change to the log, nil for none, or returns what is newer there. mine says that the first of that is the change. The
// caller has the turn.
func (s *Store) exchange(ctx context.Context, now time.Time, c *ledger.Change) (newer []redislog.Entry, mine bool, err error) {
	h := s.shared
	switch {
	case h.halted != nil && (h.tried.IsZero() || time.Since(h.tried) < haltPause):
		return nil, false, h.halted
	case c == nil:
		newer, err = h.log.Read(ctx, h.at)
	default:
		var data []byte
		if data, err = encode(now, c); err == nil {
			newer, mine, err = h.log.Append(ctx, h.at, data, c.Begins())
		}
	}
	if errors.Is(err, redislog.ErrLost) {
		if err = s.putBack(ctx); err == nil {
			return s.exchange(ctx, now, c)
		}
	}
	if errors.Is(err, redislog.ErrForged) || errors.Is(err, redislog.ErrLost) {
		h.halted, h.tried = err, time.Now()
	}
	return newer, mine, err
}

// encode returns the content of the entry of a change.
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

// fold takes an entry over: into the journal, and then into the state. What the rules refuse ends that for good, as the state of this hub
// would differ from that of others. The caller has the turn and holds mu.
func (s *Store) fold(e redislog.Entry) error {
	h := s.shared
	var in entry
	err := json.Unmarshal(e.Data, &in)
	kind, ours := strings.CutPrefix(in.Kind, ledger.Prefix)
	if err == nil && (!ours || in.At.IsZero() || len(in.Data) == 0 || len(in.Data) > maxRecords) {
		err = errors.New("it has not the form of an entry")
	}
	for _, data := range in.Data {
		if err != nil || !h.journal {
			break
		}
		if _, err := s.journal.Copy(in.At, in.Kind, data, e.String()); err != nil {
			return err // it comes again
		}
	}
	before := h.replay.Applied
	for _, data := range in.Data {
		if err == nil {
			err = h.replay.Apply(in.At, kind, data)
		}
	}
	if err == nil && h.replay.Applied == before {
		err = errors.New("it is not whole")
	}
	if err != nil {
		h.halted, h.tried = fmt.Errorf("%w: entry %d: %w; is this the newest ocaptain?", redislog.ErrForged, e.Number, err), time.Time{}
		return h.halted
	}
	h.at = e.Mark
	return nil
}

// follow takes over what other hubs change, until the store closes.
func (s *Store) follow() {
	for s.shared.ctx.Err() == nil {
		if news, err := s.catchUp(); news > 0 && err == nil {
			continue
		}
		select {
		case <-s.shared.ctx.Done():
		case <-time.After(pollPause):
		}
	}
}

// CatchUp takes over all that hubs that share the tasks have changed so far.
func (s *Store) CatchUp(ctx context.Context) error {
	for {
		news, err := s.catchUp()
		if err = cmp.Or(err, ctx.Err()); err != nil || news == 0 {
			return err
		}
	}
}

// catchUp takes over what is newer in the log. Once it has all, a journal that was damaged gets the state.
func (s *Store) catchUp() (news int, err error) {
	h := s.shared
	end, err := h.take(h.ctx)
	if err != nil {
		return 0, err
	}
	news, _, err = s.advance(h.ctx, time.Time{}, nil, nil)
	s.mu.Lock()
	changed := s.ledger.TakeChanged()
	if err == nil && news == 0 && !h.journal && h.at != (redislog.Mark{}) {
		err = s.restate(timeNow())
		h.journal = err == nil
	}
	s.mu.Unlock()
	end()
	if len(changed) > 0 {
		err = errors.Join(err, s.publishDurable(changed))
	}
	return news, err
}

// Apart returns why the store has no part in what hubs share, and since when; nil when it has. It retries by itself, unless the error is
// redislog.ErrForged or redislog.ErrLost.
func (s *Store) Apart() (since time.Time, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		return time.Time{}, nil
	}
	return s.shared.since, s.shared.why
}

// setApart notes how a request ended, and wakes the watchers when that is news. The caller holds mu.
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
