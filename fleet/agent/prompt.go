package agent

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

// Brief is what the prompt tells agents about their voyage.
type Brief struct {
	Voyage    string
	Objective string
	Branch    string
	Ships     int
	Spec      bool // artifacts/spec.md exists
	Agents    []Agent
	Reviewed  bool // work is reviewed before it is merged
	Search    bool // agents get tools that search code
}

//go:embed review.md
var reviewText string

//go:embed prompt.md
var promptText string

// Prompt returns the standing instructions for the agents of a voyage. They are the same for all its ships.
func Prompt(b Brief) (string, error) {
	data := struct {
		Brief
		Hooks, Commands, Turns bool
	}{Brief: b}
	for _, a := range b.Agents {
		data.Turns = data.Turns || a.Turns
		data.Hooks = data.Hooks || a.Hooks
		data.Commands = data.Commands || !a.Hooks
	}
	data.Objective = strings.TrimSpace(data.Objective)
	text, err := fill(promptText, data)
	if err != nil {
		return "", err
	}
	if b.Reviewed {
		text += "\n## Review\n\nWhat a ship completes is handed in. A validator, whose name begins so, reviews it before it is merged; what is not good enough comes back with the reasons, and is claimed like any other task.\n\n" + reviewText
	}
	if b.Search {
		text += searchText
	}
	return text, nil
}

//go:embed pool.md
var poolText string

// PoolPrompt returns the standing instructions for the agents of a pool.
func PoolPrompt(name string, search bool) string {
	text := strings.ReplaceAll(poolText, "{{.}}", name)
	if search {
		text += searchText
	}
	return text
}

// The duties of each role in a session. The duties of a validator are in review.md.
var (
	//go:embed session.md
	sessionText string
	//go:embed planner.md
	plannerText string
	//go:embed worker.md
	workerText string
)

// SessionPrompt returns the standing instructions for the agents of a role in a session: planner or validator; any other role means
// worker. reviewed says that work is reviewed before its merge, and search that agents get tools that search code.
func SessionPrompt(branch string, agents int, role string, reviewed, search bool) (string, error) {
	duties := map[string]string{"planner": plannerText, "validator": reviewText}[role]
	data := struct {
		Branch, Role, Duties string
		Agents               int
		Review               bool
	}{Branch: branch, Role: role, Agents: agents, Review: reviewed}
	var err error
	if data.Duties, err = fill(cmp.Or(duties, workerText), data); err != nil {
		return "", err
	}
	if search {
		data.Duties += searchText
	}
	return fill(sessionText, data)
}

// fill executes an embedded template.
func fill(text string, data any) (string, error) {
	t, err := template.New("prompt").Parse(text)
	if err != nil {
		return "", fmt.Errorf("ship prompt: %w", err)
	}
	var out strings.Builder
	if err := t.Execute(&out, data); err != nil {
		return "", fmt.Errorf("ship prompt: %w", err)
	}
	return out.String(), nil
}
