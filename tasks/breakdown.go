package tasks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Types of tasks (metadata.type).
const (
	Epic     = "epic" // what the captain asked for; a planner breaks it down
	TypeTask = "task" // an ordinary task
)

// typesOfWork are the types that a planner may give to a task.
var typesOfWork = []string{TypeTask, "bug", "feature", "chore"}

// Type returns the type of the task: TypeTask when unset (metadata.type).
func (t Task) Type() string {
	if s := t.metadataText("type"); s != "" {
		return s
	}
	return TypeTask
}

// Parent returns the id of the task that t is a part of, "" for none (metadata.parent).
func (t Task) Parent() string { return t.metadataText("parent") }

// Depth returns how many parents are above t: 0 for an epic, 1 for its parts (metadata.depth).
func (t Task) Depth() int {
	d, _ := t.Metadata["depth"].(float64)
	return int(max(0, min(d, 100)))
}

// Acceptance says when the task is done well (metadata.acceptance).
func (t Task) Acceptance() string { return t.metadataText("acceptance") }

// Labels returns words that people search tasks by (metadata.labels).
func (t Task) Labels() []string {
	all, _ := t.Metadata["labels"].([]any)
	var labels []string
	for _, l := range all {
		if s, ok := l.(string); ok {
			labels = append(labels, s)
		}
	}
	return labels
}

// Limits of what a planner hands in.
const (
	MaxBreakdown = 160 << 10 // bytes in all; small enough for one message to a ship, however JSON escapes the text
	maxParts     = 500       // tasks
	maxTitleLen  = 500       // bytes of a title, a group or a label
	maxPartText  = 16 << 10
	maxLabels    = 32
)

// MaxOfEpic bounds the tasks below one epic, at all depths: agents may break down parts again.
const MaxOfEpic = 1000

// CheckSize returns why t may not get that many new parts, nil when it may.
func CheckSize(all []*State, t *State, parts int) error {
	by := make(map[string]*State, len(all))
	for _, s := range all {
		by[s.ID] = s
	}
	root := func(s *State) string {
		for range len(all) { // a parent is older than its parts; a damaged list may have a circle
			p := by[s.Parent()]
			if p == nil {
				break
			}
			s = p
		}
		return s.ID
	}
	top, have := root(t), 0
	for _, s := range all {
		if s.ID != top && root(s) == top {
			have++
		}
	}
	if have+parts > MaxOfEpic {
		return fmt.Errorf("task %s would consist of %d tasks, and %d are allowed: do this task as it is, or break it down into fewer", top, have+parts, MaxOfEpic)
	}
	return nil
}

// Breakdown reads the tasks into which an agent breaks down another task, as a planner does with an epic. It returns them as parts of
// epic, with new ids:
//
//	{"tasks": [{"id": "A", "title": "Create Schema"},
//	           {"title": "User Model", "depends_on": ["A"], "group": "models", "acceptance": "…"}]}
//
// This is the form of the seed's planner. A task needs only the title; depends_on names other tasks by id or title. The error lists
// everything that is wrong, a line each.
func Breakdown(raw []byte, epic *State) ([]Task, error) {
	b := &breakdown{epic: epic}
	all := b.read(raw)
	b.link(all)
	if err := b.err(); err != nil {
		return nil, err
	}
	out := make([]Task, len(all))
	for i, p := range all {
		out[i] = p.task(epic)
	}
	return out, nil
}

// breakdown holds what Breakdown has read so far.
type breakdown struct {
	answer
	epic *State
}

// part is a task as a planner writes it.
type part struct {
	id          string // the id of the task that the part becomes
	called      string // the id that the planner gave it, "" for none
	title       string
	description string
	kind        string
	group       string
	acceptance  string
	verify, run string
	review      string
	dependsOn   []string
	labels      []string
	priority    *int
	blockedBy   []string
}

