package agent

import (
	_ "embed"
	"strconv"
	"strings"
)

// The texts of the prompts. A word in double braces stands for what fill puts there. They are no templates of text/template: the linker keeps
// every exported method of a program that executes one, which is a seventh of ocaptain.
var (
	//go:embed prompt.md
	promptText string
	//go:embed tasktools.md
	taskToolsText string
	//go:embed commands.md
	commandsText string
	//go:embed pool.md
	poolText string
	//go:embed session.md
	sessionText string

	// The duties of each role in a session.
	//go:embed planner.md
	plannerText string
	//go:embed worker.md
	workerText string
	//go:embed review.md
	reviewText string
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

// Prompt returns the standing instructions for the agents of a voyage. They are the same for all its ships.
func Prompt(b Brief) string {
	var hooks, commands, turns bool
	for _, a := range b.Agents {
		turns = turns || a.Turns
		hooks = hooks || a.Hooks
		commands = commands || !a.Hooks
	}
	text := fill(promptText, map[string]string{
		"voyage":    b.Voyage,
		"crew":      b.crew(),
		"objective": b.objective(),
		"spec":      when(b.Spec, "\nThe full specification is `~/voyage/artifacts/spec.md`. Read what concerns your task before you begin it.\n"),
		"branch":    when(b.Branch != "", " `"+b.Branch+"`"),
		"next":      next(hooks || turns),
		"tools":     when(hooks, taskToolsText),
		"commands":  when(commands, commandsFor(hooks, turns)),
	})
	text += when(b.Reviewed, "\n## Review\n\nWhat a ship completes is handed in. A validator, whose name begins so, reviews it before it is merged; what is not good enough comes back with the reasons, and is claimed like any other task.\n\n"+reviewText)
	return text + when(b.Search, searchText)
}

func (b *Brief) crew() string {
	if b.Ships > 1 {
		return strconv.Itoa(b.Ships) + " coding agents, the ships, work on one plan at the same time, each on its own machine and in its own clone."
	}
	return "You are the coding agent that carries out this plan, on a machine of its own."
}

func (b *Brief) objective() string {
	text := strings.TrimSpace(b.Objective)
	return when(text != "", "\n## Objective\n\n"+text+"\n")
}

// next says what an agent does after a task. told means that helm speaks to it at the end of its turn.
func next(told bool) string {
	if told {
		return "Then end your turn: you are told what is next."
	}
	return "Then claim the next one."
}

// commandsFor describes the commands for tasks. hooks says that an agent has task tools instead, turns that an agent works in turns.
func commandsFor(hooks, turns bool) string {
	idle := "When nothing is ready: `ocaptain task wait` returns as soon as something is, or says that all is done."
	if turns {
		idle = "When nothing is ready, end your turn: do not wait or poll. The next turn begins when there is something to do."
	}
	return fill(commandsText, map[string]string{"unless": when(hooks, ", if you have no task tools"), "idle": idle})
}

// PoolPrompt returns the standing instructions for the agents of a pool.
func PoolPrompt(name string, search bool) string {
	return fill(poolText, map[string]string{"pool": name}) + when(search, searchText)
}

// SessionPrompt returns the standing instructions for the agents of a role in a session: planner or validator; any other role means
// worker. reviewed says that work is reviewed before its merge, and search that agents get tools that search code.
func SessionPrompt(branch string, agents int, role string, reviewed, search bool) string {
	var duties string
	switch role {
	case "planner":
		duties = plannerText
	case "validator":
		duties = reviewText
	default:
		duties = fill(workerText, map[string]string{
			"reviewed": when(reviewed, ", then reviewed"),
			"back":     when(reviewed, " What comes back from a review you claim like any other task: your work is in your tree, and the grant says what to mend."),
		})
	}
	return fill(sessionText, map[string]string{"branch": branch, "agents": strconv.Itoa(agents), "role": role, "duties": duties + when(search, searchText)})
}

// when returns a text if a condition holds, "" otherwise.
func when(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// fill replaces each word in double braces by its value. What looks like one in a value stays.
func fill(text string, values map[string]string) string {
	var pairs []string
	for word, value := range values {
		pairs = append(pairs, "{{"+word+"}}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
