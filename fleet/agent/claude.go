package agent

import (
	"maps"
	"os"
	"path/filepath"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/agent/packages"
)

var claude = Agent{
	Name:  "claude",
	Hooks: true,
	Talks: true,
	Box:   claudeBox,
	Keys: []string{
		"CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
	},
	Switches:  []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"},
	Login:     ".claude/.credentials.json",
	Prepare:   prepareClaude,
	Command:   claudeCommand,
	Resumable: claudeResumable,
	Version:   []string{"claude", "--version"},
	Tested:    packages.Claude,
	Only:      packages.Claude, // the behaviour of its task tools and hooks differs between versions
	Packaged:  true,

	Transcript: &agentlog.ClaudeTranscript,

	Headless: claudeHeadless,
}

// claudeAgain is the prompt of a resumed session. A hook adds what its role has to do next.
const claudeAgain = "Your session was interrupted and has been resumed. Go on with what you were doing; if nothing was under way, end your turn."

// claudeCommand returns the command for an interactive session that works without a person.
func claudeCommand(s Setup) Command {
	args := []string{"claude", "--dangerously-skip-permissions", "--settings", claudeSettingsFile(s.Home), "--name", s.Ship}
	if prompt := filepath.Join(s.Home, "voyage", "prompt.md"); exists(prompt) {
		args = append(args, "--append-system-prompt-file", prompt)
	}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	if s.Search {
		args = append(args, "--mcp-config", claudeSearchFile(s.Home), "--strict-mcp-config")
	}
	first := s.First
	switch {
	case s.Resume:
		args = append(args, "--resume", s.Session)
		first = claudeAgain
	case s.Session != "":
		args = append(args, "--session-id", s.Session)
	}
	if first != "" {
		args = append(args, "--", first)
	}
	return Command{Args: args, Env: claudeEnv(s)}
}

// claudeEnv turns on the task tools, and turns off whatever would ask a question.
func claudeEnv(s Setup) map[string]string {
	env := map[string]string{
		"CLAUDE_CODE_ENABLE_TASKS":        "1",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS":   "1",
		"ENABLE_TOOL_SEARCH":              "false", // offer the task tools at once, not behind a search
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1000000",
		"CLAUDE_CODE_SANDBOXED":           "1", // the workspace is trusted
		"DISABLE_AUTOUPDATER":             "1",
		// Reports and update checks: no ship needs them for its work.
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}
	if s.List != "" {
		env["CLAUDE_CODE_TASK_LIST_ID"] = s.List
	}
	maps.Copy(env, claudeTelemetry(s.Telemetry))
	if s.Root {
		env["IS_SANDBOX"] = "1" // otherwise it refuses to run as root without asking
	}
	return env
}

// claudeResumable reports whether the session has a transcript, without which it cannot be resumed.
func claudeResumable(home, session string) bool {
	if !agentlog.SessionID().MatchString(session) {
		return false
	}
	found, err := filepath.Glob(filepath.Join(agentlog.EscapeGlob(home), ".claude", "projects", "*", session+".jsonl"))
	return err == nil && len(found) > 0
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
