package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ClaudeVersion is the Claude Code that ocaptain works with. What its task tools
// and hooks do differs between versions, so no other is accepted.
const ClaudeVersion = "2.1.329"

var claude = Agent{
	Name:  "claude",
	Hooks: true,
	Talks: true,
	Box:   claudeBox,
	Keys: []string{
		"CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
	},
	Login:     ".claude/.credentials.json",
	Prepare:   prepareClaude,
	Command:   claudeCommand,
	Resumable: claudeResumable,
	Version:   []string{"claude", "--version"},
	Tested:    ClaudeVersion,
	Check:     checkClaude,
	Install:   installClaude,

	Transcript: &claudeTranscript,

	Headless: claudeHeadless,
}

// claudeAgain is what a session is told that was taken up again.
const claudeAgain = "Your session was interrupted and has been resumed. If you hold a task, go on with it; otherwise look at TaskList and claim the next one."

// claudeCommand starts an interactive session that works by itself.
func claudeCommand(s Setup) Command {
	args := []string{"claude", "--dangerously-skip-permissions", "--settings", claudeSettingsFile(s.Home), "--name", s.Ship}
	if prompt := filepath.Join(s.Home, "voyage", "prompt.md"); exists(prompt) {
		args = append(args, "--append-system-prompt-file", prompt)
	}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
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

// claudeEnv turns the task tools on and whatever would ask a question off.
func claudeEnv(s Setup) map[string]string {
	env := map[string]string{
		"CLAUDE_CODE_ENABLE_TASKS":        "1",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS":   "1",
		"CLAUDE_CODE_TASK_LIST_ID":        s.List,
		"ENABLE_TOOL_SEARCH":              "false", // task tools are offered at once, not behind a search
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1000000",
		"CLAUDE_CODE_SANDBOXED":           "1", // the workspace is trusted
		"DISABLE_AUTOUPDATER":             "1",
		// Reports and update checks; a fleet of them is noise, and none is needed to work.
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}
	if s.Root {
		env["IS_SANDBOX"] = "1" // else it refuses to work as root without asking
	}
	return env
}

// session ids end up in file names.
var sessionID = regexp.MustCompile(`^[0-9a-fA-F-]{36}$`)

// claudeResumable looks for the session's transcript; without one it cannot be resumed.
func claudeResumable(home, session string) bool {
	if !sessionID.MatchString(session) {
		return false
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(home), ".claude", "projects", "*", session+".jsonl"))
	return err == nil && len(found) > 0
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func checkClaude(output string) error {
	version, _, _ := strings.Cut(strings.TrimSpace(output), " ")
	switch {
	case version == "":
		return errors.New("claude is not installed")
	case version != ClaudeVersion:
		return fmt.Errorf("claude is version %.40q, ocaptain works with %s", version, ClaudeVersion)
	}
	return nil
}

// claudePackages are the npm packages with the binary, by what uname -m says, and
// the SHA-512 of their archives.
var claudePackages = map[string]struct{ name, sum string }{
	"x86_64": {
		"claude-code-linux-x64",
		"fa7e25bb5b9b600a74d98d17fcc0149f1c3dc98e921c767bec5f88a16f95d3056816e888f68a5d1fa8287e37f5e205c908460c4cda64b3b1a7d62f1765328058",
	},
	"aarch64": {
		"claude-code-linux-arm64",
		"2221b9ba6153a120955aa075944b31c702312a0c4f5f26770d153dd79bfc278073e50dc9a6c94cd1ec359b9c9a4fe9455c13ef6319ac1208b45c8ebc5c7343d0",
	},
}

// installClaude finds the binary where the hub keeps agents for the ships on it, or
// fetches it with npm and checks it, and puts it where the runner looks first. A ship
// without npm gets it from its maker's own installer.
func installClaude(machine string) (string, error) {
	pkg, ok := claudePackages[machine]
	if !ok {
		return "", fmt.Errorf("there is no claude for machines of type %.40q", machine)
	}
	return fmt.Sprintf(`set -eu
version=%[1]s
shared=${OCAPTAIN_AGENTS:-/nonexistent}
own=$HOME/.ocaptain/agents
mkdir -p "$HOME/.ocaptain/bin"
for root in "$shared" "$own"; do
	if [ -x "$root/claude/$version/claude" ]; then
		ln -sfn "$root/claude/$version/claude" "$HOME/.ocaptain/bin/claude"
		exit 0
	fi
done
if ! command -v npm >/dev/null; then
	curl -fsSL https://claude.ai/install.sh | bash -s -- "$version"
	exit 0
fi
[ -w "$shared" ] && own=$shared
mkdir -p "$own/claude/$version"
part=$(mktemp -d "$own/claude/$version/part.XXXXXX")
trap 'rm -rf "$part"' EXIT
(cd "$part" && npm pack --silent "@anthropic-ai/%[2]s@$version" >/dev/null)
mv "$part"/*.tgz "$part/tgz"
echo "%[3]s  $part/tgz" | sha512sum -c - >/dev/null
tar -xzf "$part/tgz" -C "$part" package/claude
chmod 755 "$part/package/claude"
mv -f "$part/package/claude" "$own/claude/$version/claude"
ln -sfn "$own/claude/$version/claude" "$HOME/.ocaptain/bin/claude"
`, ClaudeVersion, pkg.name, pkg.sum), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
