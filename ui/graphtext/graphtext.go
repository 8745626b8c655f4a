// Package graphtext writes a graph of tasks as text, for a terminal too small for a drawing and for no
// terminal.
package graphtext

import (
	"fmt"
	"io"
	"os"
	"strings"

	"ocaptain/tasks/planfile"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// Proposed returns the graph of the tasks that an epic is to be broken down into, from the file that the
// captain may edit.
func Proposed(d fleet.Dir, epic *tasks.State) (*planfile.Plan, error) {
	file := d.Plan(epic.ID)
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parts, err := tasks.Breakdown(raw, epic)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	g := tasks.NewGraph(parts)
	return &planfile.Plan{Name: epic.Subject, Graph: g, Ships: g.UsefulShips()}, nil
}

// The widths of the text graph, in cells.
const (
	width      = 80
	widestID   = 16 // a longer id has a line of its own
	widestRefs = 24 // the list of blockers
)

// Write writes the graph as text: each level with its tasks and their blockers, then the critical
// path, groups, and tasks that can never run.
func Write(w io.Writer, plan *planfile.Plan) {
	g := plan.Graph
	path, length := g.Critical()
	fmt.Fprintf(w, "%s · %s · %s · %d at once · %s recommended\n",
		clean.Line(plan.Name), words.Counted(len(g.Tasks()), "task"), words.Counted(len(g.Levels()), "level"), g.Width(), words.Counted(plan.Ships, "ship"))
	critical := Following(path)
	ids, subjects := 0, 0
	for _, t := range g.Tasks() {
		ids = max(ids, min(ansi.StringWidth(clean.Line(t.ID)), widestID))
		subjects = max(subjects, ansi.StringWidth(clean.Line(t.Subject)))
	}
	line := func(task string) {
		id := clean.Line(task)
		mark := " "
		if _, ok := critical[task]; ok {
			mark = "*"
		}
		refs := references(g.Blockers(task))
		start := fmt.Sprintf(" %s %*s  ", mark, ids, id)
		if ansi.StringWidth(id) > ids {
			fmt.Fprintln(w, strings.TrimRight(start, " "))
			start = strings.Repeat(" ", ids+5)
		}
		room := min(subjects, width-ansi.StringWidth(start)-2-widestRefs)
		subject := words.FitWidth(clean.Line(g.Task(task).Subject), max(room, 1))
		gap := strings.Repeat(" ", max(0, room-ansi.StringWidth(subject))+2)
		fmt.Fprintln(w, strings.TrimRight(start+subject+gap+refs, " "))
	}
	for i, level := range g.Levels() {
		fmt.Fprintf(w, "\nlevel %d\n", i+1)
		for _, id := range level {
			line(id)
		}
	}
	if len(path) > 0 {
		about := ""
		if length > 0 {
			about = ", about " + words.Age(length)
		}
		fmt.Fprintf(w, "\ncritical path (*): %s%s\n", words.Counted(len(path), "task"), about)
		printWrapped(w, path, " → ")
	}
	if groups := g.Groups(); len(groups) > 0 {
		fmt.Fprintln(w, "\ngroups, each for one ship")
		for _, group := range groups {
			printWrapped(w, append([]string{group.Name + ": " + group.Tasks[0]}, group.Tasks[1:]...), ", ")
		}
	}
	if never := g.NeverReady(); len(never) > 0 {
		fmt.Fprintln(w, "\nnever ready, because tasks wait for each other")
		for _, id := range never {
			line(id)
		}
		for _, cycle := range g.Cycles() {
			printWrapped(w, append([]string{"cycle: " + cycle[0]}, cycle[1:]...), " → ")
		}
	}
}

// references returns a task's blockers, as many as fit.
func references(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	text := "← " + words.FitWidth(clean.Line(ids[0]), widestRefs-len("← +1000"))
	for i, id := range ids[1:] {
		id = clean.Line(id)
		more := fmt.Sprintf(" +%d", len(ids)-1-i)
		if ansi.StringWidth(text)+ansi.StringWidth(id)+2+len(more) > widestRefs {
			return text + more
		}
		text += ", " + id
	}
	return text
}

// printWrapped writes words in lines that fit, broken after a separator.
func printWrapped(w io.Writer, words []string, separator string) {
	const indent = "   "
	line := indent
	for i, word := range words {
		word = clean.Line(word)
		if i < len(words)-1 {
			word += separator
		}
		if line != indent && ansi.StringWidth(line)+ansi.StringWidth(strings.TrimRight(word, " ")) > width {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = indent + "  "
		}
		line += word
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// Following maps every id of a path to the next, "" for the last.
func Following(path []string) map[string]string {
	next := make(map[string]string, len(path))
	for i, id := range path {
		next[id] = ""
		if i > 0 {
			next[path[i-1]] = id
		}
	}
	return next
}
