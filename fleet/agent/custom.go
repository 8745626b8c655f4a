package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks/pattern"
)

// Custom is an agent that the captain defines in config.yaml. Every argument may contain {prompt}, {session}, {model}
// and {workspace}; no shell is involved.
type Custom struct {
	Name     string   `json:"name"`
	Command  []string `json:"command"`            // starts the agent, or its first turn
	Resume   []string `json:"resume,omitempty"`   // starts a further turn of a session; if empty, each turn is a new session
	Prompt   string   `json:"prompt,omitempty"`   // how the agent gets the prompt: argument, stdin or file; with file, {prompt} is the file's name
	Output   string   `json:"output,omitempty"`   // what the agent prints: text or jsonl
	Env      []string `json:"env,omitempty"`      // variables that the agent gets if they are set
	Install  []string `json:"install,omitempty"`  // installs the agent on a ship on which Version fails
	Version  []string `json:"version,omitempty"`  // succeeds if the agent is installed
	Terminal bool     `json:"terminal,omitempty"` // the agent keeps running in the terminal, and messages are typed to it

	// Hooks is HooksClaude for a program that behaves like Claude Code: after the arguments in Command it gets Claude
	// Code's own arguments, settings and hooks.
	Hooks string `json:"hooks,omitempty"`
}

// Values of the fields of a Custom.
const (
	PromptArgument = "argument"
	PromptStdin    = "stdin"
	PromptFile     = "file"
	OutputText     = "text"
	OutputJSONL    = "jsonl"
	HooksClaude    = "claude"
)

var (
	customName  = pattern.New(`^[a-z][a-z0-9_-]{0,31}$`)
	envName     = pattern.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	placeholder = pattern.New(`\{[A-Za-z_]*\}`)
)

// placeholders are replaced in commands.
var placeholders = []string{"{prompt}", "{session}", "{model}", "{workspace}"}

// Limits of a definition, in words and bytes.
const (
	maxArgs = 100
	maxArg  = 4 << 10
)

// Problem says what is wrong with the definition and in which field of config.yaml; both are "" for a usable
// definition. Call Complete first.
func (c Custom) Problem() (field, text string) {
	if !customName().MatchString(c.Name) {
		return "", "must be named by a word of small letters, digits, _ and -, at most 32"
	}
	for _, a := range all {
		if a.Name == c.Name {
			return "", "has the name of an agent that ocaptain knows; choose another"
		}
	}
	if c.Hooks != "" {
		if field, text := c.hooksProblem(); text != "" {
			return field, text
		}
	}
	if len(c.Command) == 0 {
		return "command", "is missing; write the program and its arguments as a list, for example [coder, --yes, \"{prompt}\"]"
	}
	for _, f := range []struct {
		field string
		argv  []string
		turn  bool
	}{{"command", c.Command, true}, {"resume", c.Resume, true}, {"install", c.Install, false}, {"version", c.Version, false}} {
		if text := c.argvProblem(f.argv, f.turn); text != "" {
			return f.field, text
		}
	}
	switch {
	case !slices.Contains([]string{PromptArgument, PromptStdin, PromptFile}, c.Prompt):
		return "prompt", "must be argument, stdin or file"
	case c.Output != OutputText && c.Output != OutputJSONL:
		return "output", "must be text or jsonl"
	case c.Terminal && c.Prompt == PromptStdin:
		return "prompt", "cannot be stdin with terminal: true, as standard input is the terminal; use argument or file"
	case c.Terminal && c.Output == OutputJSONL:
		return "output", "cannot be jsonl with terminal: true, as the output of a terminal is not read"
	case len(c.Install) > 0 && len(c.Version) == 0:
		return "install", "needs version as well, which tells whether it is installed"
	}
	for _, name := range c.Env {
		if !envName().MatchString(name) {
			return "env", fmt.Sprintf("has %.100q, which is no name of a variable; values do not belong here", name)
		}
		if slices.Contains([]string{"PATH", "HOME"}, name) || strings.HasPrefix(name, "OCAPTAIN_") {
			return "env", "must leave " + name + " to the ship"
		}
	}
	return "", ""
}

// hooksProblem says what contradicts Hooks in the definition.
func (c Custom) hooksProblem() (field, text string) {
	const settled = "cannot stand beside hooks: claude, by which it is started as Claude Code is"
	switch {
	case c.Hooks != HooksClaude:
		return "hooks", "must be claude, the only hooks that there are"
	case len(c.Resume) > 0:
		return "resume", settled
	case c.Prompt != PromptArgument:
		return "prompt", settled
	case c.Output != OutputText:
		return "output", settled
	case c.Terminal:
		return "terminal", settled
	}
	return "", ""
}

// argvProblem says what is wrong with a command; turn says that the command gets a prompt.
func (c Custom) argvProblem(argv []string, turn bool) string {
	if len(argv) > maxArgs {
		return fmt.Sprintf("has more than %d arguments", maxArgs)
	}
	prompts := 0
	for i, arg := range argv {
		if arg == "" && i == 0 || len(arg) > maxArg || strings.ContainsRune(arg, 0) {
			return "must be a list of texts, the program first"
		}
		for _, p := range placeholder().FindAllString(arg, -1) {
			switch {
			case i == 0 || !turn:
				return fmt.Sprintf("cannot have %s here", p)
			case !slices.Contains(placeholders, p):
				return fmt.Sprintf("has %s, which stands for nothing; there are: %s", p, strings.Join(placeholders, ", "))
			case p == "{prompt}":
				prompts++
			}
		}
	}
	switch {
	case len(argv) == 0 || !turn:
	case c.Prompt == PromptStdin && prompts > 0:
		return "has {prompt}, but prompt is stdin; remove one of them"
	case c.Hooks != "" && prompts > 0:
		return "has {prompt}, which Claude Code's own arguments bring; remove it"
	case c.Hooks == "" && (c.Prompt == PromptArgument || c.Prompt == PromptFile) && prompts != 1:
		return "must have {prompt} once, or prompt: stdin"
	}
	return ""
}