func (b *breakdown) read(raw []byte) []*part {
	if len(raw) > MaxBreakdown {
		b.bad("it has more than %d bytes: say less of each task, or make tasks larger", MaxBreakdown)
		return nil
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(raw, &file); err != nil {
		b.bad(`it is not the JSON object {"tasks": […]}: %v`, err)
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(file["tasks"], &list); err != nil || len(list) == 0 {
		b.bad(`"tasks" must be a list of at least one task`)
		return nil
	}
	if len(list) > maxParts {
		b.bad("it has %d tasks, and %d are allowed: make them larger", len(list), maxParts)
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if key != "tasks" {
			b.bad("unknown field %q: take it out", Shorten(key))
		}
	}
	var all []*part
	for i, item := range list {
		p := b.readPart(fmt.Sprintf("tasks[%d]", i), item)
		p.id = fmt.Sprintf("%s-%d", b.epic.ID, i+1)
		all = append(all, p)
	}
	return all
}

// readPart reads one task. It reports each bad field and reads the rest.
func (b *breakdown) readPart(where string, raw json.RawMessage) *part {
	p := &part{kind: TypeTask}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		b.bad("%s is not an object", where)
		return p
	}
	texts := map[string]*string{
		"id": &p.called, "title": &p.title, "description": &p.description, "type": &p.kind, "group": &p.group,
		"acceptance": &p.acceptance, "verify": &p.verify, "run": &p.run, "review": &p.review,
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value, at := fields[key], where+"."+key
		switch {
		case texts[key] != nil:
			b.readText(at, key, value, texts[key])
		case key == "depends_on":
			b.readList(at, value, &p.dependsOn, maxParts)
		case key == "labels":
			b.readList(at, value, &p.labels, maxLabels)
		case key == "priority":
			if err := json.Unmarshal(value, &p.priority); err != nil || p.priority != nil && (*p.priority < 0 || *p.priority > 4) {
				b.bad("%s is %s: give a number from 0, the most urgent, to 4", at, Shorten(string(value)))
			}
		default:
			b.bad("%s: unknown field %q: the fields are id, title, description, type, group, acceptance, depends_on, labels, priority, verify, run, review", where, Shorten(key))
		}
	}
	if strings.TrimSpace(p.title) == "" {
		b.bad("%s has no title", where)
	}
	if !slices.Contains(typesOfWork, p.kind) {
		b.bad("%s.type is %q: give one of %s", where, Shorten(p.kind), strings.Join(typesOfWork, ", "))
	}
	return p
}

// link turns the ids and titles in depends_on into blockers, and reports unknown ones.
func (b *breakdown) link(all []*part) {
	names, ids := map[string][]*part{}, map[string]bool{}
	for i, p := range all {
		if p.called != "" && ids[p.called] {
			b.bad("tasks[%d].id %q is also that of another task: give each one of its own", i, Shorten(p.called))
			continue
		}
		ids[p.called] = true
		names[p.title] = append(names[p.title], p)
		if p.called != "" && p.called != p.title {
			names[p.called] = append(names[p.called], p)
		}
	}
	var tasks []Task
	for i, p := range all {
		for _, name := range p.dependsOn {
			found := names[name]
			switch {
			case len(found) == 0:
				b.bad("tasks[%d].depends_on: there is no task %q", i, Shorten(name))
			case len(found) > 1:
				b.bad("tasks[%d].depends_on: %d tasks are called %q: give them ids", i, len(found), Shorten(name))
			case found[0] == p:
				b.bad("tasks[%d].depends_on: task %q waits for itself", i, Shorten(name))
			default:
				p.blockedBy = append(p.blockedBy, found[0].id)
			}
		}
		p.blockedBy = UniqueIDs(p.blockedBy)
		tasks = append(tasks, Task{ID: p.id, BlockedBy: p.blockedBy})
	}
	place := func(id string) string {
		i := slices.IndexFunc(all, func(p *part) bool { return p.id == id })
		return fmt.Sprintf("%q", Shorten(cmp.Or(all[i].called, all[i].title)))
	}
	for _, path := range NewGraph(tasks).Cycles() {
		for i := range path {
			path[i] = place(path[i])
		}
		b.bad("tasks wait for each other: %s: take one depends_on out", PathText(path))
	}
}

// task returns the part as a task of its epic.
func (p *part) task(epic *State) Task {
	meta := map[string]any{"parent": epic.ID, "type": p.kind, "depth": float64(epic.Depth() + 1)}
	for key, text := range map[string]string{"group": p.group, "acceptance": p.acceptance, "verify": p.verify, "run": p.run, "review": p.review} {
		if strings.TrimSpace(text) != "" {
			meta[key] = text
		}
	}
	if labels := UniqueIDs(slices.Concat(epic.Labels(), p.labels)); len(labels) > 0 {
		meta["labels"] = asList(labels)
	}
	meta["priority"] = float64(epic.Priority())
	if p.priority != nil {
		meta["priority"] = float64(*p.priority)
	}
	text := strings.TrimSpace(p.description)
	if p.acceptance != "" {
		text = strings.TrimSpace(text + AcceptedWhen(p.acceptance))
	}
	return Task{ID: p.id, Subject: p.title, Description: text, Status: Pending, BlockedBy: p.blockedBy, Metadata: meta}
}

// AcceptedWhen returns the paragraph with the acceptance criteria that ends a task's description.
func AcceptedWhen(acceptance string) string {
	return "\n\nIt is accepted when this holds: " + acceptance
}

// checkPlace checks a task's priority and labels; nil means that the planner gave none.
func (b *answer) checkPlace(priority *int, labels *[]string) {
	if labels != nil && len(*labels) > maxLabels {
		b.bad("there are %d labels, and %d are allowed", len(*labels), maxLabels)
	} else if labels != nil {
		for _, l := range *labels {
			if strings.TrimSpace(l) == "" || len(l) > maxTitleLen {
				b.bad("label %q: give a word or a few", Shorten(l))
			}
			b.checkText(fmt.Sprintf("label %q", Shorten(l)), l, true)
		}
	}
	if priority != nil && (*priority < 0 || *priority >= Priorities) {
		b.bad("priority %d: give a number from 0, the most urgent, to 4", *priority)
	}
}

// NewEpic returns a task without an id for the captain's request. The error says what is wrong with the request.
func NewEpic(text string, labels []string, priority int) (Task, error) {
	if err := checkAsked("task", text); err != nil {
		return Task{}, err
	}
	b := &answer{}
	b.checkPlace(&priority, &labels)
	meta := map[string]any{"type": Epic, "priority": float64(priority), "run": text}
	if len(labels) > 0 {
		meta["labels"] = asList(labels)
	}
	return Task{Subject: titleOf(text), Description: text, Status: Pending, Metadata: meta}, b.err()
}

// asList returns words as a list of any, as decoding JSON gives it.
func asList(words []string) []any {
	all := make([]any, len(words))
	for i, w := range words {
		all[i] = w
	}
	return all
}
