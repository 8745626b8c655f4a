package agent

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

// Brief is what the agents of a voyage are told about it.
type Brief struct {
	Voyage    string
	Objective string
	Branch    string
	Ships     int
	Spec      bool // there is an artifacts/spec.md
	Agents    []Agent
	Reviewed  bool // work is reviewed before it is merged
}

//go:embed review.md
var reviewText string

//go:embed prompt.md
var promptText string

var promptTemplate = template.Must(template.New("prompt.md").Parse(promptText))

// Prompt writes the standing instructions for the agents of a voyage, the same for
// each of its ships.
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
	var out strings.Builder
	if err := promptTemplate.Execute(&out, data); err != nil {
		return "", fmt.Errorf("ship prompt: %w", err)
	}
	if b.Reviewed {
		out.WriteString("\n## Review\n\nWhat a ship completes is handed in. A validator, whose name begins so, reviews it before it is merged; what is not good enough comes back with the reasons, and is claimed like any other task.\n\n" + reviewText)
	}
	return out.String(), nil
}

// FirstPrompt is what an agent is told to begin with.
func FirstPrompt(ship, voyage string) string {
	return fmt.Sprintf("You are %s of %s. Begin: look at the task list, claim a task that is ready, and work on it.", ship, voyage)
}

//go:embed pool.md
var poolText string

// PoolPrompt writes the standing instructions for the agents of a pool.
func PoolPrompt(name string) string { return strings.ReplaceAll(poolText, "{{.}}", name) }

//go:embed session.md
var sessionText string

var sessionTemplate = template.Must(template.New("session.md").Parse(sessionText))

// SessionPrompt writes the standing instructions for the agents of a session. Its work may be reviewed before it is merged.
func SessionPrompt(branch string, agents int, reviewed bool) (string, error) {
	data := struct {
		Branch string
		Agents int
		Review string
	}{Branch: branch, Agents: agents}
	if reviewed {
		data.Review = reviewText
	}
	var out strings.Builder
	err := sessionTemplate.Execute(&out, data)
	return out.String(), err
}
