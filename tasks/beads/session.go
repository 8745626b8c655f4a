package beads

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"ocaptain/tasks"
)

// Key is the metadata key under which a task names the issue that it was made from.
const Key = "bead"

// Session writes the tasks of one voyage as issues.
type Session struct {
	Voyage string
	Prefix string                   // of the issues' ids
	Clean  func(text string) string // removes secrets from a text
	Last   *File                    // the result of the last Put, nil if unknown: it still has the marks, which bd before 0.50 drops
}

// mark returns the mark of an issue as Put wrote it, nil for none.
func (s Session) mark(i *Issue) *mark {
	if s.Last != nil {
		if was := s.Last.Issue(i.ID); was != nil && was.mark() != nil {
			return was.mark()
		}
	}
	return i.mark()
}

// idLength is how many letters and digits an id has after its prefix. bd uses up to eight.
const idLength = 8

// ID returns the id of a task's issue. It is always the same in a voyage and differs between voyages, so that branches with issues of
// two voyages merge.
func ID(prefix, voyage string, t *tasks.Task) string {
	if id, ok := t.Metadata[Key].(string); ok && id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(voyage + "/" + t.ID))
	digits := new(big.Int).SetBytes(sum[:]).Text(36)
	return prefix + "-" + digits[len(digits)-idLength:]
}

func (s Session) id(t *tasks.State) string { return ID(s.Prefix, s.Voyage, &t.Task) }

// Prefix returns the prefix that most issues have, or otherwise when there are no issues.
func (f *File) Prefix(otherwise string) string {
	count := map[string]int{}
	best := otherwise
	for _, i := range f.Issues() {
		id, _, _ := strings.Cut(i.ID, ".")
		if at := strings.LastIndexByte(id, '-'); at > 0 {
			p := id[:at]
			if count[p]++; count[p] > count[best] {
				best = p
			}
		}
	}
	return best
}

// Put writes all tasks, and reports whether the file changed. Unchanged issues keep their lines.
func (s Session) Put(f *File, all []*tasks.State, now time.Time) bool {
	before := f.Bytes()
	current := s.current(all)
	for _, t := range all {
		if t.Internal() || current[s.id(t)] != t {
			continue
		}
		w := writer{Session: s, task: t, all: all, now: now.UTC().Truncate(time.Second)}
		id := s.id(t)
		if w.issue = f.Issue(id); w.issue != nil {
			w.record = f.record(id)
			w.update()
		} else if f.raw(id) == nil {
			w.create(id)
		}
		if w.changed {
			f.putRaw(id, w.record.bytes())
		}
	}
	return string(before) != string(f.Bytes())
}

// current returns the tasks by their issues. If a reopened issue has two tasks, the open one counts, or else
// the newer.
func (s Session) current(all []*tasks.State) map[string]*tasks.State {
	issueOf := map[string]*tasks.State{}
	for _, t := range all {
		if old := issueOf[s.id(t)]; old == nil || old.Status == tasks.Completed {
			issueOf[s.id(t)] = t
		}
	}
	return issueOf
}

// types are the types of issues that every bd knows.
var types = []string{tasks.Epic, tasks.TypeTask, "bug", "feature", "chore"}

// writer writes the line of one task.
type writer struct {
	Session
	record  record
	issue   *Issue // the issue in the file, nil for none
	task    *tasks.State
	shown   string // see mark.Shown
	all     []*tasks.State
	now     time.Time
	changed bool
}

// create writes a new issue.
func (w *writer) create(id string) {
	t, r := w.task, &w.record
	r.set("id", encode(id))
	r.set("priority", encode(t.Priority()))
	kind := t.Type()
	if !slices.Contains(types, kind) {
		kind = tasks.TypeTask
	}
	r.set("issue_type", encode(kind))
	r.set("created_at", encode(w.now.Format(time.RFC3339)))
	r.setText("created_by", "captain")
	r.set("external_ref", encode(Ref(w.Voyage, t.ID)))
	labels := t.Labels()
	if g := t.Group(); g != "" {
		labels = append(labels, "group:"+g)
	}
	if slices.Sort(labels); len(labels) > 0 {
		r.set("labels", encode(slices.Compact(labels)))
	}
	if p := w.find(t.Parent()); p != nil {
		w.depend(w.id(p), parentChild)
	}
	w.waits()
	w.words()
	w.status(w.wanted())
	w.finish()
}

