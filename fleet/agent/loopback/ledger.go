package loopback

import (
	"slices"
	"sync"
	"time"
)

// Exchange is one request with what was new in it, and its reply.
type Exchange struct {
	At      time.Time
	Session string
	Key     string
	Stream  bool
	Fresh   []Part   // what came since the answer before
	Prompts []string // what people and hooks said since then
	Length  int      // messages of the conversation so far, 0 for a request that is aside of it
	Asked   int      // tokens, cached or not; 0 when no answer was served
	Reply   Reply
}

// Session is what one session of Claude Code asked and was given.
type Session struct {
	ID       string
	Key      string
	Requests int // refused and broken ones included
	Input    int // tokens asked and not in the cache, of answers that were served
	Output   int // tokens served
	Said     Served
	Last     Request
}

// Served is what the agent and its subagents were given: answers that Claude Code keeps in
// its transcripts. Titles and the summaries of a compaction, which it keeps nowhere, are
// not in it.
type Served struct {
	Answers               int
	Input, Output         int // tokens, as in a Session
	CacheRead, CacheWrite int // tokens asked that came from the cache, and that went into it
}

// ledger remembers what was asked.
type ledger struct {
	mu       sync.Mutex
	log      []Exchange
	sessions []*Session    // in order of their first request
	changed  chan struct{} // closed and replaced at every record
}

func newLedger() ledger { return ledger{changed: make(chan struct{})} }

// record notes a request and its reply. Last is the conversation, so a request
// without tools, for a title say, does not become it.
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

// Sessions returns the sessions so far, in the order in which they came.
func (l *ledger) Sessions() []Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Session, len(l.sessions))
	for i, s := range l.sessions {
		out[i] = *s
	}
	return out
}

// Changed is closed at the next exchange.
func (l *ledger) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}
