package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ocaptain/ui/cli/faults/reader"
)

// acts lists the ways in which a captain changes the tasks of a voyage under way. None changes what a task of the
// plan writes.
var acts = []fault{
	{name: "act: holds a task", strike: func(v *voyage) hit {
		id := v.someTask().ID
		return did(v.acts("hold", id)).until(func() { v.surely("release", id) })
	}},
	{name: "act: puts tasks in another order", strike: func(v *voyage) hit {
		done := false
		for range 3 {
			done = v.acts("edit", v.someTask().ID, "--priority", fmt.Sprint("P", v.rng.IntN(5))) || done
		}
		return did(done)
	}},
	{name: "act: changes what a task is called", strike: func(v *voyage) hit {
		return did(v.acts("edit", v.someTask().ID, "--subject", fmt.Sprint("called ", v.rng.IntN(100))))
	}},
	{name: "act: has one task wait for another", strike: func(v *voyage) hit {
		one, two := v.someTask(), v.someTask().ID
		if slices.Contains(one.After, two) {
			return did(false) // the tasks of the plan stay as they are
		}
		id := one.ID
		return did(v.acts("edit", id, "--after", two)).until(func() { v.acts("edit", id, "--not-after", two) })
	}},
	{name: "act: chooses a ship for a task", strike: func(v *voyage) hit {
		id := v.someTask().ID
		return did(v.acts("move", id, "--ship", v.someShip())).until(func() { v.acts("move", id, "--ship", "") })
	}},
	{name: "act: has a task begun again", strike: func(v *voyage) hit {
		return did(v.acts("retry", v.someTask().ID, "--fresh"))
	}},
	{name: "act: adds a task", strike: (*voyage).addTask},
	{name: "act: splits a task", strike: (*voyage).splitTask},
	{name: "act: pauses", strike: func(v *voyage) hit {
		return did(v.acts("pause")).until(func() { v.surely("resume") })
	}},
}

// acts runs a command about the voyage, and reports whether helm carried it out.
func (v *voyage) acts(verb string, args ...string) bool {
	out, code := v.run(append([]string{verb}, args...)...)
	v.note("%s %q: exit %d %.300s", verb, args, code, out)
	return code == 0
}

// refused is the exit code of a command that helm refuses, however often it is repeated.
const refused = 4

// surely repeats a command until helm carries it out or refuses it. The voyage waits for the command's effect.
func (v *voyage) surely(verb string, args ...string) {
	v.patiently(func() bool {
		out, code := v.run(append([]string{verb}, args...)...)
		v.note("%s %q: exit %d %.300s", verb, args, code, out)
		return code == 0 || code == refused
	})
}

func (v *voyage) someTask() *reader.Task { return &v.plan.Tasks[v.rng.IntN(len(v.plan.Tasks))] }

// taskID returns the id of the first task that fits.
func (v *voyage) taskID(fits func(id, subject string) bool) (found string) {
	v.patiently(func() bool {
		out, code := v.run("tasks", v.id, "--json")
		var all []struct{ ID, Subject string }
		if code != 0 || json.Unmarshal([]byte(out), &all) != nil {
			return false
		}
		for _, t := range all {
			if found == "" && fits(t.ID, t.Subject) {
				found = t.ID
			}
		}
		return true
	})
	return found
}

// addTask adds a task that waits for a task of the plan. It looks for the task in the list, as an answer may be lost.
func (v *voyage) addTask() hit {
	before := v.someTask()
	t := reader.Task{File: fmt.Sprintf("added-%d.txt", len(v.plan.Tasks)+1), After: []string{before.ID}}
	t.Content = "added\n" + cksum(before.Content)
	subject := "Make " + t.File
	run := fmt.Sprintf("echo added >%s; cksum <%s >>%[1]s", t.File, before.File)
	args := []string{subject + "\nRUN: " + run, "--run", run, "--after", before.ID}
	if v.crew.session {
		args = append(args, "--task")
	}
	v.acts("add", args...)
	if t.ID = v.taskID(func(_, is string) bool { return is == subject }); t.ID != "" {
		v.plan.Tasks = append(v.plan.Tasks, t)
	}
	return did(t.ID != "")
}

// splitTask splits a task in two: the first part writes the file of the task, the second part another file.
func (v *voyage) splitTask() hit {
	t := v.someTask()
	if t.Line != "" {
		return did(false)
	}
	run := fmt.Sprintf("printf '%s' >%s", strings.ReplaceAll(t.Content, "\n", `\n`), t.File)
	second := reader.Task{ID: t.ID + "-2", File: "second-" + t.File, Content: "second\n", After: []string{t.ID + "-1"}}
	again := fmt.Sprintf("echo second >%s", second.File)
	part := func(id, title, run string, after ...string) map[string]any {
		return map[string]any{"id": id, "title": title, "run": run, "description": "RUN: " + run, "depends_on": after}
	}
	raw, err := json.Marshal(map[string]any{"tasks": []any{part("a", "first", run), part("b", "second", again, "a")}})
	if err != nil {
		v.Fatal(err)
	}
	v.write("parts.json", string(raw))
	v.acts("split", t.ID, "--file", v.home+"/parts.json")
	if v.taskID(func(id, _ string) bool { return id == second.ID }) == "" {
		return did(false)
	}
	was := t.ID
	t.ID += "-1"
	for i := range v.plan.Tasks {
		for j, id := range v.plan.Tasks[i].After {
			if id == was {
				v.plan.Tasks[i].After[j] = second.ID
			}
		}
	}
	v.plan.Tasks = append(v.plan.Tasks, second)
	return did(true)
}
