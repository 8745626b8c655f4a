package loopback

import (
	"slices"
	"strings"

	"ocaptain/tasks/pattern"
)

// Worker is a brain that does what the prompt of a ship asks for, by the tools of Claude Code: it lists the tasks,
// claims the first that it can, reads it, does it, completes it, and ends its turn when nothing is claimable. A
// refused claim makes it look for another task; a vetoed completion makes it work on the task again. A message or a
// hook's text makes it list the tasks again.
//
// A line "RUN: command" in the task's description says what to do. After a refused completion, a line "RESOLVE:
// command", if there is one, replaces it. A task without such a line is completed at once. When a message has a line
// "RUN: command", Worker runs that command first. Worker stops work on a task when a message or a hook says that the
// task was requeued.
//
// It approves a review, or rejects it when a line "REVIEW: command" of the description fails.
func Worker(r Request) Reply {
	if !r.Has("TaskList") || !r.Has("TaskUpdate") {
		return Say("I have no task tools.")
	}
	d := readDesk(r)
	switch {
	case d.errand != "":
		return bash(d.errand)
	case d.held != "":
		return d.work()
	case !d.listed && r.isOver():
		return Say("I am told to end my turn.")
	case d.offered != "":
		return update(d.offered, "in_progress")
	case !d.listed:
		return Use("TaskList", nil)
	}
	if id := d.pick(); id != "" {
		return update(id, "in_progress")
	}
	return Say("Nothing is claimable. I end my turn.")
}

// isOver reports whether a hook has answered the agent's last call by saying that its turn is over.
func (r Request) isOver() bool {
	return slices.ContainsFunc(r.Fresh(), func(p Part) bool { return strings.Contains(p.Text, "Once it is accepted, end your turn") })
}

// maxTries is how often a worker tries one task before it releases the task.
const maxTries = 5

// desk is what a worker knows. It is derived from the conversation alone.
type desk struct {
	ship    string    // the ship's name, "" if it was not mentioned
	errand  string    // a command that a message asks for
	list    string    // the newest list of tasks
	listed  bool      // the list is still valid
	review  string    // the last task that it was told to review
	offered string    // the last task that it was told is ready, until it tries to claim that
	granted [2]string // id and description of the task that a hook has granted
	refused map[string]bool

	job
}

// job is the task that a worker works on.
type job struct {
	held    string // its id, "" for none
	read    bool   // its description is known
	run     string
	resolve string
	done    bool // the command has succeeded
	tries   int  // failed commands and vetoes
	vetoed  bool
}

var (
	shipName = pattern.New(`\b(?:ship|planner|worker|validator)-\d+\b`)
	youAre   = pattern.New(`\bYou are ((?:ship|planner|worker|validator)-\d+)\b`)
	review   = pattern.New(`task (\S+): you review what \S+ has handed in`)
	offered  = pattern.New(`\b(?:Task|Work on task) (\S+) (?:is ready|was handed in)\b`)
	granted  = pattern.New(`(?s)Task (\S+) is yours\. Its description, as TaskGet shows it:\n\n(.*)`)
)

func readDesk(r Request) desk {
	d := desk{refused: map[string]bool{}}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if told := review().FindStringSubmatch(p.Text); told != nil {
				d.review = told[1]
			}
			if told := granted().FindStringSubmatch(p.Text); told != nil {
				d.granted = [2]string{told[1], told[2]}
				d.grant()
			}
			switch {
			case m.said(p):
				d.hear(p.Text)
			case p.Type == "text" && d.ship == "": // a hook's reminder, after a compaction
				if named := youAre().FindStringSubmatch(p.Text); named != nil {
					d.ship = named[1]
				}
			case p.Type == "tool_result":
				d.learn(Call{Tool: p.Tool, Input: p.Input, Result: p.Text, Failed: p.Failed, Done: true})
			}
		}
	}
	if d.ship == "" {
		d.ship = shipName().FindString(r.System)
	}
	return d
}

// hear handles a message. After it, tasks that were refused may be free.
func (d *desk) hear(text string) {
	if d.ship == "" {
		d.ship = shipName().FindString(text)
	}
	if cmd := marked("RUN", text); cmd != "" {
		d.errand = cmd
	}
	d.give(text)
	d.listed, d.offered = false, ""
	if m := offered().FindStringSubmatch(text); m != nil {
		d.offered = m[1]
	}
	clear(d.refused)
}

