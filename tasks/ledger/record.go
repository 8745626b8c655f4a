package ledger

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// maxPart is the approximate limit of one record, in bytes of tasks.
const maxPart = 1 << 20

// part is a record with some tasks of a batch. The batch counts once its last part is in the journal. The first part
// of another batch discards an unfinished batch.
type part struct {
	Part  int          `json:"part"`           // from 0
	More  bool         `json:"more,omitempty"` // another part follows
	Tasks []tasks.Task `json:"tasks"`
}

// Records returns the data of the records that make up a change: several for a large batch of new tasks.
func (c *Change) Records() ([]any, error) {
	if c.Batch == nil {
		return []any{c}, nil
	}
	parts, err := splitBatch(c.Batch.Fresh)
	all := make([]any, len(parts))
	for i := range parts {
		all[i] = parts[i]
	}
	return all, err
}

// Begins reports whether a journal may begin with the change.
func (c *Change) Begins() bool { return c.Kind == joined }

// splitBatch cuts a batch into records.
func splitBatch(all []tasks.Task) ([]part, error) {
	cut := []part{{}}
	size := 0
	for _, t := range all {
		data, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		if size += len(data); size > maxPart {
			cut[len(cut)-1].More = true
			cut = append(cut, part{Part: len(cut)})
			size = len(data)
		}
		last := &cut[len(cut)-1]
		last.Tasks = append(last.Tasks, t)
	}
	return cut, nil
}

// Replay rebuilds a ledger from the records of a journal. Any prefix of a journal is valid. Replay skips and reports
// a record that the records before it do not allow.
type Replay struct {
	Ledger   *Ledger
	Applied  uint64
	From     string       // the last entry of another log that an applied record was copied from, "" for none
	staged   []part       // the parts of a batch whose last part was not read yet
	restated *restatement // an unfinished restatement
	Damaged  int
	first    int64 // the offset just past the first damaged line
	problems []string
}

// NewReplay returns a Replay that has seen no record.
func NewReplay() *Replay { return &Replay{Ledger: newLedger()} }

// Load replays the journal at path.
func Load(path string) (*Replay, error) {
	r := NewReplay()
	_, err := journal.Read(path, 0, r.read)
	r.Ledger.TakeChanged()
	return r, err
}

// read takes one record.
func (r *Replay) read(rec journal.Record) error {
	kind, ours := strings.CutPrefix(rec.Kind, Prefix)
	if rec.Kind == journal.Damaged {
		if rec.Torn {
			return nil
		}
		if r.Damaged++; r.Damaged == 1 {
			r.first = rec.Seq
		}
		return nil
	}
	if !ours {
		return nil
	}
	if kind != Restored && kind != Restating {
		r.restated = nil // the restatement was not finished
	}
	before := r.Applied
	if err := r.Apply(rec.At, kind, rec.Data); err != nil {
		r.problem(fmt.Sprintf("journal record before byte %d ignored: %v", rec.Seq, err))
	} else if r.Applied > before && rec.From != "" {
		r.From = rec.From
	}
	return nil
}

// Apply carries out a record. kind has no prefix. It returns an error if the records before do not allow it.
func (r *Replay) Apply(at time.Time, kind string, data []byte) error {
	switch kind {
	case Added:
		return r.add(at, data)
	case Restating:
		return r.restate(at, data)
	case Restored:
		return r.restore(data)
	case reserved, claimed, HandedIn, Taken, Checked, Approved, Cancelled, Completed, requeued, edited, reopened, joined, alive, mended:
		c := Change{Kind: kind}
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		if err := r.Ledger.ApplyChange(at, &c); err != nil {
			return err
		}
		r.Applied++
		return nil
	}
	return fmt.Errorf("kind %q is unknown to this version", Prefix+kind)
}

func (r *Replay) add(at time.Time, data []byte) error {
	var p part
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	if p.Part == 0 {
		r.staged = nil
	}
	if p.Part != len(r.staged) {
		return fmt.Errorf("part %d of a batch follows part %d", p.Part, len(r.staged)-1)
	}
	if r.staged = append(r.staged, p); p.More {
		return nil
	}
	var all []tasks.Task
	for _, p := range r.staged {
		all = append(all, p.Tasks...)
	}
	r.staged = nil
	b, err := r.Ledger.NewBatch(all)
	if err != nil {
		return err
	}
	r.Ledger.Insert(at, b)
	r.Applied++
	return nil
}

// problem adds a problem, up to maxProblems.
func (r *Replay) problem(text string) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, text)
	}
}

// Report returns what was wrong with the journal.
func (r *Replay) Report() []string {
	if r.Damaged > 0 {
		r.problem(fmt.Sprintf("journal has %d damaged lines, the first before byte %d: a crash leaves one, more mean that somebody else wrote there",
			r.Damaged, r.first))
	}
	return r.problems
}

// maxProblems bounds how many unreadable records Report names.
const maxProblems = 100