// Complete returns the definition with the defaults for missing fields.
func (c Custom) Complete() Custom {
	if c.Prompt == "" {
		c.Prompt = PromptArgument
	}
	if c.Output == "" {
		c.Output = OutputText
	}
	return c
}

// AsAgent returns the definition as an Agent.
func (c Custom) AsAgent() (Agent, error) {
	c = c.Complete()
	if field, text := c.Problem(); text != "" {
		return Agent{}, fmt.Errorf("agent %.40q: %s", c.Name, strings.TrimSpace(field+" "+text))
	}
	if c.Hooks == HooksClaude {
		return c.asClaude(), nil
	}
	a := Agent{
		Name: c.Name, Turns: !c.Terminal, Finishes: !c.Terminal, Talks: c.Terminal, Pass: c.Env, Version: c.Version,
		Prepare:   c.prepare,
		Command:   c.start,
		Resumable: func(_, session string) bool { return len(c.Resume) > 0 && session != "" },
	}
	if c.Output == OutputJSONL {
		a.Read = readPlain
	}
	if len(c.Install) > 0 {
		a.Install = c.install()
	}
	return a, nil
}

// asClaude returns an agent that behaves like Claude Code. The captain has to know which keys it needs and which version it is.
func (c Custom) asClaude() Agent {
	a := claude
	a.Name, a.Version, a.Tested, a.Only, a.Packaged, a.Headless = c.Name, c.Version, "", "", false, nil
	a.Keys, a.Login, a.Pass = nil, "", slices.Concat(claude.Keys, c.Env)
	if len(c.Install) > 0 {
		a.Install = c.install()
	}
	a.Command = func(s Setup) Command {
		cmd := claudeCommand(s)
		fill := strings.NewReplacer("{session}", s.Session, "{model}", s.Model, "{workspace}", s.Workspace)
		var own []string
		for _, arg := range c.Command {
			own = append(own, fill.Replace(arg))
		}
		cmd.Args = append(own, cmd.Args[1:]...)
		return cmd
	}
	return a
}

// Find returns the agent of that name: own, if it has the name, or an agent that ocaptain knows.
func Find(name string, own *Custom) (Agent, error) {
	if own != nil && own.Name == name {
		return own.AsAgent()
	}
	return Lookup(name)
}

func (c Custom) promptFile(home string) string { return filepath.Join(home, ".ocaptain", "turn.md") }

// prepare writes the prompt to its file, if the agent reads it from a file.
func (c Custom) prepare(s Setup) error {
	argv := c.argvFor(s)
	if s.Model == "" && slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "{model}") }) {
		return fmt.Errorf("agent %s has {model} in its command, but no model is chosen: sail with --model", c.Name)
	}
	if c.Prompt != PromptFile {
		return nil
	}
	if err := os.WriteFile(c.promptFile(s.Home), []byte(s.First), 0o600); err != nil {
		return fmt.Errorf("prompt of the %s agent: %w", c.Name, err)
	}
	return nil
}

func (c Custom) argvFor(s Setup) []string {
	if s.Resume {
		return c.Resume
	}
	return c.Command
}

// start replaces each placeholder once, so that a placeholder inside a prompt stays as it is.
func (c Custom) start(s Setup) Command {
	prompt := s.First
	if c.Prompt == PromptFile {
		prompt = c.promptFile(s.Home)
	}
	fill := strings.NewReplacer("{prompt}", prompt, "{session}", s.Session, "{model}", s.Model, "{workspace}", s.Workspace)
	var args []string
	for _, arg := range c.argvFor(s) {
		args = append(args, fill.Replace(arg))
	}
	cmd := Command{Args: args}
	if c.Prompt == PromptStdin {
		cmd.Stdin = s.First
	}
	return cmd
}

// install returns a script that runs the install command, with its output on standard error.
func (c Custom) install() string {
	words := make([]string, len(c.Install))
	for i, w := range c.Install {
		words[i] = quoteWord(w)
	}
	return "mkdir -p \"$HOME/.ocaptain/bin\" && exec " + strings.Join(words, " ") + " >&2\n"
}

// readPlain reads a line that a custom agent with output: jsonl prints. All fields are optional:
//
//	{"type": "say", "text": "…", "session": "…", "input_tokens": 1, "output_tokens": 2, "cost_usd": 0.1}
//
// The type is say, tool, result, note, error, or failed, which makes the turn a failure.
func readPlain(line []byte) ([]agentlog.Event, bool) {
	var e struct {
		Type    string  `json:"type"`
		Text    string  `json:"text"`
		Session string  `json:"session"`
		Input   int64   `json:"input_tokens"`
		Cached  int64   `json:"cached_tokens"`
		Output  int64   `json:"output_tokens"`
		Cost    float64 `json:"cost_usd"`
	}
	if json.Unmarshal(line, &e) != nil {
		return nil, false
	}
	var events []agentlog.Event
	switch e.Type {
	case agentlog.Say, agentlog.Tool, agentlog.Note:
		events = agentlog.TextEvent(e.Type, e.Text)
	case agentlog.Result, agentlog.Fault:
		events = agentlog.ResultEvent(e.Type, e.Text)
	case "failed":
		events = agentlog.FailEvent(e.Text)
	}
	return append(events, agentlog.Event{Session: e.Session, Cost: e.Cost, Tokens: agentlog.WithoutCached(e.Input, e.Cached, e.Output)}), true
}
