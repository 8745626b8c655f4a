package beads

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/tasks/planfile"

	"ocaptain/tasks"
)

// maxTitle is bd's limit for titles, in bytes.
const maxTitle = 500

// File is the content of an issues.jsonl. Lines without an issue, and unreadable lines, stay as they are.
type File struct {
	lines   []line
	place   map[string]int // the index in lines of each issue; of duplicate ids the newest
	Defects planfile.Defects
}

type line struct {
	raw   []byte // without the line break
	issue *Issue // nil for a line without an issue, and for an unreadable line
}

// Read reads a file and records all its defects.
func Read(data []byte) *File {
	f := &File{place: map[string]int{}}
	n := 0
	for raw := range bytes.Lines(data) {
		n++
		raw = bytes.TrimSuffix(raw, []byte("\n"))
		r := reader{line: n, report: func(d planfile.Defect) { f.Defects = append(f.Defects, d) }}
		f.add(line{raw, r.read(raw)}, n)
	}
	return f
}

// defect adds a defect on the line of an issue.
func (f *File) defect(s planfile.Severity, id, field, problem, fix string) {
	f.Defects = append(f.Defects, planfile.Defect{Severity: s, File: Name, Line: f.Line(id), Column: 1, Field: field, Problem: problem, Fix: fix})
}

// add puts a line at the end.
func (f *File) add(l line, n int) {
	f.lines = append(f.lines, l)
	if l.issue == nil {
		return
	}
	old, twice := f.place[l.issue.ID]
	if twice {
		f.Defects = append(f.Defects, planfile.Defect{
			Severity: planfile.Error, File: Name, Line: n, Column: 1, Field: "id",
			Problem: fmt.Sprintf("%q is that of line %d as well", l.issue.ID, old+1), Fix: "give each issue an id of its own, or take one of the lines out",
		})
		if f.lines[old].issue.Updated.After(l.issue.Updated) {
			return
		}
	}
	f.place[l.issue.ID] = len(f.lines) - 1
}

// Issues returns the issues, in the order of their lines, and only the newest of those with the same id.
func (f *File) Issues() []*Issue {
	var all []*Issue
	for n, l := range f.lines {
		if l.issue != nil && f.place[l.issue.ID] == n {
			all = append(all, l.issue)
		}
	}
	return all
}

// Issue returns the issue with that id, or nil.
func (f *File) Issue(id string) *Issue {
	if n, ok := f.place[id]; ok {
		return f.lines[n].issue
	}
	return nil
}

// Line returns the number of an issue's line, 0 for an unknown issue.
func (f *File) Line(id string) int {
	if n, ok := f.place[id]; ok {
		return n + 1
	}
	return 0
}

// reader reads one line.
type reader struct {
	line   int
	record record
	report func(planfile.Defect)
	wrong  bool
}

func (r *reader) defect(s planfile.Severity, key, problem, fix string) {
	column := 1
	for _, m := range r.record {
		if m.key == key {
			column = m.at + 1
		}
	}
	r.wrong = r.wrong || s == planfile.Error
	r.report(planfile.Defect{Severity: s, File: Name, Line: r.line, Column: column, Field: key, Problem: problem, Fix: fix})
}

// read returns the issue of a line, nil when there is none or it is unreadable.
func (r *reader) read(raw []byte) *Issue {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	var err error
	if r.record, err = parseRecord(raw); err != nil {
		fix := "correct the JSON there"
		if bytes.HasPrefix(raw, []byte("<<<<<<<")) || bytes.HasPrefix(raw, []byte("=======")) || bytes.HasPrefix(raw, []byte(">>>>>>>")) {
			fix = "resolve the conflict: ocaptain help beads has a merge driver"
		}
		r.defect(planfile.Error, "", "cannot be read: "+err.Error(), fix)
		return nil
	}
	if kind := r.record.get("_type"); kind != nil && string(kind) != `"issue"` {
		return nil // some other record, such as a memory
	}
	i := &Issue{Type: tasks.TypeTask, Status: Open}
	for _, key := range fields {
		r.field(i, key)
	}
	r.check(i)
	if r.wrong {
		return nil
	}
	return i
}

// fields are the fields of an issue that ocaptain reads.
var fields = []string{
	"id", "title", "description", "design", "acceptance_criteria", "notes", "status", "priority", "issue_type", "assignee", "estimated_minutes",
	"created_at", "updated_at", "closed_at", "close_reason", "defer_until", "external_ref", "metadata", "labels", "dependencies", "comments", "pinned", "ephemeral",
}

