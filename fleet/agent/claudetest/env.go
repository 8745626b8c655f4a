package claudetest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Env returns the whole environment for a Claude Code that lives in home and calls only the API, with this key. more
// holds further settings as NAME=value, which override the others.
func Env(home string, api *API, key string, more ...string) []string {
	vars := map[string]string{
		"HOME":               home,
		"PATH":               os.Getenv("PATH"),
		"SHELL":              "/bin/sh",
		"TERM":               "xterm-256color",
		"LANG":               "C.UTF-8",
		"ANTHROPIC_BASE_URL": api.URL,
		"ANTHROPIC_API_KEY":  key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"CLAUDE_CODE_MAX_RETRIES":                  "2",
		"CLAUDE_CODE_SANDBOXED":                    "1", // the workspace is trusted
		"CLAUDE_CODE_TMPDIR":                       filepath.Join(home, ".tmp"),
		"DISABLE_AUTOUPDATER":                      "1",
		"IS_SANDBOX":                               "1", // root may skip permissions
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return append(env, more...)
}
