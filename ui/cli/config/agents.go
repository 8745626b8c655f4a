package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/tasks/pattern"
)

// agentsKey is the section of config.yaml with the captain's own agents, by name.
const agentsKey = "agents"

// agentKeys are the keys of an agent's definition.
var agentKeys = []string{"command", "resume", "prompt", "output", "env", "install", "version", "terminal", "hooks"}

// sampleAgent is an example of a command.
const sampleAgent = `[coder, --yes, "{prompt}"]`

// CustomAgent returns the definition of the captain's own agent of that name, nil when there is none.
func (c Config) CustomAgent(name string) *agent.Custom {
	if own, ok := c.agents[name]; ok {
		return &own
	}
	return nil
}

// FindAgent returns the agent of that name, the captain's own or an agent that ocaptain knows.
func (c Config) FindAgent(name string) (agent.Agent, error) {
	a, err := agent.Find(name, c.CustomAgent(name))
	if err != nil && c.CustomAgent(name) == nil {
		return a, fmt.Errorf("agent %q is not known: choose one of %s", name, strings.Join(c.AgentNames(), ", "))
	}
	return a, err
}

// AgentNames lists the names of all agents in alphabetical order.
func (c Config) AgentNames() []string {
	names := agent.Names()
	for name := range c.agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// agentsSection reads the definitions of agents.
func (r *fileReader) agentsSection(n ast.Node) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.bad.add("%s: %s must hold the names of agents, each with lines like: command: [coder, \"{prompt}\"]", r.position(n), agentsKey)
		return
	}
	r.entries(agentsKey+".", m, r.agentEntry)
}

// The choices for an agent's version, beside packages.Latest and version numbers.
const (
	Tested    = "tested"    // the version that ocaptain is tested with
	Installed = "installed" // the version that is installed on this machine
)

var numbered = pattern.New(`^[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$`)

// WrongVersion says what is wrong with the captain's choice of a version, "" for nothing.
func WrongVersion(choice string) string {
	if choice == Tested || choice == packages.Latest || choice == Installed || numbered().MatchString(choice) {
		return ""
	}
	return fmt.Sprintf("must be tested, latest, installed or a version like 2.1.329, not %.40q", choice)
}

// AgentVersion returns the version of an agent that config.yaml chooses, Tested when it chooses none.
func (c Config) AgentVersion(name string) string { return cmp.Or(c.versions[name], Tested) }

// knownEntry reads the settings of an agent that ocaptain knows: its version, and the tools and conversations of Claude Code.
func (r *fileReader) knownEntry(name, full string, m ast.MapNode) {
	r.entries(full+".", m, func(key, at string, value ast.Node) {
		text, wrong := textValue(value)
		switch {
		case key == "tools" && name == "claude":
			r.toolsEntry(full+".tools", at, value)
			return
		case key == "conversation" && name == "claude":
			r.conversation = agent.Conversation(text)
			if wrong == "" && !r.conversation.IsBounded() && r.conversation != agent.PerShip {
				wrong = "must be task, group or ship"
			}
			if wrong != "" {
				r.bad.add("%s: %s.%s %s", at, full, key, wrong)
			}
			return
		case key != "version":
			r.bad.add("%s: ocaptain knows how %s works: of it there is only %s.version%s; another name can have its own definition", at, name, full, map[bool]string{true: ", .tools and .conversation"}[name == "claude"])
			return
		case wrong == "":
			wrong = WrongVersion(text)
		}
		if wrong != "" {
			r.bad.add("%s: %s.version %s; put quotes around numbers", at, full, wrong)
			return
		}
		r.versions[name] = text
	})
}

// sampleTools is an example of a list of tools.
const sampleTools = "[WebFetch, WebSearch]"

// toolsEntry reads which of its own tools Claude Code has.
func (r *fileReader) toolsEntry(full, at string, n ast.Node) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.bad.add("%s: %s must hold lines like: deny: %s", at, full, sampleTools)
		return
	}
	r.entries(full+".", m, func(key, at string, value ast.Node) {
		list, wrong := textList(value, sampleTools)
		if i := slices.IndexFunc(list, func(name string) bool { return !toolName().MatchString(name) }); i >= 0 {
			wrong = fmt.Sprintf("has %.40q, which is no name of a tool", list[i])
		}
		switch {
		case key != "allow" && key != "deny":
			r.bad.add("%s: %s has no %s; there are: allow, deny", at, full, key)
		case wrong != "":
			r.bad.add("%s: %s.%s %s", at, full, key, wrong)
		case key == "allow":
			r.tools.Allow = list
		default:
			r.tools.Deny = list
		}
	})
}

// toolName matches the name of a tool, as a permission rule for all of its uses.
var toolName = pattern.New(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// agentEntry reads one definition, and checks the whole when each of its lines is right.
func (r *fileReader) agentEntry(name, where string, n ast.Node) {
	full := agentsKey + "." + name
	m, ok := n.(ast.MapNode)
	if !ok {
		r.bad.add("%s: %s must hold lines like: command: [coder, \"{prompt}\"]", where, full)
		return
	}
	if slices.Contains(agent.Names(), name) {
		r.knownEntry(name, full, m)
		return
	}
	c := agent.Custom{Name: name}
	lines := map[string]string{}
	problems := len(r.bad.Problems)
	r.entries(full+".", m, func(key, at string, value ast.Node) {
		if !slices.Contains(agentKeys, key) {
			r.bad.add("%s: an agent has no %s; there are: %s", at, key, strings.Join(agentKeys, ", "))
			return
		}
		lines[key] = at
		if wrong := set(&c, key, value); wrong != "" {
			r.bad.add("%s: %s.%s %s", at, full, key, wrong)
		}
	})
	if len(r.bad.Problems) > problems {
		return
	}
	c = c.Complete()
	if field, text := c.Problem(); text != "" {
		if at, ok := lines[field]; ok {
			where = at
		}
		r.bad.add("%s: %s %s", where, strings.TrimSuffix(full+"."+field, "."), text)
		return
	}
	r.agents[name] = c
}

// set sets one value of a definition; it returns what is wrong with the value.
func set(c *agent.Custom, key string, n ast.Node) (wrong string) {
	switch key {
	case "command":
		c.Command, wrong = textList(n, sampleAgent)
	case "resume":
		c.Resume, wrong = textList(n, sampleAgent)
	case "env":
		c.Env, wrong = textList(n, sampleAgent)
	case "install":
		c.Install, wrong = textList(n, sampleAgent)
	case "version":
		c.Version, wrong = textList(n, sampleAgent)
	case "prompt":
		c.Prompt, wrong = textValue(n)
	case "output":
		c.Output, wrong = textValue(n)
	case "hooks":
		c.Hooks, wrong = textValue(n)
	case "terminal":
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return "must be true or false"
		}
		c.Terminal = b.Value
	}
	return wrong
}

// textValue returns a value that must be a text, and what is wrong with it.
func textValue(n ast.Node) (string, string) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, ""
	case *ast.LiteralNode:
		return n.Value.Value, ""
	}
	return "", "must be a text"
}

// textList returns a value that must be a list of texts, and what is wrong with it; like is an example for the
// message.
func textList(n ast.Node, like string) ([]string, string) {
	wrong := "must be a list of texts, for example " + like + "; put quotes around numbers and words like true"
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, wrong
	}
	all := []string{}
	for _, v := range list.Values {
		s, bad := textValue(v)
		if bad != "" {
			return nil, wrong
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, wrong
	}
	return all, ""
}