// update writes the task's changes into an issue. Changes by people stay until the task changes again.
func (w *writer) update() {
	m, want := w.mark(w.issue), w.wanted()
	switch {
	case m == nil: // the issue is older than the session
		m = &mark{Status: w.issue.Status}
		w.shown = w.issue.words()
	case m.Task != w.task.ID && m.Session == w.Voyage: // people reopened the issue
		m = &mark{Status: w.issue.Status, Session: m.Session}
		w.shown, w.changed = w.issue.words(), true
	case m.Words != hash(w.texts()):
		w.words()
		w.changed = true
	default:
		w.shown = m.Shown
	}
	if m.Session != "" {
		w.waits()
	}
	peoples := w.issue.Status == Closed && m.Status != Closed
	if m.Status != want && w.issue.Status != want && !peoples {
		w.status(want)
		w.changed = true
	}
	if w.changed {
		w.finish()
	}
}

// wanted returns the status that the issue should have. The issue of a task that waits for the captain is blocked.
func (w *writer) wanted() string {
	switch t := w.task; {
	case t.Status == tasks.Completed:
		return Closed
	case t.Status == tasks.InProgress || t.InReview():
		return InProgress
	case t.OnHold:
		return "blocked"
	}
	return Open
}

// These begin the close reasons of tasks that were cancelled or merged.
const (
	cancelled = "cancelled: "
	merged    = "merged as "
)

// status writes the status.
func (w *writer) status(want string) {
	t, r := w.task, &w.record
	r.set("status", encode(want))
	r.setText("assignee", t.Owner)
	closed, reason := "", ""
	if want == Closed {
		closed = w.now.Format(time.RFC3339)
		switch {
		case t.Cancelled:
			reason = cancelled + w.Clean(t.Reason)
		case t.Commit != "":
			reason = fmt.Sprintf(merged+"%.12s", t.Commit)
		default:
			reason = "done"
		}
	}
	r.setText("closed_at", closed)
	r.setText("close_reason", reason)
}

// texts returns the title, the description and the acceptance criteria of the task.
func (w *writer) texts() [3]string {
	t := w.task
	title := w.Clean(t.Subject)
	for len(title) > maxTitle {
		title = strings.ToValidUTF8(title[:maxTitle-3], "") + "…"
	}
	description := t.Description
	if a := t.Acceptance(); a != "" {
		description = strings.TrimSpace(strings.TrimSuffix(description, tasks.AcceptedWhen(a)))
	}
	return [3]string{title, w.Clean(description), w.Clean(t.Acceptance())}
}

func (w *writer) words() {
	texts := w.texts()
	w.record.set("title", encode(texts[0]))
	w.record.setText("description", texts[1])
	w.record.setText("acceptance_criteria", texts[2])
}

func hash(texts [3]string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts[:], "\x00")))
	return hex.EncodeToString(sum[:4])
}

// waits adds a dependency for each blocker of the task.
func (w *writer) waits() {
	for _, id := range w.task.BlockedBy {
		if t := w.find(id); t != nil {
			w.depend(w.id(t), blocks)
		}
	}
}

func (w *writer) find(id string) *tasks.State {
	i := slices.IndexFunc(w.all, func(t *tasks.State) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return w.all[i]
}

// depend adds a dependency, unless the issue has it.
func (w *writer) depend(on, kind string) {
	if w.issue != nil && slices.Contains(w.issue.dependsOn(kind), on) {
		return
	}
	d := Dependency{Issue: w.id(w.task), DependsOn: on, Type: kind, Created: w.now, By: "captain"}
	w.record.set("dependencies", list(append(members(w.record.get("dependencies")), encode(d))))
	w.changed = true
}

// finish writes the mark and the time of the update into a changed issue.
func (w *writer) finish() {
	m := mark{Session: w.Voyage, Task: w.task.ID, Group: w.task.Group(), Status: w.wanted(), Words: hash(w.texts()), Shown: w.shown}
	at := w.now
	if w.issue != nil && !at.After(w.issue.Updated) { // keep time moving forward: bd keeps the newer version
		at = w.issue.Updated.UTC().Truncate(time.Second).Add(time.Second)
	}
	w.record.set("updated_at", encode(at.Format(time.RFC3339)))
	var metadata record
	if raw := w.record.get("metadata"); raw != nil {
		var err error
		if metadata, err = parseRecord(raw); err != nil {
			return // metadata is a list or a text
		}
	}
	metadata.set("captain", m.over(metadata.get("captain")))
	w.record.set("metadata", metadata.bytes())
	w.changed = true
}
