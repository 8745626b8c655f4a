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
}

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

// SessionPrompt writes the standing instructions for the agents of a session.
func SessionPrompt(branch string, agents int) (string, error) {
	var out strings.Builder
	err := sessionTemplate.Execute(&out, struct {
		Branch string
		Agents int
	}{branch, agents})
	return out.String(), err
}
