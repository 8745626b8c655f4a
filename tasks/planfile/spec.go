package planfile

import (
	"strings"

	"ocaptain/tasks"
)

const specFile = "spec.md"

// maxObjective bounds an objective, in characters.
const maxObjective = 500

// readSpec reads spec.md and the objective in it.
func (r *reader) readSpec() {
	data, ok := r.readFile(specFile, maxSpec, "write what the voyage is for, under ## Objective")
	if !ok {
		return
	}
	r.plan.Spec = data
	if r.plan.Objective = Objective(string(data)); r.plan.Objective == "" {
		r.report(Defect{
			Severity: Error, File: specFile, Field: "objective",
			Problem: "has no objective", Fix: "add a heading ## Objective with a paragraph under it",
		})
	}
}

// Objective returns the objective in a specification: the first paragraph under the heading "## Objective", or else
// the text of the first top-level heading, without a final " Specification". It returns at most 500 characters, and
// "" when there is neither.
func Objective(spec string) string {
	var paragraph []string
	title, under, fenced := "", false, false
	for line := range strings.Lines(spec) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		level, text := heading(line)
		switch {
		case fenced:
			level = 0
		case level == 1 && title == "":
			title = strings.TrimSpace(strings.TrimSuffix(text, " Specification"))
		}
		if len(paragraph) > 0 && (line == "" || level > 0) {
			break
		}
		switch {
		case level == 2 && strings.EqualFold(strings.TrimRight(text, ":"), "objective"):
			under = true
		case level > 0 && level <= 2:
			under = false
		case under && level == 0 && line != "":
			paragraph = append(paragraph, line)
		}
	}
	if len(paragraph) == 0 {
		return tasks.Truncate(title, maxObjective)
	}
	return tasks.Truncate(strings.Join(paragraph, " "), maxObjective)
}

// heading returns the level of a markdown heading and its text, level 0 for other lines.
func heading(line string) (int, string) {
	text := strings.TrimLeft(line, "#")
	level := len(line) - len(text)
	if level == 0 || level > 6 || text != "" && text[0] != ' ' && text[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "#"))
}
