package helm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard"
	"ocaptain/tasks/dirstore"
)

// maxText bounds a line of a log.
const maxText = 8 << 10

// events takes over records of the ship's journal. When it returns nil they are on
// the hub's disk and the ship need not send them again.
func (s *ship) events(_ context.Context, batch aboard.Events) (any, error) {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	if s.logs == nil {
		return nil, errors.New("not ready")
	}
	var lines []fleet.LogLine
	for _, e := range batch.Events {
		if e.Seq <= s.logs.seq {
			continue // it came before, and the answer was lost
		}
		lines = append(lines, s.line(e))
	}
	if err := s.logs.append(lines); err != nil {
		return nil, err
	}
	for i := range lines {
		s.apply(lines[i])
	}
	s.v.touchLocked()
	return nil, nil
}

// line makes a log line of a journal record.
func (s *ship) line(e aboard.Event) fleet.LogLine {
	l := fleet.LogLine{At: e.At, Ship: s.name, Role: s.known.Ship.Role, Kind: e.Kind, Journal: s.logs.journal, Seq: e.Seq}
	if e.Kind == aboard.KindLog {
		var log aboard.Log
		if err := json.Unmarshal(e.Data, &log); err == nil {
			l.Kind, l.Turn, l.Task, l.Text = log.Kind, log.Turn, log.Task, clip(log.Text)
			return l
		}
	}
	if len(e.Data) <= maxText {
		l.Data = e.Data
	}
	return l
}

// apply updates what is known of the ship. The caller holds v.mu.
func (s *ship) apply(l fleet.LogLine) {
	k := &s.known
	k.EventAt = l.At
	switch l.Kind {
	case aboard.KindAgentStarted:
		k.Exit = nil
		k.State, k.StateAt = aboard.AgentState{State: aboard.StateStarting}, l.At
	case aboard.KindAgentExited:
		var e aboard.AgentExited
		if json.Unmarshal(l.Data, &e) == nil {
			k.Exit, k.ExitAt = &e, l.At
			if e.Final && !s.restoring {
				go s.ended(e)
			}
		}
	case aboard.KindProposal:
		var p aboard.Proposal
		if json.Unmarshal(l.Data, &p) == nil && !s.restoring {
			go s.proposed(p)
		}
	case aboard.KindTamper:
		var t aboard.Tamper
		if json.Unmarshal(l.Data, &t) == nil && !s.restoring {
			go s.tampered(t)
		}
	case aboard.KindAgentState:
		var st aboard.AgentState
		if json.Unmarshal(l.Data, &st) == nil {
			if st.State != k.State.State {
				k.StateAt = l.At
			}
			k.State = st
		}
	}
}

// tampered tells the captain what was done to the ship's task files; the ship has
// undone it. Metadata that an agent gives the task that it holds is kept.
func (s *ship) tampered(t aboard.Tamper) {
	if dirstore.What(t.What) != dirstore.Annotated {
		s.v.note(fleet.Note{Ship: s.name, Task: t.Task, Text: "its task file was " + clip(t.What) + " by hand and restored: only claims and completions through ocaptain count"})
		return
	}
	if h := held(s.v.store.Snapshot(), s.name); h == nil || h.ID != t.Task {
		return
	}
	if err := s.v.store.Annotate(s.ctx, t.Task, t.Metadata); err != nil && s.ctx.Err() == nil {
		s.v.log.Warn("metadata not kept", "ship", s.name, "task", t.Task, "error", err)
	}
}

// ended settles what an agent leaves behind that is not started again: it is
// proven gone, so its task goes to another ship.
func (s *ship) ended(e aboard.AgentExited) {
	if s.tree.lock(s.ctx) != nil {
		return
	}
	defer s.tree.unlock()
	s.v.reclaim(s.name, "the agent of "+s.name+" ended: "+e.Reason)
}

// restore brings back what was known when helm ended.
func (s *ship) restore() {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.restoring = true
	for _, l := range s.logs.recent {
		s.apply(l)
	}
	s.logs.recent, s.restoring = nil, false
	if e := s.known.Exit; e != nil && e.Final {
		go s.ended(*e) // helm may have ended before it could
	}
}

func clip(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + "…"
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

// logFile is the hub's copy of a ship's journal.
type logFile struct {
	f       *os.File
	journal string // that the newest line came from
	seq     int64
	recent  []fleet.LogLine // the end of the file as it was found
}

// openLog opens a ship's log and finds where it ends; a torn last line is cut off.
func openLog(d fleet.Dir, ship string) (*logFile, error) {
	if err := os.MkdirAll(d.Logs(), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(d.Log(ship), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	l := &logFile{f: f}
	if err := l.readEnd(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// readEnd reads the last part of the file, enough to know the agent's state.
func (l *logFile) readEnd() error {
	size, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	const part = 1 << 20
	from := max(0, size-part)
	r := bufio.NewReaderSize(io.NewSectionReader(l.f, from, size-from), 1<<16)
	if from > 0 {
		if _, err := r.ReadBytes('\n'); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	for {
		raw, err := r.ReadBytes('\n')
		if err != nil {
			if len(raw) > 0 {
				return l.f.Truncate(size - int64(len(raw)))
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var line fleet.LogLine
		if json.Unmarshal(raw, &line) != nil {
			continue
		}
		if line.Journal != "" {
			l.journal, l.seq = line.Journal, line.Seq
		}
		l.recent = append(l.recent, line)
	}
}

// from says where a ship's journal goes on. Another journal than before begins anew.
func (l *logFile) from(journal string, end int64) int64 {
	if journal != l.journal || l.seq > end {
		l.journal, l.seq = journal, 0
	}
	return l.seq
}

// append writes lines in one piece.
func (l *logFile) append(lines []fleet.LogLine) error {
	if len(lines) == 0 {
		return nil
	}
	var buf []byte
	for _, line := range lines {
		raw, err := json.Marshal(line)
		if err != nil {
			return err
		}
		buf = append(append(buf, raw...), '\n')
	}
	at, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := l.f.Write(buf); err != nil {
		return errors.Join(err, l.f.Truncate(at))
	}
	l.seq = lines[len(lines)-1].Seq
	return nil
}

func (l *logFile) close() { _ = l.f.Close() }
