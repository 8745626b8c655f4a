package config

import (
	"slices"

	"ocaptain/fleet/provider/registry"
)

// Variable is an environment variable that is no setting, because it is a secret or belongs to another program.
type Variable struct {
	Name   string
	Secret bool
	Help   string
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

// Variables lists the variables, in the order of the documentation.
func Variables() []Variable {
	return slices.Concat(variables, ofProviders(), ofTailnets)
}

// ofProviders returns the variables of providers.
func ofProviders() (all []Variable) {
	for _, d := range registry.All() {
		for _, v := range d.Variables {
			is := Variable{Name: v.Name, Secret: v.Login, Help: v.Help, Counts: OwnFile}
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
	{Name: "OCAPTAIN_TAILSCALE_OAUTH_SECRET", Secret: true, Counts: OwnFile, Help: "makes keys for ships on a tailnet; kept on this machine for helm, not used by local ships"},
	{Name: "OCAPTAIN_TAILSCALE_URL", Counts: OwnFile, Help: "another address of Tailscale's API, for tests"},
	{Name: "OCAPTAIN_TAILSCALE_SOCKET", Counts: NoFile, Help: "socket of the tailscaled to reach ships through; without it the system's"},
	{Name: "OCAPTAIN_TAILSCALE_LOGIN_SERVER", Counts: NoFile, Help: "control server that ships log in to; without it Tailscale's"},
	{Name: "OCAPTAIN_TAILSCALE_TARBALLS", Counts: NoFile, Help: "where ships get Tailscale; without it pkgs.tailscale.com"},
}

// variables lists the variables of agents, services and git.
var variables = []Variable{
	{Name: "CLAUDE_CODE_OAUTH_TOKEN", Secret: true, Help: "logs Claude Code in; made by: claude setup-token"},
	{Name: "ANTHROPIC_API_KEY", Secret: true, Help: "logs Claude Code in with an API key instead"},
	{Name: "ANTHROPIC_AUTH_TOKEN", Secret: true, Help: "logs Claude Code in at a gateway instead"},
	{Name: "ANTHROPIC_BASE_URL", Counts: OwnFile, Agents: true, Help: "address of that gateway"},
	{Name: "CODEX_API_KEY", Secret: true, Help: "logs Codex in"},
	{Name: "OPENAI_API_KEY", Secret: true, Help: "logs Codex in as well, and OpenCode at OpenAI"},
	{Name: "OPENAI_BASE_URL", Counts: OwnFile, Agents: true, Help: "address of a gateway for these"},
	{Name: "GEMINI_API_KEY", Secret: true, Help: "logs Gemini CLI in, and OpenCode at Google"},
	{Name: "GOOGLE_GEMINI_BASE_URL", Counts: OwnFile, Agents: true, Help: "address of a gateway for Gemini CLI"},
	{Name: "OPENCODE_API_KEY", Secret: true, Help: "logs OpenCode in at its own provider"},
	{Name: "OPENROUTER_API_KEY", Secret: true, Help: "logs OpenCode in at OpenRouter"},
	{Name: "AMP_API_KEY", Secret: true, Help: "logs Amp in"},
	{Name: "COPILOT_GITHUB_TOKEN", Secret: true, Help: "logs Copilot in; GH_TOKEN is not used for that"},
	{Name: "COPILOT_PROVIDER_API_KEY", Secret: true, Help: "logs Copilot in at a provider of your own instead"},
	{Name: "COPILOT_PROVIDER_BASE_URL", Counts: OwnFile, Agents: true, Help: "address of that provider"},
	{Name: "VOYAGE_API_KEY", Secret: true, Counts: OwnFile, Help: "opens Voyage for embeddings; kept on this machine for helm"},
	{Name: "VOYAGE_BASE_URL", Counts: OwnFile, Help: "another address of Voyage"},
	{Name: "OCAPTAIN_SESSION_SECRET", Secret: true, Counts: OwnFile, Help: "lets ocaptain join have part in a session that another hub keeps in a Redis"},
	{Name: "REDIS_PASSWORD", Secret: true, Counts: OwnFile, Help: "opens the Redis where hubs share tasks; kept on this machine for helm"},
	{Name: "GH_TOKEN", Secret: true, Help: "reads private repositories on GitHub; stays on this machine"},
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