// field reads one field into an issue. A missing or null field keeps its value.
func (r *reader) field(i *Issue, key string) {
	raw := r.record.get(key)
	if raw == nil || string(raw) == "null" {
		return
	}
	into, must := i.pointer(key)
	if err := json.Unmarshal(raw, into); err != nil {
		r.defect(planfile.Error, key, "is "+kindOf(raw), "it must be "+must)
	}
}

// pointer returns where to decode the value of a key, and its type in words.
func (i *Issue) pointer(key string) (into any, must string) {
	const text, moment, truth = "a string", "a time like 2026-01-31T12:00:00Z", "true or false"
	switch key {
	case "id":
		return &i.ID, text
	case "title":
		return &i.Title, text
	case "description":
		return &i.Description, text
	case "design":
		return &i.Design, text
	case "acceptance_criteria":
		return &i.Acceptance, text
	case "notes":
		return &i.Notes, text
	case "status":
		return &i.Status, text
	case "priority":
		return &i.Priority, "a number from 0 to 4"
	case "issue_type":
		return &i.Type, text
	case "assignee":
		return &i.Assignee, text
	case "estimated_minutes":
		return &i.Minutes, "a whole number"
	case "created_at":
		return &i.Created, moment
	case "updated_at":
		return &i.Updated, moment
	case "closed_at":
		return &i.Closed, moment
	case "close_reason":
		return &i.CloseReason, text
	case "defer_until":
		return &i.DeferUntil, moment
	case "external_ref":
		return &i.ExternalRef, text
	case "metadata":
		return (*object)(&i.Metadata), "JSON"
	case "labels":
		return &i.Labels, "a list of strings"
	case "dependencies":
		return &i.Dependencies, `a list of objects with "depends_on_id" and "type"`
	case "comments":
		return &[]comment{}, "a list of objects with texts"
	case "pinned":
		return &i.Pinned, truth
	}
	return &i.Ephemeral, truth
}

// object is a JSON object; any other value decodes as nil.
type object map[string]json.RawMessage

func (o *object) UnmarshalJSON(raw []byte) error {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) == nil {
		*o = all
	}
	return nil
}

// comment holds the fields of a comment that ocaptain reads. The id is a number before version 0.50 of bd,
// and a string since.
type comment struct {
	Author  string    `json:"author"`
	Text    string    `json:"text"`
	Created time.Time `json:"created_at"`
}

// check checks the values of the fields.
func (r *reader) check(i *Issue) {
	bad := func(key, problem, fix string) { r.defect(planfile.Error, key, problem, fix) }
	if i.ID == "" && !r.wrong {
		bad("id", "is missing", `give the issue one, like "captain-42"`)
	}
	switch {
	case strings.TrimSpace(i.Title) == "" && i.Status != tombstone && !r.wrong:
		bad("title", "is missing", "say in a few words what the issue is about")
	case len(i.Title) > maxTitle:
		bad("title", fmt.Sprintf("has %d bytes, more than %d", len(i.Title), maxTitle), "shorten it; details belong into the description")
	}
	if i.Priority < 0 || i.Priority >= tasks.Priorities {
		bad("priority", fmt.Sprintf("is %d", i.Priority), "it must be a number from 0, the most urgent, to 4")
	}
	if i.Minutes < 0 {
		bad("estimated_minutes", "is less than 0", "give how long it may take, or take it out")
	}
	if !slices.Contains(statuses, i.Status) {
		r.defect(planfile.Warning, "status", fmt.Sprintf("%q is none that bd knows by itself", shorten(i.Status)), "write open, in_progress, blocked, deferred or closed, or see bd config get status.custom")
	}
	if i.Status == Closed && i.Closed.IsZero() {
		r.defect(planfile.Warning, "closed_at", "is missing, and the issue is closed: bd refuses that", "write when it was closed")
	}
	for _, d := range i.Dependencies {
		switch {
		case d.DependsOn == "" || d.Type == "":
			bad("dependencies", "has one without depends_on_id or type", "say what the issue depends on, and how")
		case d.Issue != "" && d.Issue != i.ID:
			bad("dependencies", fmt.Sprintf("has one of %q", shorten(d.Issue)), "put it on the line of that issue")
		}
	}
}

// kindOf returns the type of a JSON value in words.
func kindOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list, or one with something else in it"
	case '"':
		return "a string that cannot be used"
	case 't', 'f':
		return "true or false"
	}
	return "a number that cannot be used"
}

// shorten shortens a text for a message.
func shorten(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
