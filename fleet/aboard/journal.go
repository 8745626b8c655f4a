package aboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/hush"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// logbook is the ship's journal of what happened. The runner, the hooks and serve
// all write to it; helm reads it through serve and resumes by offset.
type logbook struct {
	home    home
	file    *journal.Journal
	secrets *hush.Secrets // takes known secrets out of what is written
}

// openLogbook opens the journal, and makes it and its id when there are none.
func openLogbook(h home) (*logbook, error) {
	if err := h.make(); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	file, err := journal.Open(h.journal())
	if err != nil {
		return nil, err
	}
	secrets, _ := loadSecrets(h) // the runner says what is wrong with them
	return &logbook{h, file, hush.Know(slices.Collect(maps.Values(secrets))...)}, nil
}

func (l *logbook) close() { _ = l.file.Close() }

// add writes a record, without secrets wherever they are in it. A journal that cannot be written
// must not stop an agent, so there is nothing to return.
func (l *logbook) add(kind string, data any) {
	if l == nil {
		return
	}
	if raw, err := json.Marshal(data); err == nil {
		_, _ = l.file.Note(kind, json.RawMessage(l.secrets.Hide(string(raw))))
	}
}

func (l *logbook) state(s proto.AgentState) {
	if l != nil {
		s.Why = l.clean(s.Why, 1<<10)
		l.add(proto.KindAgentState, s)
	}
}

func (l *logbook) log(kind, text, task string) {
	if l != nil {
		l.add(proto.KindLog, proto.Log{Text: l.clean(text, 4<<10), Kind: kind, Task: task})
	}
}

// prompt writes what the agent was told, with what proves which message it was.
func (l *logbook) prompt(text string, h heard) {
	if l != nil {
		l.add(proto.KindLog, proto.Log{Text: l.clean(text, 4<<10), Kind: "prompt", Sum: h.Sum, Altered: h.Altered})
	}
}

func (l *logbook) propose(p proto.Proposal) {
	if l != nil {
		p.Text = l.clean(p.Text, 4<<10)
		l.add(proto.KindProposal, p)
	}
}

// clean makes text fit to be written: no secrets, valid UTF-8, not too long.
func (l *logbook) clean(s string, most int) string {
	return cut(strings.ToValidUTF8(l.secrets.Hide(s), "�"), most)
}

// cut is for what is too long to be told.
func cut(s string, most int) string { return agent.Cut(s, most) }

// identity returns the journal's id and length.
func (l *logbook) identity() (id string, end int64, err error) {
	raw, err := os.ReadFile(l.home.journalID())
	if errors.Is(err, fs.ErrNotExist) {
		id, err = l.renew()
	} else {
		id = strings.TrimSpace(string(raw))
	}
	if err != nil {
		return "", 0, fmt.Errorf("journal id: %w", err)
	}
	info, err := os.Stat(l.home.journal())
	if err != nil {
		return "", 0, fmt.Errorf("journal: %w", err)
	}
	return id, info.Size(), nil
}

// renew gives the journal a new id, so that helm reads it from its start. That is
// needed when the machine crashed and lost an end that helm had already read.
func (l *logbook) renew() (string, error) {
	id := ulid.Make().String()
	return id, writeFile(l.home.journalID(), id+"\n")
}

// The bounds of a batch, well under what fits in a message.
const (
	batchRecords = 256
	batchBytes   = 256 << 10
)

// errFull ends the reading of a batch.
var errFull = errors.New("batch is full")

// batch returns the records from offset on, as many as fit, and where to go on.
func (l *logbook) batch(from int64) ([]proto.Event, int64, error) {
	var events []proto.Event
	bytes := 0
	next, err := journal.Read(l.home.journal(), from, func(r journal.Record) error {
		if len(events) == batchRecords || (bytes > 0 && bytes+len(r.Data) > batchBytes) {
			return errFull
		}
		if r.Kind == journal.Damaged || len(r.Data) > batchBytes {
			return nil
		}
		bytes += len(r.Data)
		events = append(events, proto.Event{Seq: r.Seq, At: r.At, Kind: r.Kind, Data: r.Data})
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return events, next, err
}
