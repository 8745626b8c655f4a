package config

import (
	"slices"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/provider/registry"
)

// Variable is an environment variable that is no setting, because it is a secret or belongs to another program.
type Variable struct {
	Name   string
	Secret bool
	Counts Where
	Agents bool // agents get it unchanged; their logins reach them in another way
}

// Where says which files may set a variable, beside the environment.
type Where int

// Each allows fewer files than the one before.
const (
	Anywhere Where = iota // .env of the configuration's directory, and of the working directory
	OwnFile               // .env of the configuration's directory alone: the variable sets what runs, what it costs or where secrets go
	NoFile                // no file, as helm reads it from the environment
	Named                 // a captain.yaml that the captain names, not one of a repository
)

// Variables lists the variables; ocaptain help configuration says what each is for.
func Variables() []Variable {
	return slices.Concat(ofAgents(), variables, ofProviders(), ofTailnets)
}

// ofAgents returns the variables that hold the keys of agents.
func ofAgents() (all []Variable) {
	for _, name := range agent.Names() {
		a, _ := agent.Lookup(name) // which knows every name
		for _, key := range a.Keys {
			is := Variable{Name: key, Secret: true}
			if !slices.Contains(a.Switches, key) && !slices.Contains(all, is) {
				all = append(all, is)
			}
		}
	}
	return all
}

// ofProviders returns the variables of providers.
func ofProviders() (all []Variable) {
	for _, d := range registry.All() {
		for _, v := range d.Variables {
			is := Variable{Name: v.Name, Secret: v.Login, Counts: OwnFile}
			if v.Shell {
				is.Counts = NoFile
			}
			all = append(all, is)
		}
	}
	return all
}

// ofTailnets lists the variables for reaching ships over a tailnet.
var ofTailnets = []Variable{
	{Name: "OCAPTAIN_TAILSCALE_OAUTH_SECRET", Secret: true, Counts: OwnFile},
	{Name: "OCAPTAIN_TAILSCALE_URL", Counts: OwnFile},
	{Name: "OCAPTAIN_TAILSCALE_SOCKET", Counts: NoFile},
	{Name: "OCAPTAIN_TAILSCALE_LOGIN_SERVER", Counts: NoFile},
	{Name: "OCAPTAIN_TAILSCALE_TARBALLS", Counts: NoFile},
}

// variables lists the other variables of agents, and those of services and git.
var variables = []Variable{
	{Name: "ANTHROPIC_BASE_URL", Counts: OwnFile, Agents: true},
	{Name: "OPENAI_BASE_URL", Counts: OwnFile, Agents: true},
	{Name: "GOOGLE_GEMINI_BASE_URL", Counts: OwnFile, Agents: true},
	{Name: "COPILOT_PROVIDER_BASE_URL", Counts: OwnFile, Agents: true},
	{Name: "VOYAGE_API_KEY", Secret: true, Counts: OwnFile},
	{Name: "VOYAGE_BASE_URL", Counts: OwnFile},
	{Name: "OCAPTAIN_SESSION_SECRET", Secret: true, Counts: OwnFile},
	{Name: "REDIS_PASSWORD", Secret: true, Counts: OwnFile},
	{Name: "GH_TOKEN", Secret: true},
}

// IsSecret reports whether a variable of that name holds a secret.
func IsSecret(name string) bool {
	for _, v := range Variables() {
		if v.Name == name {
			return v.Secret
		}
	}
	return false
}
