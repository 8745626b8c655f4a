package launch

import (
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet/agent"
	"ocaptain/ui/cli/config"
)

// Login returns the variable with which an agent logs in, and its value; nothing for an agent
// that needs none. The problem is nil when all is well; it never repeats a part of the value.
func Login(a agent.Agent, c config.Config) (map[string]string, *Problem) {
	if len(a.Keys) == 0 {
		return nil, nil
	}
	keys := slices.Clone(a.Keys)
	if base, _ := c.Env("ANTHROPIC_BASE_URL"); base != "" {
		slices.Reverse(keys) // a gateway does not get the login of a subscription unless there is nothing else
	}
	for _, name := range keys {
		value, from := c.Env(name)
		if value == "" {
			continue
		}
		if wrong := WrongForm(name, value); wrong != "" {
			return nil, problem(Missing, Agent, "copy it again, without quotes or line ends", "%s (from %s) %s", name, from, wrong)
		}
		return map[string]string{name: value}, nil
	}
	return nil, problem(Missing, Agent, fmt.Sprintf("for a subscription run: claude setup-token\nthen: export %s=…", a.Keys[0]),
		"agent %s cannot log in: none of %s is set", a.Name, strings.Join(a.Keys, ", "))
}

// WrongForm says what cannot be right about a token, "" for one that may be good.
func WrongForm(name, value string) string {
	for _, r := range value {
		if r <= ' ' || r > '~' {
			return "has spaces, line ends or characters that no token has"
		}
	}
	switch {
	case strings.ContainsAny(value, `"'`+"`$"):
		return "has quotes or a dollar sign in it"
	case len(value) < 8:
		return "is too short for a token"
	case name == "CLAUDE_CODE_OAUTH_TOKEN" && strings.HasPrefix(value, "sk-ant-api"):
		return "holds an API key; that belongs into ANTHROPIC_API_KEY"
	case name == "ANTHROPIC_API_KEY" && strings.HasPrefix(value, "sk-ant-oat"):
		return "holds a token of a subscription; that belongs into CLAUDE_CODE_OAUTH_TOKEN"
	}
	return ""
}

// openEnv returns the variables of the agent that are no secret.
func openEnv(c config.Config) map[string]string {
	env := map[string]string{}
	for _, v := range config.Variables() {
		if value, _ := c.Env(v.Name); value != "" && !v.Secret {
			env[v.Name] = value
		}
	}
	return env
}
