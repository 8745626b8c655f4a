package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/agent"
)

// The keys of agents are secrets, and what only switches an agent to another account is none.
func TestAgentKeys(t *testing.T) {
	for name, want := range map[string]bool{"ANTHROPIC_API_KEY": true, "OPENROUTER_API_KEY": true, "CLAUDE_CODE_USE_BEDROCK": false, "ANTHROPIC_BASE_URL": false} {
		if IsSecret(name) != want {
			t.Errorf("%s is a secret: %v", name, !want)
		}
	}
}

func TestOwnAgents(t *testing.T) {
	dir := write(t, map[string]string{
		"config.yaml": `agent: mine
agents:
  mine:
    command: [coder, --yes, "{prompt}", --model, "{model}"]
    resume: [coder, --again, "{session}", "{prompt}"]
    output: jsonl
    env: [CODER_KEY]
    version: [coder, --version]
  screen:
    command:
      - screen-coder
      - "@{prompt}"
    prompt: file
    terminal: true
`,
		".env": "CODER_KEY=from-file\nOTHER=no\n",
	})
	c, err := Load(Sources{Dir: dir, Environ: []string{"PATH=/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.FindAgent(c.Agent)
	if err != nil || !a.Turns || a.Talks || a.Read == nil || !slices.Equal(a.Pass, []string{"CODER_KEY"}) {
		t.Errorf("mine is %+v, %v", a, err)
	}
	if v, _ := c.Variable("CODER_KEY"); v != "from-file" {
		t.Errorf("CODER_KEY is %q", v)
	}
	if v, _ := c.Variable("OTHER"); v != "" {
		t.Error("a variable was taken that nobody wants")
	}
	if a, err = c.FindAgent("screen"); err != nil || a.Turns || !a.Talks {
		t.Errorf("screen is %+v, %v", a, err)
	}
	if a, err = c.FindAgent("codex"); err != nil || a.Name != "codex" {
		t.Errorf("codex is %+v, %v", a, err)
	}
	if names := c.AgentNames(); !slices.Contains(names, "mine") || !slices.Contains(names, "claude") || !slices.IsSorted(names) {
		t.Errorf("names are %v", names)
	}
	if _, err = c.FindAgent("cobol"); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("got %v", err)
	}
}

func TestOwnAgentErrors(t *testing.T) {
	const good = "    command: [coder, \"{prompt}\"]\n"
	for _, tt := range []struct{ name, yaml, want string }{
		{"no section", "agents: coder\n", "config.yaml:1: agents must hold the names of agents"},
		{"no lines", "agents:\n  mine: coder\n", "config.yaml:2: agents.mine must hold lines"},
		{"unknown line", "agents:\n  mine:\n" + good + "    shell: true\n", "config.yaml:4: an agent has no shell; there are: command"},
		{"no command", "agents:\n  mine:\n    prompt: stdin\n", "config.yaml:2: agents.mine.command is missing"},
		{"a shell line", "agents:\n  mine:\n    command: coder --yes\n", "config.yaml:3: agents.mine.command must be a list of texts"},
		{"a number", "agents:\n  mine:\n    command: [coder, 5]\n", "put quotes around numbers"},
		{"an empty list", "agents:\n  mine:\n    command: []\n", "config.yaml:3: agents.mine.command must be a list"},
		{"no prompt", "agents:\n  mine:\n    command: [coder]\n", "config.yaml:3: agents.mine.command must have {prompt} once, or prompt: stdin"},
		{"two prompts", "agents:\n  mine:\n    command: [coder, \"{prompt}{prompt}\"]\n", "must have {prompt} once"},
		{"both", "agents:\n  mine:\n" + good + "    prompt: stdin\n", "config.yaml:3: agents.mine.command has {prompt}, but prompt is stdin"},
		{"unknown placeholder", "agents:\n  mine:\n    command: [coder, \"{prompt}\", \"{ship}\"]\n", "has {ship}, which stands for nothing; there are: {prompt}, {session}"},
		{"the program", "agents:\n  mine:\n    command: [\"{prompt}\"]\n", "cannot have {prompt} here"},
		{"in install", "agents:\n  mine:\n" + good + "    version: [coder]\n    install: [get, \"{model}\"]\n", "config.yaml:5: agents.mine.install cannot have {model} here"},
		{"delivery", "agents:\n  mine:\n" + good + "    prompt: mail\n", "config.yaml:4: agents.mine.prompt must be argument, stdin or file"},
		{"output", "agents:\n  mine:\n" + good + "    output: xml\n", "config.yaml:4: agents.mine.output must be text or jsonl"},
		{"terminal", "agents:\n  mine:\n" + good + "    terminal: yes-please\n", "config.yaml:4: agents.mine.terminal must be true or false"},
		{"terminal and stdin", "agents:\n  mine:\n    command: [coder]\n    prompt: stdin\n    terminal: true\n", "config.yaml:4: agents.mine.prompt cannot be stdin with terminal"},
		{"a value", "agents:\n  mine:\n" + good + "    env: [\"KEY=secret\"]\n", "config.yaml:4: agents.mine.env has"},
		{"a variable of the ship", "agents:\n  mine:\n" + good + "    env: [PATH]\n", "must leave PATH to the ship"},
		{"install alone", "agents:\n  mine:\n" + good + "    install: [get]\n", "config.yaml:4: agents.mine.install needs version as well"},
		{"hooks of nobody", "agents:\n  mine:\n    command: [coder]\n    hooks: codex\n", "config.yaml:4: agents.mine.hooks must be claude"},
		{"hooks and turns", "agents:\n  mine:\n    command: [coder]\n    hooks: claude\n    resume: [coder, \"{prompt}\"]\n", "config.yaml:5: agents.mine.resume cannot stand beside hooks: claude"},
		{"hooks and a prompt", "agents:\n  mine:\n" + good + "    hooks: claude\n", "has {prompt}, which Claude Code's own arguments bring"},
		{"a known name", "agents:\n  claude:\n" + good, "config.yaml:3: ocaptain knows how claude works: of it there is only agents.claude.version, .tools and .conversation; another name"},
		{"a version that is none", "agents:\n  claude:\n    version: newest\n", "config.yaml:3: agents.claude.version must be tested, latest, installed or a version like 2.1.329, not \"newest\""},
		{"a version that is a number", "agents:\n  codex:\n    version: 0.171\n", "config.yaml:3: agents.codex.version must be a text; put quotes around numbers"},
		{"a version as a command", "agents:\n  claude:\n    version: [claude, --version]\n", "agents.claude.version must be a text"},
		{"no tools", "agents:\n  claude:\n    tools: [WebFetch]\n", "config.yaml:3: agents.claude.tools must hold lines like: deny: [WebFetch, WebSearch]"},
		{"tools of another line", "agents:\n  claude:\n    tools: {ask: [WebFetch]}\n", "config.yaml:3: agents.claude.tools has no ask; there are: allow, deny"},
		{"a tool that is no list", "agents:\n  claude:\n    tools: {deny: WebFetch}\n", "config.yaml:3: agents.claude.tools.deny must be a list of texts"},
		{"a rule for a tool", "agents:\n  claude:\n    tools: {deny: [\"Bash(rm *)\"]}\n", "config.yaml:3: agents.claude.tools.deny has \"Bash(rm *)\", which is no name of a tool"},
		{"a conversation about nothing", "agents:\n  claude:\n    conversation: epic\n", "config.yaml:3: agents.claude.conversation must be task, group or ship"},
		{"conversations of another agent", "agents:\n  codex:\n    conversation: task\n", "ocaptain knows how codex works"},
		{"tools of another agent", "agents:\n  codex:\n    tools: {deny: [x]}\n", "ocaptain knows how codex works"},
		{"a bad name", "agents:\n  My Agent:\n" + good, "config.yaml:2: agents.My Agent must be named by a word"},
		{"twice", "agents:\n  mine:\n" + good + good, "config.yaml:4:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": tt.yaml})})
			var bad *Error
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// The captain may choose the version of an agent that ocaptain knows, and the tools of Claude Code.
func TestAgentVersion(t *testing.T) {
	c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": "agents:\n  claude:\n    version: latest\n    tools: {allow: [Monitor], deny: [WebFetch]}\n    conversation: task\n  codex:\n    version: 0.171.0\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.ClaudeTools; !slices.Equal(got.Allow, []string{"Monitor"}) || !slices.Equal(got.Deny, []string{"WebFetch"}) {
		t.Errorf("tools are %+v", got)
	}
	if usual, err := Load(Sources{Dir: t.TempDir()}); err != nil || c.Conversation != agent.PerTask || usual.Conversation != agent.PerGroup {
		t.Errorf("conversations are about a %s, and usually a %s; %v", c.Conversation, usual.Conversation, err)
	}
	for name, want := range map[string]string{"claude": "latest", "codex": "0.171.0", "gemini": Tested} {
		if got := c.AgentVersion(name); got != want {
			t.Errorf("%s is to be %q, want %q", name, got, want)
		}
	}
}
