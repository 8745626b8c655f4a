package loopback

import (
	"slices"
	"sync"
	"time"
)

// Exchange is one request, what was new in it, and its reply.
type Exchange struct {
	At      time.Time
	Session string
	Key     string
	Stream  bool
	Fresh   []Part   // the new parts since the last answer
	Prompts []string // the new messages of people and hooks
	Length  int      // number of messages in the conversation so far, 0 for a request outside it
	Asked   int      // tokens of the request, cached or not; 0 if it got no answer
	Reply   Reply
}

// Session sums up the requests and answers of one session of Claude Code.
type Session struct {
	ID       string
	Key      string
	Requests int // including refused and broken ones
	Input    int // tokens that were not in the cache, in requests that got an answer
	Output   int // tokens of the answers
	Said     Served
	Last     Request
}

// Served sums up the answers that an agent and its subagents got and that Claude Code keeps in its transcripts.
// Titles and summaries of a compaction are not included, since Claude Code keeps these nowhere.
type Served struct {
	Answers               int
	Input, Output         int // tokens, as in a Session
	CacheRead, CacheWrite int // input tokens that came from the cache, and that went into it
}

// ledger records all exchanges.
type ledger struct {
	mu       sync.Mutex
	log      []Exchange
	sessions []*Session    // in order of their first request
	changed  chan struct{} // closed and replaced at every record
}

func newLedger() ledger { return ledger{changed: make(chan struct{})} }

// record adds a request and its reply. A request without tools, such as one for a title, is no part of the
// conversation, and so does not become Last.
func (l *ledger) record(r Request, reply Reply, cost usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := Exchange{At: time.Now(), Session: r.Session, Key: r.Key, Stream: r.Stream, Fresh: r.Fresh(), Asked: cost.Input + cost.CacheRead + cost.CacheWrite, Reply: reply}
	if !r.aside() {
		e.Prompts, e.Length = r.news().Prompts(), len(r.Messages)
	}
	l.log = append(l.log, e)
	i := slices.IndexFunc(l.sessions, func(s *Session) bool { return s.ID == r.Session })
	if i < 0 {
		i = len(l.sessions)
		l.sessions = append(l.sessions, &Session{ID: r.Session, Key: r.Key})
	}
	s := l.sessions[i]
	s.Requests++
	s.Input += cost.Input
	s.Output += cost.Output
	if len(r.Tools) > 0 {
		s.Last = r
	}
	if cost != (usage{}) && !r.aside() {
		s.Said.Answers++
		s.Said.Input += cost.Input
		s.Said.Output += cost.Output
		s.Said.CacheRead += cost.CacheRead
		s.Said.CacheWrite += cost.CacheWrite
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// Log returns every exchange so far, oldest first.
func (l *ledger) Log() []Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.log)
}

// Sessions returns the sessions so far, in the order of their first requests.
func (l *ledger) Sessions() []Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Session, len(l.sessions))
	for i, s := range l.sessions {
		out[i] = *s
	}
	return out
}

// Changed returns a channel that is closed at the next exchange.
func (l *ledger) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}
