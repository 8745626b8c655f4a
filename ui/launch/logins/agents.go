package logins

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocaptain/fleet/agent"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// OfAgent returns the variable with which an agent logs in, with its value, and the other variables that the
// agent gets if they are set. The problem is nil when all is well; it never repeats a part of a value.
func OfAgent(a agent.Agent, c config.Config) (map[string]string, *problem.Problem) {
	login, p := ownLogin(a, c)
	if p != nil {
		return nil, p
	}
	if len(login) == 0 && len(a.Keys) > 0 {
		hint := fmt.Sprintf("export %s=…", a.Keys[0])
		if a.Name == "claude" {
			hint = "for a subscription run: claude setup-token\nthen: " + hint
		}
		return nil, problem.New(problem.Missing, problem.Agent, hint, "agent %s cannot log in: none of %s is set", a.Name, strings.Join(a.Keys, ", "))
	}
	secrets := maps.Clone(login)
	if secrets == nil {
		secrets = map[string]string{}
	}
	for _, name := range a.Pass {
		if value, _ := c.Variable(name); value != "" {
			secrets[name] = value
		}
	}
	return secrets, nil
}

// ownLogin is like OfAgent for an agent on the captain's own machine, which may be logged in already: no
// variable need be set.
func ownLogin(a agent.Agent, c config.Config) (map[string]string, *problem.Problem) {
	keys := slices.Clone(a.Keys)
	base, _ := c.Variable("ANTHROPIC_BASE_URL")
	if base != "" {
		slices.Reverse(keys) // a gateway gets the login of a subscription only when there is no other
	}
	for _, name := range keys {
		value, from := c.Variable(name)
		if value == "" {
			continue
		}
		if wrong, fix := WrongForm(name, value, base != ""); wrong != "" {
			return nil, problem.New(problem.Missing, problem.Agent, fix, "%s (from %s) %s", name, from, wrong)
		}
		return map[string]string{name: value}, nil
	}
	return nil, nil
}

// Environ returns the environment of an agent on the captain's own machine: ocaptain's own without the secrets that are
// not for this agent, with the agent's other configured variables, and with its login, if there is one. Of several logins
// it keeps one, as the program might prefer a variable that ships do not use.
func Environ(a agent.Agent, c config.Config, environ []string) ([]string, *problem.Problem) {
	login, p := ownLogin(a, c)
	if p != nil {
		return nil, p
	}
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		needless := config.IsSecret(name)
		if slices.Contains(a.Keys, name) {
			needless = len(login) > 0
		}
		return needless && !slices.Contains(a.Pass, name)
	})
	for _, vars := range []map[string]string{OpenEnv(c), login} {
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			env = append(env, name+"="+vars[name])
		}
	}
	return env, nil
}

// OpenEnv returns the variables that agents get unchanged.
func OpenEnv(c config.Config) map[string]string {
	env := map[string]string{}
	for _, v := range config.Variables() {
		if value, _ := c.Variable(v.Name); value != "" && v.Agents {
			env[v.Name] = value
		}
	}
	return env
}
