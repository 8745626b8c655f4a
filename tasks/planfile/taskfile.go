package planfile

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"ocaptain/tasks"
)

const tasksDir = "tasks"

// maxTasks bounds the size of a plan.
const maxTasks = 20_000

var taskFields = []string{"id", "subject", "title", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"}

// foundTask is a task of a plan, with its file.
type foundTask struct {
	tasks.Task
	file   string
	object *object
}

// found is the content of tasks/: the readable tasks, and the names of unreadable files, whose ids other tasks may
// refer to.
type found struct {
	tasks  []foundTask
	broken []string
}

// unique returns the tasks for the graph: the first task of each valid id.
func (f found) unique() []tasks.Task {
	var all []tasks.Task
	seen := map[string]bool{}
	for _, t := range f.tasks {
		if tasks.ValidID(t.ID) && !seen[t.ID] {
			seen[t.ID] = true
			all = append(all, t.Task)
		}
	}
	return all
}

// readTasks reads tasks/*.json, in the order of CompareIDs.
func (r *reader) readTasks() found {
	var all found
	entries, err := fs.ReadDir(r.files, tasksDir)
	if err != nil {
		r.report(Defect{Severity: Error, File: tasksDir, Problem: reason(err), Fix: "make the directory, with one JSON file for each task"})
		return all
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	switch {
	case len(names) == 0:
		r.report(Defect{Severity: Error, File: tasksDir, Problem: "holds no tasks", Fix: "add one JSON file for each task, such as tasks/1.json"})
	case len(names) > maxTasks:
		r.report(Defect{Severity: Error, File: tasksDir, Problem: fmt.Sprintf("holds %d tasks, more than %d", len(names), maxTasks), Fix: "split the plan"})
		return all
	}
	slices.SortFunc(names, func(a, b string) int { return tasks.CompareIDs(fileStem(a), fileStem(b)) })
	for _, name := range names {
		if t, ok := r.readTask(path.Join(tasksDir, name)); ok {
			all.tasks = append(all.tasks, t)
		} else {
			all.broken = append(all.broken, fileStem(name))
		}
	}
	return all
}

// readTask reads one task file. It returns false if not even the id is readable.
func (r *reader) readTask(name string) (foundTask, bool) {
	data, ok := r.readFile(name, maxJSON, "remove the link, or make what it points to")
	if !ok {
		return foundTask{}, false
	}
	o := parse(name, data, r.report)
	if o == nil {
		return foundTask{}, false
	}
	o.misspelt(taskFields)
	t := foundTask{file: name, object: o}
	before := len(r.defects)
	if o.decodeField("id", &t.ID, "a string"); t.ID == "" && len(r.defects) == before {
		o.defect(Error, "id", "is missing", fmt.Sprintf("add \"id\": %q", fileStem(name)))
	}
	r.readTaskFields(&t)
	o.decodeField("blocks", &t.Blocks, "a list of ids, each a string")
	o.decodeField("blockedBy", &t.BlockedBy, "a list of ids, each a string")
	o.decodeField("metadata", &t.Metadata, "an object")
	r.metadata(&t)
	if t.Extra = o.unknownFields(); t.ID == "" {
		return t, false
	}
	return t, true
}

// readTaskFields reads the fields of a task.
func (r *reader) readTaskFields(t *foundTask) {
	o := t.object
	before := len(r.defects)
	if !o.decodeField("subject", &t.Subject, "a string") || t.Subject == "" {
		o.decodeField("title", &t.Subject, "a string")
	}
	if strings.TrimSpace(t.Subject) == "" && len(r.defects) == before {
		o.defect(Error, "subject", "is missing", "say in a few words what the task does")
	}
	if strings.ContainsFunc(t.Subject, unicode.IsControl) {
		o.defect(Error, "subject", "has line breaks or control characters", "put it on one line; details belong into the description")
	}
	o.decodeField("description", &t.Description, "a string")
	o.decodeField("activeForm", &t.ActiveForm, "a string")
	if o.decodeField("owner", &t.Owner, "a string") && t.Owner != "" {
		o.defect(Warning, "owner", "has no effect in a plan", "remove it; ships claim tasks themselves")
		t.Owner = ""
	}
	var status string
	if o.decodeField("status", &status, "a string") && tasks.Status(status) != tasks.Pending {
		problem := fmt.Sprintf("%q is not a status", status)
		if tasks.Status(status).IsValid() {
			problem = fmt.Sprintf("is %q, but nothing has been done when a voyage starts", status)
		}
		o.defect(Error, "status", problem, `write "pending"`)
	}
	t.Status = tasks.Pending
}

// metadata checks the metadata that ocaptain reads.
func (r *reader) metadata(t *foundTask) {
	bad := func(s Severity, key, problem, fix string) {
		t.object.defect(s, "metadata."+key, problem, fix)
	}
	for _, key := range []string{"run", "verify", "group"} {
		value, there := t.Metadata[key]
		if text, ok := value.(string); there && (!ok || strings.TrimSpace(text) == "") {
			bad(Error, key, "is not a string with something in it", "correct it, or remove it")
		} else if strings.ContainsRune(text, 0) {
			bad(Error, key, "has a NUL character", "remove it")
		}
	}
	if value, there := t.Metadata["priority"]; there {
		if p, ok := value.(float64); !ok || p < 0 || p > 4 || p != float64(int(p)) {
			bad(Error, "priority", "is not a priority", "write a number from 0, the most urgent, to 4; 2 is usual")
		}
	}
	if value, there := t.Metadata["estimate"]; there {
		if minutes, ok := value.(float64); !ok || minutes <= 0 || minutes > tasks.LongestEstimate.Minutes() {
			bad(Warning, "estimate", "is not a time and is not counted as it stands", "write minutes as a number, at most a day")
		}
	}
	if _, there := t.Metadata[tasks.Reserved]; there {
		bad(Warning, tasks.Reserved, "is kept for ocaptain and has no effect in a plan", "remove it")
	}
	if size := len(t.object.fields["metadata"].value); size > tasks.MaxMetadata {
		t.object.defect(Error, "metadata", fmt.Sprintf("has %d bytes, more than %d", size, tasks.MaxMetadata), "make it smaller; long scripts belong into the repository")
	}
	if t.Internal() {
		bad(Error, "_internal", "hides the task from every agent, so that nobody does it", "remove it")
	}
	if !t.object.hasField("description") && t.Run() == "" {
		t.object.defect(Warning, "description", "is missing; an agent has only the subject to go by", "say what is to be done and how to tell that it is")
	}
}
