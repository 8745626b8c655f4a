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

// Journal is the ship's journal. The runner, the hooks and serve all write to it; helm reads it through serve and
// resumes at an offset.
type Journal struct {
	home    Dir
	file    *journal.Journal
	secrets *hush.Secrets // removes known secrets from records
}

// OpenJournal opens the journal, and creates it and its id if they are missing.
func OpenJournal(h Dir) (*Journal, error) {
	if err := h.Make(); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	file, err := journal.Open(h.Journal())
	if err != nil {
		return nil, err
	}
	secrets, _ := LoadSecrets(h)            // an error is ignored here, as the runner reports it
	key, _ := os.ReadFile(h.TelemetryKey()) // missing until the runner has made it
	return &Journal{h, file, hush.NewSecrets(append(slices.Collect(maps.Values(secrets)), string(key))...)}, nil
}

// Close closes the file.
func (l *Journal) Close() { _ = l.file.Close() }

// Add writes a record, with all secrets in it removed. Errors are ignored, since a journal that cannot be written
// must not stop an agent.
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

// Log records a line of the ship's log.
func (l *Journal) Log(kind, text, task string) {
	if l != nil {
		l.Add(proto.KindLog, proto.Log{Text: l.Clean(text, 4<<10), Kind: kind, Task: task})
	}
}

// Prompt records what the agent was told, with the sum that identifies the message.
func (l *Journal) Prompt(text string, h Heard) {
	if l != nil {
		l.Add(proto.KindLog, proto.Log{Text: l.Clean(text, 4<<10), Kind: "prompt", Sum: h.Sum, Altered: h.Altered})
	}
}

// Propose records a proposal of the agent.
func (l *Journal) Propose(p proto.Proposal) {
	if l != nil {
		p.Text = l.Clean(p.Text, 4<<10)
		l.Add(proto.KindProposal, p)
	}
}

// Clean returns the text in the form for the journal: without secrets, valid UTF-8, and at most that many bytes.
func (l *Journal) Clean(s string, most int) string {
	return Cut(strings.ToValidUTF8(l.secrets.HideText(s), "�"), most)
}

// Cut shortens a text to at most that many bytes.
func Cut(s string, most int) string { return agentlog.Shorten(s, most) }

// Identity returns the journal's id and its size.
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

// Renew gives the journal a new id, so that helm reads it from its start. That is needed after a crash of the
// machine, which may lose records that helm has already read.
func (l *Journal) Renew() (string, error) {
	id := ulid.Make().String()
	return id, WriteFile(l.home.JournalID(), id+"\n")
}

// Limits of a batch, well below the size of a message.
const (
	batchRecords = 256
	BatchBytes   = 256 << 10
)

// errFull stops reading when a batch is full.
var errFull = errors.New("batch is full")

// Batch returns as many records from offset from on as fit, and the offset to continue from.
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