// grant takes the description of the current task from its grant, which may arrive before or after the result of the
// claim.
func (d *desk) grant() {
	if d.held != "" && d.held == d.granted[0] && !d.read {
		d.reads(d.granted[1])
	}
}

// reads handles the description of the current task.
func (d *desk) reads(text string) {
	d.read, d.run, d.resolve = true, marked("RUN", text), marked("RESOLVE", text)
	if d.review == d.held {
		d.run = reviewing(d.held, marked("REVIEW", text))
	}
}

var takenBack = pattern.New(`Task (\S+) was taken back from you`)

// give forgets the current task if the text says that it was taken back.
func (d *desk) give(text string) {
	if m := takenBack().FindStringSubmatch(text); m != nil && m[1] == d.held {
		d.drop()
	}
}

// drop forgets the current task and its description, which may be different when the task comes again.
func (d *desk) drop() { d.job, d.granted = job{}, [2]string{} }

// learn handles the result of a call.
func (d *desk) learn(c Call) {
	if c.Failed {
		defer d.give(c.Result)
	}
	switch c.Tool {
	case "TaskList":
		d.list, d.listed = c.Result, true
	case "TaskGet":
		if c.Arg("taskId") == d.held {
			d.reads(c.Result)
		}
	case "Bash":
		switch cmd := c.Arg("command"); {
		case cmd == d.errand:
			d.errand = ""
		case cmd == d.command() && c.Failed:
			d.tries++
		case cmd == d.command() && (d.review == d.held || strings.Contains(cmd, "ocaptain task plan")): // the review is answered or the task broken down, and so no longer the worker's
			d.drop()
			d.review, d.listed = "", false
		case cmd == d.command():
			d.done = true
		}
	case "TaskUpdate":
		d.updated(c.Arg("taskId"), c.Arg("status"), c.OK())
	}
}

// updated handles the result of a claim, a completion or a release.
func (d *desk) updated(id, status string, ok bool) {
	d.listed, d.offered = false, ""
	switch {
	case status == "in_progress" && ok:
		d.job = job{held: id}
		d.grant()
	case status == "completed" && !ok && id == d.held:
		d.done, d.vetoed = false, true
		d.tries++
	case id == d.held:
		d.drop()
		if status == "pending" {
			d.refused[id] = true
		}
	case !ok:
		d.refused[id] = true
	}
}

// work returns the next step of the current task.
func (j *job) work() Reply {
	switch {
	case !j.read:
		return Use("TaskGet", map[string]any{"taskId": j.held})
	case j.tries >= maxTries:
		return update(j.held, "pending")
	case j.command() != "" && !j.done:
		return bash(j.command())
	}
	return update(j.held, "completed")
}

// command returns the command that the current task needs next.
func (j *job) command() string {
	if j.vetoed && j.resolve != "" {
		return j.resolve
	}
	return j.run
}

// reviewing returns the command that reviews a task.
func reviewing(task, command string) string {
	if command == "" {
		command = "true"
	}
	return "if " + command + "; then ocaptain task review approve --why 'task " + task + " is good'; else ocaptain task review reject --why 'task " + task + " is not good'; fi"
}

var taskLine = pattern.New(`^#(\S+) \[(\w+)\] (.*?)( \[blocked by [^\]]*\])?$`)

// pick returns the first task that this ship can claim: a task that it held before its conversation was lost, or a
// pending task whose blockers are completed.
func (d *desk) pick() string {
	var mine, free []string
	for line := range strings.Lines(d.list) {
		m := taskLine().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || d.refused[m[1]] {
			continue
		}
		switch {
		case m[2] == "in_progress" && d.ship != "" && strings.HasSuffix(m[3], "("+d.ship+")"):
			mine = append(mine, m[1])
		case m[2] == "pending" && m[4] == "":
			free = append(free, m[1])
		}
	}
	if all := slices.Concat(mine, free); len(all) > 0 {
		return all[0]
	}
	return ""
}

// marked returns the command on the line that begins with marker. TaskGet puts "Description: " before the first line
// of a description.
func marked(marker, text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "Description: ")
		if cmd, ok := strings.CutPrefix(line, marker+": "); ok {
			return cmd
		}
	}
	return ""
}

func bash(command string) Reply {
	return Use("Bash", map[string]any{"command": command, "description": "Do the work"})
}

func update(id, status string) Reply {
	return Use("TaskUpdate", map[string]any{"taskId": id, "status": status})
}
