package shipdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"github.com/oklog/ulid/v2"

	"ocaptain/fleet/hush"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// Journal is the ship's journal of what happened. The runner, the hooks and serve
// all write to it; helm reads it through serve and resumes by offset.
type Journal struct {
	home    Dir
	file    *journal.Journal
	secrets *hush.Secrets // takes known secrets out of what is written
}

// OpenJournal opens the journal, and makes it and its id when there are none.
func OpenJournal(h Dir) (*Journal, error) {
	if err := h.Make(); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	file, err := journal.Open(h.Journal())
	if err != nil {
		return nil, err
	}
	secrets, _ := LoadSecrets(h)            // the runner says what is wrong with them
	key, _ := os.ReadFile(h.TelemetryKey()) // the runner makes it
	return &Journal{h, file, hush.NewSecrets(append(slices.Collect(maps.Values(secrets)), string(key))...)}, nil
}

// Close closes the file.
func (l *Journal) Close() { _ = l.file.Close() }

// Add writes a record, without secrets wherever they are in it. A journal that cannot be written
// must not stop an agent, so there is nothing to return.
func (l *Journal) Add(kind string, data any) {
	if l == nil {
		return
	}
	if raw, err := json.Marshal(data); err == nil {
		_, _ = l.file.AddRecord(kind, json.RawMessage(l.secrets.HideText(string(raw))))
	}
}

// State records what the agent is doing.
func (l *Journal) State(s proto.AgentState) {
	if l != nil {
		s.Why = l.Clean(s.Why, 1<<10)
		l.Add(proto.KindAgentState, s)
	}
}

// Log records something that is said.
func (l *Journal) Log(kind, text, task string) {
	if l != nil {
		l.Add(proto.KindLog, proto.Log{Text: l.Clean(text, 4<<10), Kind: kind, Task: task})
	}
}

// Prompt writes what the agent was told, with what proves which message it was.
func (l *Journal) Prompt(text string, h Heard) {
	if l != nil {
		l.Add(proto.KindLog, proto.Log{Text: l.Clean(text, 4<<10), Kind: "prompt", Sum: h.Sum, Altered: h.Altered})
	}
}

// Propose records what the agent proposes.
func (l *Journal) Propose(p proto.Proposal) {
	if l != nil {
		p.Text = l.Clean(p.Text, 4<<10)
		l.Add(proto.KindProposal, p)
	}
}

// Clean makes text fit to be written: no secrets, valid UTF-8, not too long.
func (l *Journal) Clean(s string, most int) string {
	return Cut(strings.ToValidUTF8(l.secrets.HideText(s), "�"), most)
}

// Cut is for what is too long to be told.
func Cut(s string, most int) string { return agentlog.Shorten(s, most) }

// Identity returns the journal's id and length.
func (l *Journal) Identity() (id string, end int64, err error) {
	raw, err := os.ReadFile(l.home.JournalID())
	if errors.Is(err, fs.ErrNotExist) {
		id, err = l.Renew()
	} else {
		id = strings.TrimSpace(string(raw))
	}
	if err != nil {
		return "", 0, fmt.Errorf("journal id: %w", err)
	}
	info, err := os.Stat(l.home.Journal())
	if err != nil {
		return "", 0, fmt.Errorf("journal: %w", err)
	}
	return id, info.Size(), nil
}

// Renew gives the journal a new id, so that helm reads it from its start. That is
// needed when the machine crashed and lost an end that helm had already read.
func (l *Journal) Renew() (string, error) {
	id := ulid.Make().String()
	return id, WriteFile(l.home.JournalID(), id+"\n")
}

// The bounds of a batch, well under what fits in a message.
const (
	batchRecords = 256
	BatchBytes   = 256 << 10
)

// errFull ends the reading of a batch.
var errFull = errors.New("batch is full")

// Batch returns the records from offset on, as many as fit, and where to go on.
func (l *Journal) Batch(from int64) ([]proto.Event, int64, error) {
	var events []proto.Event
	bytes := 0
	next, err := journal.Read(l.home.Journal(), from, func(r journal.Record) error {
		if len(events) == batchRecords || (bytes > 0 && bytes+len(r.Data) > BatchBytes) {
			return errFull
		}
		if r.Kind == journal.Damaged || len(r.Data) > BatchBytes {
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
